//! FFmpeg's own log: kept off the terminal, sent to `tracing`, and its error lines kept for messages of ours.

use std::cell::RefCell;
use std::collections::VecDeque;

use ffmpeg_next::util::log;

/// Error lines kept a thread: enough for a cause, bounded for a broken file.
const KEPT: usize = 8;

thread_local! {
    static LINES: RefCell<VecDeque<String>> = const { RefCell::new(VecDeque::new()) };
}

/// Takes FFmpeg's log over; called once.
pub(super) fn install() {
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        log::set_level(log::Level::Warning);
        // SAFETY: the callback has the signature FFmpeg expects on this target, lives for ever, and may run on any
        // thread.
        unsafe { ffmpeg_next::ffi::av_log_set_callback(Some(capture::on_line)) };
    }
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    log::set_level(log::Level::Quiet);
}

/// The newest error lines of this thread, oldest first; forgets them.
pub(super) fn take() -> Vec<String> {
    LINES.with_borrow_mut(|lines| lines.drain(..).collect())
}

#[cfg_attr(not(all(target_arch = "x86_64", unix)), expect(dead_code, reason = "va_list has another type there"))]
fn keep(line: &str) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    LINES.with_borrow_mut(|lines| {
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(line.to_owned());
    });
}

// `va_list` differs between targets; elsewhere FFmpeg is simply silenced.
#[cfg(all(target_arch = "x86_64", unix))]
mod capture {
    use std::ffi::{CStr, c_char, c_int, c_void};

    use ffmpeg_next::ffi;

    pub(super) unsafe extern "C" fn on_line(
        source: *mut c_void,
        level: c_int,
        format: *const c_char,
        args: *mut ffi::__va_list_tag,
    ) {
        // The low byte is the level, the rest a tint.
        let level = level & 0xff;
        if level > ffi::AV_LOG_WARNING {
            return;
        }
        let mut line = [0 as c_char; 512];
        let mut prefix: c_int = 0;
        // SAFETY: FFmpeg hands source, format and args that belong together; the line is cut to the buffer and ends in
        // NUL.
        let text = unsafe {
            ffi::av_log_format_line2(
                source,
                level,
                format,
                args,
                line.as_mut_ptr(),
                line.len() as c_int,
                &raw mut prefix,
            );
            CStr::from_ptr(line.as_ptr())
        };
        let text = text.to_string_lossy();
        tracing::debug!(target: "ffmpeg", "{}", text.trim());
        if level <= ffi::AV_LOG_ERROR {
            super::keep(&text);
        }
    }
}
