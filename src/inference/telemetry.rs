//! ONNX Runtime's telemetry, switched off before the library can be loaded.
//!
//! The library looks at one variable of the environment when it is loaded: without it, it asks for a collector's
//! address and keeps a device id and a queue of events, the program's path among them, in the user's cache folder.
//! `with_telemetry(false)` comes too late for that.

use std::ffi::CStr;

const VARIABLE: &CStr = c"ORT_DISABLE_TELEMETRY";
const OFF: &CStr = c"1";

/// Runs while the program is loaded, before `main`: there is no other thread that could read the environment while it
/// is changed, whoever links this library (program, tests, benches, other programs).
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
#[used]
#[unsafe(link_section = ".init_array")]
static SWITCH_OFF: extern "C" fn() = switch_off;
#[cfg(target_vendor = "apple")]
#[used]
#[unsafe(link_section = "__DATA,__mod_init_func")]
static SWITCH_OFF: extern "C" fn() = switch_off;

#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")),
    expect(dead_code)
)]
extern "C" fn switch_off() {
    // SAFETY: two NUL-terminated constants; the process has one thread yet. It goes over whatever the user has set:
    // nothing that was heard or seen may leave the machine, nor who heard it.
    unsafe { libc::setenv(VARIABLE.as_ptr(), OFF.as_ptr(), 1) };
}

/// Refuses to load the library where the switch is not set: then the program was linked in a way that leaves
/// [`SWITCH_OFF`] out, or something has taken the variable away since.
pub(super) fn must_be_off() -> Result<(), String> {
    let name = VARIABLE.to_string_lossy();
    if std::env::var_os(&*name).is_some_and(|v| v == "1") {
        return Ok(());
    }
    Err(format!("its telemetry is not switched off: set {name}=1 in the environment before the program starts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_off_before_anything_runs_and_for_every_child() {
        must_be_off().unwrap();
        let told =
            std::process::Command::new("sh").args(["-c", "printf %s \"$ORT_DISABLE_TELEMETRY\""]).output().unwrap();
        assert_eq!(told.stdout, b"1");
    }
}
