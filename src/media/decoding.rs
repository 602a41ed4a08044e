//! One stream's packets through its decoder: errors are counted with their times, and decoding goes on to the end.

use std::collections::VecDeque;
use std::path::Path;

use ffmpeg_next::codec::threading;
use ffmpeg_next::{self as ffmpeg, Packet, Rational, codec, ffi};

use super::amr;
use super::bounds;
use super::input::{self, OpenMedia};
use super::log;
use super::skipped::Skipped;
use crate::error::Result;
use crate::pulse::Furthest;
use crate::time::{Seconds, Segment};
use crate::warning::Warning;

/// Errors closer than this are one span.
const SPAN_JOIN_SECS: f64 = 1.0;
/// Spans told one by one; the rest joins the last.
const MOST_SPANS: usize = 20;
/// A demuxer that fails this often in a row is at its end.
pub(super) const MOST_READ_FAILURES: u32 = 200;
/// A packet this late after the last, where the demuxer complained in between, stands behind a hole.
const HOLE_SECS: f64 = 0.1;
/// Containers that are read from their beginning to their end, whatever an index says.
const READ_THROUGH: [&str; 12] =
    ["mp3", "aac", "ac3", "eac3", "dts", "amr", "flac", "ogg", "mpegts", "mpeg", "flv", "matroska,webm"];
/// Parsers hand out a packet one or two later than the mark they put on it.
const PARSER_DELAY: u32 = 3;
/// What is told of packets that FFmpeg flags so: parts of them are lost.
const MARKED_CORRUPT: &str = "the container marks packets as corrupt";
/// More than this is no tag at the end of a file, nor an index.
const UNREAD_BYTES: i64 = 1 << 20;
/// Spans are written in milliseconds.
pub(super) const LEAST_TOLD_SECS: f64 = 0.001;
/// What goes on later than this is believed by itself only.
const LONGEST_LOSS_SECS: f64 = 60.0;
/// First bytes of the headers of Opus, which a chained Ogg hands out as packets.
const OPUS_HEADERS: [&[u8]; 2] = [b"OpusHead", b"OpusTags"];
/// `SEEK_CUR` of C: with an offset of 0 the place itself.
const SEEK_CUR: std::ffi::c_int = 1;
/// Longest packet that is believed: some containers give the last one a duration up to anywhere.
const LONGEST_PACKET_SECS: f64 = 1.0;

/// Decode errors with their times.
#[derive(Debug, Default)]
pub(super) struct DecodeErrors {
    count: u64,
    spans: Vec<Span>,
    /// The last error reaches up to where sound or packets go on.
    open: bool,
}

#[derive(Debug)]
struct Span {
    start: f64,
    end: f64,
    count: u64,
    detail: String,
}

impl DecodeErrors {
    /// Adds one error covering `secs` to `secs + duration`.
    pub(super) fn add(&mut self, secs: f64, duration: f64, detail: impl FnOnce() -> String) {
        self.count += 1;
        let end = secs + duration.max(0.0);
        let full = self.spans.len() >= MOST_SPANS;
        match self.spans.last_mut() {
            Some(last) if full || (secs <= last.end + SPAN_JOIN_SECS && end >= last.start - SPAN_JOIN_SECS) => {
                last.start = last.start.min(secs);
                last.end = last.end.max(end);
                last.count += 1;
            }
            _ => self.spans.push(Span { start: secs, end, count: 1, detail: detail() }),
        }
    }

    /// Adds one error at `secs` that reaches up to what [`Self::goes_on`] tells next.
    fn add_open(&mut self, secs: f64, duration: f64, detail: impl FnOnce() -> String) {
        self.add(secs, duration, detail);
        self.open = true;
    }

    /// Something that is whole begins at `secs`: the last error ends there, if it was before.
    fn goes_on(&mut self, secs: f64) {
        if self.open
            && let Some(last) =
                self.spans.last_mut().filter(|last| (last.end..last.end + LONGEST_LOSS_SECS).contains(&secs))
        {
            last.end = secs;
            self.open = false;
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// True where some of `segment` was told to be lost.
    pub(super) fn overlaps(&self, segment: Segment) -> bool {
        self.spans.iter().any(|s| s.start < segment.end().get() && s.end > segment.start().get())
    }

    pub(super) fn warnings(&self, stream: &'static str) -> Vec<Warning> {
        self.spans
            .iter()
            .map(|s| {
                // What lies before the origin is not told of, and no span is empty as it is written.
                let start = s.start.max(0.0);
                let span = Segment::from_secs(start, s.end.max(start + LEAST_TOLD_SECS));
                Warning::DecodeError { stream, span, count: s.count, detail: s.detail.clone() }
            })
            .collect()
    }
}

/// Pulls decoded frames out of one stream, from its start to its end.
pub(super) struct StreamDecoder {
    input: ffmpeg::format::context::Input,
    decoder: codec::decoder::Opened,
    index: usize,
    time_base: Rational,
    origin: Seconds,
    draining: bool,
    /// Pieces of the last packet not yet sent.
    pieces: VecDeque<Packet>,
    last_secs: f64,
    /// Bytes read and seconds decoded: a decoder that goes round gets no further in either.
    read: Furthest,
    decoded: Furthest,
    /// Where the packets read end, since the origin.
    pub(super) packets_end: Option<f64>,
    /// Where the last packet ends in the order of decoding.
    decoding_end: Option<f64>,
    /// Where decoded sound ends; `None` for pictures, which do not come in the order of their packets.
    sound_end: Option<f64>,
    /// Bytes that a reader of bare packets passed over.
    skipped: Option<Skipped>,
    /// Packets since one that was marked as corrupt.
    since_corrupt: u32,
    /// What was wrong with the file before the first packet.
    lost_head: Option<String>,
    /// What the demuxer complained of on the way to the end of the file.
    pub(super) last_word: Option<String>,
    pub(super) errors: DecodeErrors,
    /// Packets the container marks as not to be shown (edit lists); their frames are decoded and dropped by FFmpeg.
    pub(super) hidden_packets: u64,
}

impl StreamDecoder {
    /// The decoder for stream `index` of `source`; the other streams are not read. `threads` is FFmpeg's frame
    /// threading.
    pub(super) fn new(source: OpenMedia, index: usize, threads: usize) -> Result<Self> {
        let OpenMedia { mut input, probe } = source;
        let path: &Path = &probe.path;
        let fail = |e| input::failure(path, &format!("stream {index} cannot be decoded"), e);
        for mut stream in input.streams_mut() {
            if stream.index() != index {
                // SAFETY: the stream belongs to the open context; `discard` is a plain setting read by the demuxer.
                unsafe { (*stream.as_mut_ptr()).discard = ffi::AVDiscard::AVDISCARD_ALL };
            }
        }
        let stream = input.stream(index).ok_or_else(|| fail(ffmpeg::Error::StreamNotFound))?;
        let time_base = stream.time_base();
        let mut context = codec::Context::from_parameters(stream.parameters()).map_err(fail)?;
        bounds::limit_pictures(&mut context);
        context.set_threading(threading::Config {
            kind: threading::Type::Frame,
            count: threads.max(1),
            ..Default::default()
        });
        let mut decoder = context.decoder();
        // Without it FFmpeg cannot move a frame's time when it trims a codec's priming samples.
        decoder.set_packet_time_base(time_base);
        let codec = codec::decoder::find(decoder.id()).ok_or_else(|| fail(ffmpeg::Error::DecoderNotFound))?;
        let decoder = decoder.open_as(codec).map_err(fail)?;
        Ok(StreamDecoder {
            input,
            decoder,
            index,
            time_base,
            origin: probe.origin,
            draining: false,
            pieces: VecDeque::new(),
            last_secs: 0.0,
            read: Furthest::default(),
            decoded: Furthest::default(),
            packets_end: None,
            // Where pages were lost before the first packet, the hole begins at the origin.
            decoding_end: probe.ending.lost_head.as_ref().map(|_| 0.0),
            sound_end: None,
            skipped: Skipped::of(&probe),
            since_corrupt: u32::MAX,
            lost_head: probe.ending.lost_head,
            last_word: None,
            errors: DecodeErrors::default(),
            hidden_packets: 0,
        })
    }

    /// Ticks of the stream as seconds since the origin.
    pub(super) fn secs(&self, ticks: i64) -> f64 {
        input::since_origin(ticks, self.time_base, self.origin).get()
    }

    /// A span of ticks in seconds.
    pub(super) fn span_secs(&self, ticks: i64) -> f64 {
        Seconds::from_ticks(ticks, self.time_base.numerator(), self.time_base.denominator().max(1)).get()
    }

    /// The stream's pixel aspect ratio for `frame`: the container's, else the codec's.
    pub(super) fn sample_aspect(&mut self, frame: &mut ffmpeg::Frame) -> f64 {
        // SAFETY: context, its stream and the frame are alive; FFmpeg only reads them.
        let sar = unsafe {
            let context = self.input.as_mut_ptr();
            let stream = *(*context).streams.add(self.index);
            ffi::av_guess_sample_aspect_ratio(context, stream, frame.as_mut_ptr())
        };
        input::ratio(sar).unwrap_or(1.0)
    }

    /// Fills `frame` with the next one in presentation order; false at the end.
    pub(super) fn next(&mut self, frame: &mut ffmpeg::Frame) -> bool {
        let mut failures = 0;
        loop {
            match self.decoder.receive_frame(frame) {
                Ok(()) => {
                    self.note_frame(frame);
                    return true;
                }
                Err(ffmpeg::Error::Eof) => return false,
                Err(e) if is_again(e) => {
                    if self.draining {
                        return false;
                    }
                    self.feed();
                }
                Err(e) => {
                    self.note(0.0, e);
                    failures += 1;
                    if self.draining && failures >= MOST_READ_FAILURES {
                        return false;
                    }
                    if !self.draining {
                        self.feed();
                    }
                }
            }
        }
    }

    /// Reads up to the stream's next packet and sends it, or begins to drain.
    fn feed(&mut self) {
        if let Some(piece) = self.pieces.pop_front() {
            return self.send(&piece);
        }
        let mut packet = Packet::empty();
        let mut failures = 0;
        let mut complaint = self.lost_head.take();
        loop {
            // Only what is said while reading is the demuxer's.
            log::take();
            let read = packet.read(&mut self.input);
            complaint = complaint.or_else(|| log::take().into_iter().next());
            if read.is_ok() {
                self.read.reach(packet.position() as f64);
            }
            match read {
                Ok(()) if packet.stream() != self.index || self.is_header(&packet) => {}
                Ok(()) => break,
                Err(ffmpeg::Error::Eof) => {
                    self.last_word = complaint.or_else(|| self.stops_early());
                    return self.drain();
                }
                Err(e) => {
                    let at = self.packets_end.unwrap_or(self.last_secs).max(self.sound_end.unwrap_or(0.0));
                    let line = complaint.clone();
                    self.errors.add_open(at, 0.0, || line.unwrap_or_else(|| e.to_string()));
                    failures += 1;
                    // Demuxers find their way after broken data; every other failure is the end of what can be read.
                    if !matches!(e, ffmpeg::Error::InvalidData) || failures >= MOST_READ_FAILURES {
                        self.last_word = complaint.or_else(|| Some(e.to_string()));
                        return self.drain();
                    }
                }
            }
        }
        let complaint = self.move_behind_skipped(&mut packet).or(complaint);
        self.note_packet(&packet, complaint);
        if let Some(frames) = packet.data().and_then(|data| amr::frames(self.decoder.id(), data)) {
            self.pieces = frames.into_iter().map(Packet::copy).collect();
            // The first has the packet's time, the others follow on.
            if let Some(first) = self.pieces.front_mut() {
                first.set_pts(packet.pts());
                first.set_dts(packet.dts());
            }
            return self.feed();
        }
        self.send(&packet);
    }

    fn is_header(&self, packet: &Packet) -> bool {
        self.decoder.id() == codec::Id::OPUS
            && packet.data().is_some_and(|data| OPUS_HEADERS.iter().any(|head| data.starts_with(head)))
    }

    /// Bare packets have no time stamps of their own: FFmpeg counts them, and what it passed over is missing in the
    /// count.
    fn move_behind_skipped(&mut self, packet: &mut Packet) -> Option<String> {
        let start = self.secs(packet.pts()?);
        let duration = self.span_secs(packet.duration());
        let skipped = self.skipped.as_mut()?;
        let told = skipped.take(packet.position(), packet.data()?, start, duration);
        let ticks = (skipped.late_secs() / f64::from(self.time_base)).round() as i64;
        packet.set_pts(packet.pts().map(|t| t + ticks));
        packet.set_dts(packet.dts().map(|t| t + ticks));
        told
    }

    /// Told where a demuxer that reads a file from its beginning to its end says that it is there long before.
    fn stops_early(&self) -> Option<String> {
        // SAFETY: an open context; its reader is null or answers with plain numbers.
        let (at, len) = unsafe {
            let reader = (*self.input.as_ptr()).pb;
            if reader.is_null() {
                return None;
            }
            (ffi::avio_seek(reader, 0, SEEK_CUR), ffi::avio_size(reader))
        };
        let unread = len - at;
        (READ_THROUGH.contains(&self.input.format().name()) && at > 0 && unread > UNREAD_BYTES)
            .then(|| format!("reading ended {unread} bytes before the end of the file"))
    }

    /// Keeps the packet's time, and tells what is wrong with it: packets lost before it, or damage the container knows
    /// of.
    fn note_packet(&mut self, packet: &Packet, complaint: Option<String>) {
        // SAFETY: a packet just read.
        let flags = unsafe { (*ffmpeg::packet::Ref::as_ptr(packet)).flags };
        if flags & ffi::AV_PKT_FLAG_DISCARD != 0 {
            self.hidden_packets += 1;
        }
        let Some(start) = packet.pts().or(packet.dts()).map(|t| self.secs(t)) else { return };
        self.last_secs = start;
        let duration = self.span_secs(packet.duration()).clamp(0.0, LONGEST_PACKET_SECS);
        // SAFETY: any codec may be asked for. A last packet of PCM is as long as it is.
        let raw = unsafe { ffi::av_get_exact_bits_per_sample(self.decoder.id().into()) } > 0;
        let corrupt = flags & ffi::AV_PKT_FLAG_CORRUPT != 0 && !raw;
        self.since_corrupt = if corrupt { 0 } else { self.since_corrupt.saturating_add(1) };
        let complaint = complaint.or_else(|| (self.since_corrupt <= PARSER_DELAY).then(|| MARKED_CORRUPT.to_owned()));
        let decoding = packet.dts().map_or(start, |t| self.secs(t));
        self.errors.goes_on(decoding);
        if let (Some(line), Some(end)) = (complaint, self.decoding_end.replace(decoding + duration))
            // Packets without a time may have come in between, and their sound.
            && let begin = end.max(self.sound_end.unwrap_or(end))
            && decoding - begin > HOLE_SECS
        {
            self.errors.add(begin, decoding - begin, || line);
        }
        if corrupt {
            self.errors.add(start, duration, || MARKED_CORRUPT.to_owned());
        }
        if flags & ffi::AV_PKT_FLAG_DISCARD == 0 {
            self.packets_end = Some(self.packets_end.map_or(start + duration, |end| end.max(start + duration)));
        }
    }

    fn send(&mut self, packet: &Packet) {
        if let Err(e) = self.decoder.send_packet(packet) {
            let duration = self.span_secs(packet.duration());
            self.note(duration, e);
        }
    }

    fn drain(&mut self) {
        self.draining = true;
        // Failing here means it was told before.
        let _ = self.decoder.send_eof();
    }

    /// An error of the decoder in the last packet, of which `duration` seconds are told. Sound comes in the order of
    /// its packets: what is lost lies behind what was decoded, up to where it goes on.
    fn note(&mut self, duration: f64, error: ffmpeg::Error) {
        let line = log::take().into_iter().next();
        let detail = || line.unwrap_or_else(|| error.to_string());
        match self.sound_end {
            Some(sound_end) => {
                let start = self.last_secs.max(sound_end);
                self.errors.add_open(start, (self.last_secs + duration - start).max(0.0), detail);
            }
            None => self.errors.add(self.last_secs, duration, detail),
        }
    }

    /// A frame the decoder itself marks as broken is counted, and used.
    fn note_frame(&mut self, frame: &ffmpeg::Frame) {
        // SAFETY: a frame just decoded.
        let (samples, rate_hz) = unsafe { ((*frame.as_ptr()).nb_samples, (*frame.as_ptr()).sample_rate) };
        let start = input::ticks(frame).map(|t| self.secs(t));
        if let Some(start) = start {
            self.decoded.reach(start);
        }
        if samples > 0 && rate_hz > 0 {
            // Without a time of its own, sound follows on.
            let begin = start.or(self.sound_end).unwrap_or(0.0);
            let end = begin + f64::from(samples) / f64::from(rate_hz);
            if start.is_some() {
                self.errors.goes_on(begin);
            }
            self.sound_end = Some(self.sound_end.map_or(end, |e| e.max(end)));
        }
        if frame.is_corrupt() || frame.has_decode_errors() {
            let secs = input::ticks(frame).map_or(self.last_secs, |t| self.secs(t));
            let duration = self.span_secs(frame.packet().duration);
            let line = log::take().into_iter().next();
            self.errors.add(secs, duration, || line.unwrap_or_else(|| "the decoder marks frames as corrupt".into()));
        }
    }
}

fn is_again(e: ffmpeg::Error) -> bool {
    matches!(e, ffmpeg::Error::Other { errno } if errno == ffmpeg::error::EAGAIN)
}

#[cfg(test)]
mod tests;
