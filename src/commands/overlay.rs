//! `turnwise overlay`: the film with what was measured drawn on it, and contact sheets.

use std::path::Path;

use anyhow::Result;
use turnwise::error::Error;
use turnwise::overlay::{Interview, Overlay};
use turnwise::pipeline::{Recorded, recorded};
use turnwise::text::counted;

use super::{keep_apart, must_be_there};
use crate::cli;

/// Encoders whose pictures not every browser plays.
const NOT_EVERYWHERE: &str = "mpeg4";

/// Draws, and tells what was written.
pub fn run(args: &cli::Overlay) -> Result<String> {
    must_be_there(&args.out)?;
    if let Some(until) = args.until.filter(|until| *until <= args.from) {
        let what = format!("--until {until} is not behind --from {}", args.from);
        return Err(Error::Usage { what, hint: "give times of the recording, the first one earlier".into() }.into());
    }
    let interview = Interview::find(&args.out, args.interview.as_deref())?;
    let media = interview.locate(&args.out, args.media.as_deref())?;
    check(&args.out, &interview, "media", &media)?;
    if let Some(audio) = &args.audio {
        turnwise::file::check(audio)?;
        check(&args.out, &interview, "audio", audio)?;
    } else if recorded(&args.out, &interview.id, "audio", &media)? != Recorded::Nothing {
        tracing::warn!(
            "the voices of {} were heard in a file of their own; the film gets the sound of {} instead, name the other \
             with --audio",
            interview.id,
            interview.media
        );
    }
    for output in args.to.iter().chain(&args.contact_sheet) {
        for input in [Some(&media), args.audio.as_ref()].into_iter().flatten() {
            keep_apart(input, output)?;
        }
    }
    let overlay = Overlay {
        interview: &interview,
        media: &media,
        sound: args.audio.as_deref(),
        from: args.from,
        until: args.until,
        fonts: &args.fonts,
    };
    let mut told = String::new();
    if let Some(to) = &args.to {
        told += &film(&overlay, to)?;
    }
    if let Some(to) = &args.contact_sheet {
        told += &sheets(&overlay, to, args.every)?;
    }
    Ok(told)
}

fn film(overlay: &Overlay<'_>, to: &Path) -> Result<String> {
    let made = overlay.film(to)?;
    if made.encoder == NOT_EVERYWHERE {
        tracing::warn!(
            "this FFmpeg has no encoder that browsers play in this container (libx264, libvpx-vp9): the film is MPEG-4 \
             part 2, which players such as VLC and mpv play"
        );
    }
    let sound = match made.sound.as_deref() {
        None => "no sound".to_owned(),
        Some("copied") => "sound copied".to_owned(),
        Some(encoder) => format!("sound by {encoder}, as it was heard, in one channel"),
    };
    let pictures = counted(made.pictures as usize, "picture");
    Ok(format!("{}\n{pictures} in {:.3} s by {}, {sound}\n", to.display(), made.secs, made.encoder))
}

fn sheets(overlay: &Overlay<'_>, to: &Path, every: Option<f64>) -> Result<String> {
    let made = overlay.contact_sheet(to, every)?;
    if made.without > 0 {
        tracing::warn!("{} behind the film's end, of which there is no picture", counted(made.without, "moment"));
    }
    let files: String = made.files.iter().map(|file| format!("{}\n", file.display())).collect();
    Ok(format!("{files}{}\n", counted(made.stills, "still")))
}

/// Refuses a file that the tables were not made from: boxes would stand where nobody is.
fn check(out: &Path, interview: &Interview, role: &'static str, file: &Path) -> Result<()> {
    match recorded(out, &interview.id, role, file)? {
        Recorded::Same => {}
        Recorded::Nothing if role == "media" => {
            tracing::warn!("nothing tells whether {} is the file that the tables were made from", file.display());
        }
        Recorded::Nothing => {
            let what = format!("{} was extracted without an audio file of its own", interview.id);
            return Err(Error::Usage { what, hint: "leave --audio out".into() }.into());
        }
        Recorded::Other => {
            let what = format!("{} is not the file that the tables of {} were made from", file.display(), interview.id);
            let hint = "name that one with --media, or extract again".to_owned();
            return Err(Error::Usage { what, hint }.into());
        }
    }
    Ok(())
}
