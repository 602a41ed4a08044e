//! Video: frames decoded on a thread of their own, sampled by presentation time, upright 8-bit RGB with square pixels.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use ffmpeg_next::{self as ffmpeg, frame};

use super::bounds;
use super::clock::{Restart, Standing};
use super::decoding::StreamDecoder;
use super::deinterlace::Deinterlacer;
use super::grid::SamplingGrid;
use super::holes::Holes;
use super::input::{self, OpenMedia};
use super::orientation::Orientation;
use super::pick::StreamPick;
use super::picture::{Converter, Shape};
use super::placing::{MOST_JUMPS_TOLD, last_believable};
use super::probe::StreamKind;
use super::seek;
use super::shortfall::{Promised, Reached, missing_frames};
use super::tonemap;
use super::video_report::VideoReport;
use crate::error::{Error, Result};
use crate::signal::VideoFrame;
use crate::time::{Seconds, Segment};
use crate::warning::Warning;

/// Time stamps this close before the origin are on it.
const ROUNDING_SECS: f64 = 0.5e-6;

/// Threads FFmpeg decodes with; the frames are the same whatever their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeThreads(pub usize);

/// Which frames are wanted, and how they are fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Frames a second, on a grid from the origin; 0 for every frame.
    pub rate_hz: f64,
    /// Runtime only: decoder threads.
    pub threads: DecodeThreads,
    /// Runtime only: pictures made ahead of the reader, which bounds the memory.
    pub ahead: usize,
}

impl Default for Sampling {
    /// 10 Hz, one thread, four pictures ahead.
    fn default() -> Self {
        Sampling { rate_hz: 10.0, threads: DecodeThreads(1), ahead: 4 }
    }
}

/// Frames that are wanted besides those of a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Every frame at or after this time.
    From(Seconds),
    /// The first frame at or after each of these times, which rise; a frame comes once, however many it is the first
    /// of.
    At(Vec<Seconds>),
}

/// The sampled frames of one stream, in order of time; drop it to stop the decoder.
#[derive(Debug)]
pub struct Video {
    path: PathBuf,
    frames: Option<Receiver<Result<VideoFrame>>>,
    worker: JoinHandle<VideoReport>,
}

/// Begins to decode the video stream of `path` chosen by rule or `pick`.
///
/// Every frame is decoded; the first at or after each instant of the sampling grid is converted and handed out. Frames
/// before the origin are dropped.
///
/// # Errors
/// As [`super::probe`]; [`Error::NoStream`] when there is no video, [`Error::Media`] when the decoder cannot start.
/// Broken packets are no error but counted in the report.
pub fn video(path: &Path, sampling: Sampling, pick: StreamPick) -> Result<Video> {
    if !sampling.rate_hz.is_finite() || sampling.rate_hz < 0.0 {
        let what = format!("a sampling rate of {} Hz", sampling.rate_hz);
        return Err(Error::Usage { what, hint: "give 0 for every frame, or frames a second".into() });
    }
    film(path, SamplingGrid::new(sampling.rate_hz), sampling, pick)
}

/// As [`video`], of the frames that are wanted. Those before are decoded and not converted; where the container's index
/// allows it, decoding begins at a key frame shortly before the first.
///
/// # Errors
/// As [`video`].
pub fn video_of(path: &Path, wanted: Wanted, threads: DecodeThreads, pick: StreamPick) -> Result<Video> {
    let grid = match wanted {
        Wanted::From(start) => SamplingGrid::From(start.get()),
        Wanted::At(times) => SamplingGrid::At(times.into_iter().map(Seconds::get).collect()),
    };
    film(path, grid, Sampling { threads, ..Sampling::default() }, pick)
}

fn film(path: &Path, grid: SamplingGrid, sampling: Sampling, pick: StreamPick) -> Result<Video> {
    let source = OpenMedia::open(path, pick)?;
    let (stream, mut warnings) = source.probe.chosen(StreamKind::Video)?;
    let stream = stream.clone();
    let longest = bounds::longest_secs(path);
    let promised = Promised::of(&source.probe, &stream, longest);
    warnings.extend(promised.disbelieved());
    let sought = match &grid {
        SamplingGrid::From(start) => seek::before(path, pick, stream.index, *start),
        _ => None,
    };
    let (whole, source) = (sought.is_none(), sought.unwrap_or(source));
    let decoder = StreamDecoder::new(source, stream.index, sampling.threads.0)?;
    let (sender, frames) = sync_channel(sampling.ahead.max(1));
    let film = Film {
        path: path.to_path_buf(),
        report: VideoReport::blank(&stream, warnings),
        limit: last_believable(promised.longest()).min(longest),
        promised,
        decoder,
        flagged_interlaced: stream.video.as_ref().is_some_and(|v| v.interlaced),
        stream_orientation: stream.video.map(|v| v.orientation).unwrap_or_default(),
        grid,
        whole,
        converter: Converter::default(),
        deinterlacer: None,
        sender,
        shift: 0.0,
        jumps: 0,
        restart: Restart::default(),
        standing: Standing::default(),
        last_duration: 0.0,
        hole: None,
        holes: Holes::default(),
        backwards: 0,
    };
    let worker = std::thread::Builder::new().name("video".into()).spawn(move || film.run());
    let worker = worker.map_err(|e| Error::media(path, e))?;
    Ok(Video { path: path.to_path_buf(), frames: Some(frames), worker })
}

impl Iterator for Video {
    type Item = Result<VideoFrame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.frames.as_ref()?.recv().ok()
    }
}

impl Video {
    /// The report; called before the last frame it stops the decoder and tells what was decoded so far.
    ///
    /// # Errors
    /// [`Error::Media`] when the decoding thread broke down.
    pub fn finish(mut self) -> Result<VideoReport> {
        self.frames = None;
        self.worker.join().map_err(|_| Error::media(self.path, "the decoding thread broke down"))
    }
}

/// What goes with a frame through the deinterlacer.
struct FrameNotes {
    index: u64,
    pts: Seconds,
    sampled: bool,
    sar: f64,
    orientation: Orientation,
}

/// The reader went away: not an error, only the end of the work.
struct Stopped;

/// The decoding thread's state.
struct Film {
    path: PathBuf,
    report: VideoReport,
    promised: Promised,
    decoder: StreamDecoder,
    flagged_interlaced: bool,
    stream_orientation: Orientation,
    grid: SamplingGrid,
    /// Decoded from the film's beginning: only then does a count tell what is missing.
    whole: bool,
    converter: Converter,
    deinterlacer: Option<Deinterlacer<FrameNotes>>,
    sender: SyncSender<Result<VideoFrame>>,
    /// Jumps to time stamps after this are not believed.
    limit: f64,
    /// Seconds added to time stamps after a new clock.
    shift: f64,
    jumps: u32,
    restart: Restart,
    standing: Standing,
    last_duration: f64,
    /// The longest distance between frames.
    hole: Option<Segment>,
    holes: Holes,
    backwards: u64,
}

impl Film {
    fn run(mut self) -> VideoReport {
        let mut frame = frame::Video::empty();
        let mut stopped = false;
        while self.decoder.next(&mut frame) {
            if self.take(&mut frame).is_err() {
                stopped = true;
                break;
            }
        }
        if !stopped {
            stopped = self.flush_deinterlacer().is_err();
        }
        self.conclude(stopped)
    }

    /// One decoded frame: counted, and where due turned into a picture.
    fn take(&mut self, frame: &mut frame::Video) -> std::result::Result<(), Stopped> {
        let Some(pts) = self.pts(frame) else { return Ok(()) };
        let index = self.report.frames_decoded;
        let duration = self.decoder.span_secs(frame.packet().duration);
        // A frame that stands for a century says nothing of when the next one is due.
        self.count(pts, if pts.get() + duration <= self.limit { duration } else { 0.0 });
        // A clock that runs backwards would break the order of the tables; such frames are counted and not handed out.
        let sampled = self.report.last_pts.is_none_or(|last| pts > last || index == 0) && self.grid.takes(pts.get());
        self.report.last_pts = self.report.last_pts.max(Some(pts));
        let sar = self.decoder.sample_aspect(frame);
        let notes = FrameNotes { index, pts, sampled, sar, orientation: self.orientation(frame) };
        if index == 0 {
            self.describe(frame, &notes);
        }
        let interlaced = frame.is_interlaced() || self.flagged_interlaced;
        if interlaced || self.deinterlacer.is_some() {
            return self.deinterlace(frame, notes, interlaced);
        }
        self.show(frame, &notes)
    }

    /// Time since the origin; `None` for frames before it.
    fn pts(&mut self, frame: &frame::Video) -> Option<Seconds> {
        let last = self.report.last_pts.map(Seconds::get);
        let follows = last.map_or(0.0, |last| last + self.last_duration);
        let mut secs = match input::ticks(frame) {
            Some(ticks) => {
                let stamp = self.decoder.secs(ticks);
                if self.standing.stands(stamp, follows, self.last_duration) {
                    self.shift = follows - stamp;
                }
                stamp + self.shift
            }
            // No clock at all (raw streams): one frame after the other.
            None => follows,
        };
        if let Some(onto) = self.restart.onto(secs, last, follows, self.limit) {
            self.jumps += 1;
            if self.jumps <= MOST_JUMPS_TOLD {
                self.report.warnings.push(Warning::VideoClockRestart { stamp_secs: secs, placed_secs: onto });
            }
            self.shift += onto - secs;
            secs = onto;
        }
        (secs >= -ROUNDING_SECS).then(|| Seconds::of(secs.max(0.0)))
    }

    fn count(&mut self, pts: Seconds, duration: f64) {
        let r = &mut self.report;
        r.frames_decoded += 1;
        r.first_pts = r.first_pts.or(Some(pts));
        let declared = std::mem::replace(&mut self.last_duration, duration);
        let Some(last) = r.last_pts else { return };
        let Some(step) = Segment::new(last, pts).filter(|s| !s.is_empty()) else {
            self.backwards += 1;
            return;
        };
        self.holes.take(step, declared);
        r.shortest_secs = Some(r.shortest_secs.map_or(step.duration(), |s| s.min(step.duration())));
        if r.longest_secs.is_none_or(|l| step.duration() > l) {
            r.longest_secs = Some(step.duration());
            self.hole = Some(step);
        }
    }

    fn orientation(&self, frame: &frame::Video) -> Orientation {
        if self.stream_orientation != Orientation::default() {
            return self.stream_orientation;
        }
        let data = frame.side_data(frame::side_data::Type::DisplayMatrix);
        data.and_then(|d| input::matrix_of(d.data())).map(Orientation::from_matrix).unwrap_or_default()
    }

    fn describe(&mut self, frame: &frame::Video, notes: &FrameNotes) {
        let (w, h) = Shape::of(frame).square(notes.sar);
        let r = &mut self.report;
        (r.width, r.height) = if notes.orientation.swaps_sides() { (h, w) } else { (w, h) };
        (r.coded_width, r.coded_height) = (frame.width(), frame.height());
        (r.sar, r.orientation) = (notes.sar, notes.orientation);
        r.hdr = tonemap::is_hdr(frame);
    }

    fn deinterlace(
        &mut self,
        frame: &mut frame::Video,
        notes: FrameNotes,
        interlaced: bool,
    ) -> std::result::Result<(), Stopped> {
        self.report.interlaced = true;
        let shape = Shape::of(frame);
        if self.deinterlacer.as_ref().is_some_and(|d| d.shape() != shape) {
            self.flush_deinterlacer()?;
        }
        if interlaced {
            // SAFETY: a decoded frame of ours; the flag is a plain number the filter reads.
            unsafe { (*frame.as_mut_ptr()).interlaced_frame = 1 };
        }
        let made = match self.deinterlacer.take() {
            Some(d) => Ok(d),
            None => Deinterlacer::new(shape),
        };
        match made {
            Ok(mut d) => {
                let pushed = d.push(frame, notes);
                self.deinterlacer = Some(d);
                match pushed {
                    Ok(()) => self.pull_deinterlaced(),
                    Err(e) => self.fail("deinterlacing", e),
                }
            }
            // A format bwdif cannot take is better shown with its lines than not at all.
            Err(_) => self.show(frame, &notes),
        }
    }

    fn pull_deinterlaced(&mut self) -> std::result::Result<(), Stopped> {
        while let Some((mut frame, notes)) = self.deinterlacer.as_mut().and_then(Deinterlacer::pull) {
            self.show(&mut frame, &notes)?;
        }
        Ok(())
    }

    fn flush_deinterlacer(&mut self) -> std::result::Result<(), Stopped> {
        if let Some(d) = &mut self.deinterlacer
            && let Err(e) = d.end()
        {
            self.fail("deinterlacing", e)?;
        }
        let done = self.pull_deinterlaced();
        self.deinterlacer = None;
        done
    }

    fn show(&mut self, frame: &mut frame::Video, notes: &FrameNotes) -> std::result::Result<(), Stopped> {
        if !notes.sampled {
            return Ok(());
        }
        match self.converter.convert(frame, notes.sar, notes.orientation) {
            Ok(image) => {
                self.report.frames_sampled += 1;
                self.sender.send(Ok(VideoFrame { index: notes.index, pts: notes.pts, image })).map_err(|_| Stopped)
            }
            Err(e) => self.fail("converting to RGB", e),
        }
    }

    /// A failure of ours, not of the file's data: handed to the reader, and the end.
    fn fail(&mut self, doing: &str, e: ffmpeg::Error) -> std::result::Result<(), Stopped> {
        let _ = self.sender.send(Err(input::failure(&self.path, doing, e)));
        Err(Stopped)
    }

    fn conclude(mut self, stopped: bool) -> VideoReport {
        let r = &mut self.report;
        if let (Some(first), Some(last)) = (r.first_pts, r.last_pts) {
            let steps = r.frames_decoded.saturating_sub(1 + self.backwards);
            let mean = (steps > 0 && last > first).then(|| (last - first).get() / steps as f64);
            let duration = if self.last_duration > 0.0 { self.last_duration } else { mean.unwrap_or(0.0) };
            r.end = Some(last + Seconds::of(duration));
            r.avg_rate_hz = mean.map(|m| 1.0 / m);
        }
        r.decode_errors = self.decoder.errors.count();
        let name = StreamKind::Video.name();
        r.warnings.extend(self.decoder.errors.warnings(name));
        if let (Some(shortest), Some(longest)) = (r.shortest_secs, r.longest_secs) {
            // Matroska rounds to milliseconds; a fifth and two of them is more than that.
            r.vfr = longest > 1.2 * shortest && longest - shortest > 0.002;
            if r.vfr {
                r.warnings.push(Warning::VariableFrameRate { shortest_secs: shortest, longest_secs: longest });
            }
        }
        if self.backwards > 0 {
            r.warnings.push(Warning::VideoTimeOrder { frames: self.backwards });
        }
        r.warnings.extend(self.standing.warning());
        if let Some(why) = self.converter.no_tone_map.take() {
            r.warnings.push(Warning::HdrUntouched { why: why.to_string() });
        }
        if !stopped && self.whole {
            let reached = Reached {
                end_secs: r.end.map_or(0.0, Seconds::get),
                packets_end: self.decoder.packets_end,
                jumped: self.jumps > 0,
                miscounted: false,
                last_word: self.decoder.last_word.take(),
                frame_secs: r.avg_rate_hz.map_or(0.0, |rate| 1.0 / rate),
            };
            r.warnings.extend(self.holes.warnings(|hole| self.decoder.errors.overlaps(hole)));
            let by_count = || missing_frames(r, self.decoder.hidden_packets, self.hole);
            let missing = self.promised.missing(&reached).or_else(by_count);
            r.warnings.extend(missing);
        }
        self.report
    }
}
