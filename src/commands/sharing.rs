//! Who may read what this program writes: one setting of the process, which holds for every file and folder that it or
//! its workers make, whichever library makes them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use libc::mode_t;

use crate::cli::{Cli, Command, Share};

/// Others get nothing, the group neither.
const OWNER_ALONE: mode_t = 0o077;
/// Others get nothing.
const GROUP: mode_t = 0o007;
/// What most systems begin with: writing is for the owner. Nobody has thought of a lab's group there, so asking for it
/// goes before.
const USUAL: mode_t = 0o022;

/// Who may read: as asked for; else as in the folder that the run goes on in, so that one member's run does not close
/// it to the others.
pub fn of(cli: &Cli) -> Share {
    match (&cli.command, cli.share) {
        (_, Some(share)) => share,
        (Command::Extract(args), None) if is_open_to_group(&args.out) => Share::Group,
        (_, None) => Share::Owner,
    }
}

/// True for a folder whose group may list it and write into it.
pub fn is_open_to_group(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|there| there.is_dir() && there.permissions().mode() & 0o070 == 0o070)
}

/// The umask for the one that was found: what that keeps back stays kept back.
fn umask(found: mode_t, share: Share) -> mode_t {
    match share {
        Share::Owner => found | OWNER_ALONE,
        Share::Group if found == USUAL => GROUP,
        Share::Group => found | GROUP,
    }
}

/// Sets the process's umask; called once, before anything is made.
pub fn set(share: Share) {
    // SAFETY: both calls have no preconditions and cannot fail.
    unsafe {
        let found = libc::umask(OWNER_ALONE);
        libc::umask(umask(found, share));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stricter_umask_holds() {
        let files = |found, share| 0o666 & !umask(found, share);
        for found in [0, 0o002, 0o022, 0o027, 0o077] {
            assert_eq!(files(found, Share::Owner), 0o600);
        }
        assert_eq!(files(0o777, Share::Owner), 0);
        assert_eq!(
            (files(0, Share::Group), files(0o002, Share::Group), files(0o022, Share::Group)),
            (0o660, 0o660, 0o660)
        );
        assert_eq!((files(0o027, Share::Group), files(0o077, Share::Group)), (0o640, 0o600));
    }
}
