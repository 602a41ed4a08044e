//! What a worker may take: time in which nothing moves, memory, lines of its log. Watched from outside, since a process
//! that hangs or eats memory cannot be asked to stop, and a limit that made an allocation fail inside would end in
//! half-decoded data instead of an error.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a worker is looked at.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// At most this counts of the time between two looks: a laptop that slept, or a run that was stopped and went on, is no
/// hang of the worker.
const MOST_A_LOOK: Duration = Duration::from_secs(1);

/// Share of the machine's memory that all workers together may take, in hundredths.
const SHARE: u64 = 80;

/// What a worker gets at least, however many there are: they do not all need the most at the same time.
const LEAST_BYTES: u64 = 2 << 30;

/// What a worker may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Time without any work done (see [`crate::pulse`]); whatever it prints meanwhile is no work.
    pub stall: Duration,
    /// Memory of its own: what is mapped from files is not counted, what was swapped out is. `None`: as much as there
    /// is.
    pub memory_bytes: Option<u64>,
}

/// Why a worker has to be ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Overrun {
    /// Nothing moved for too long.
    Still,
    /// Bytes held.
    Memory(u64),
}

/// The watch over one interview.
#[derive(Debug)]
pub(super) struct Watch {
    limits: Limits,
    process: u32,
    beats: u64,
    still: Duration,
    looked: Instant,
}

impl Watch {
    pub fn new(limits: Limits, process: u32) -> Self {
        Watch { limits, process, beats: 0, still: Duration::ZERO, looked: Instant::now() }
    }

    /// The worker says how much it has done; saying the same again is not going on.
    pub fn worked(&mut self, beats: u64) {
        if beats > self.beats {
            self.beats = beats;
            self.still = Duration::ZERO;
        }
    }

    /// Looks, unless it did so just now.
    pub fn look(&mut self) -> Option<Overrun> {
        let passed = self.looked.elapsed();
        if passed < TICK {
            return None;
        }
        self.looked = Instant::now();
        self.still += passed.min(MOST_A_LOOK);
        if self.still >= self.limits.stall {
            return Some(Overrun::Still);
        }
        let (limit, held) = (self.limits.memory_bytes?, memory_of(self.process)?);
        (held > limit).then_some(Overrun::Memory(held))
    }
}

/// Memory of a process in bytes, swapped or not, without what is mapped from files; `None` when it is gone.
#[cfg(target_os = "linux")]
fn memory_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let held = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let kib: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
        ["RssAnon", "RssShmem", "VmSwap"].contains(&name).then_some(kib << 10)
    };
    Some(status.lines().filter_map(held).sum())
}

/// Resident memory of a process in bytes, as `ps` tells it on every Unix; `None` when it is gone or there is no `ps`.
#[cfg(not(target_os = "linux"))]
fn memory_of(process: u32) -> Option<u64> {
    let told = std::process::Command::new("ps").args(["-o", "rss=", "-p", &process.to_string()]).output().ok()?;
    String::from_utf8(told.stdout).ok()?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// What each of `jobs` workers may take of this machine: four fifths of its memory, or of what its control group
/// leaves, shared out, but 2 GiB at least where there are so many. `None` where the machine does not tell.
pub fn default_memory_limit(jobs: usize) -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total =
        meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"))?.trim().strip_suffix(" kB")?.parse::<u64>().ok()?
            << 10;
    Some(share(total.min(group_limit(&groups, Path::new("/sys/fs/cgroup")).unwrap_or(u64::MAX)), jobs))
}

fn share(total: u64, jobs: usize) -> u64 {
    let all = total / 100 * SHARE;
    (all / (jobs.max(1) as u64)).max(LEAST_BYTES.min(all))
}

/// The least of the limits of this process' control group and those around it, of either version; `groups` is
/// `/proc/self/cgroup`.
fn group_limit(groups: &str, root: &Path) -> Option<u64> {
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (base, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            c if c.split(',').any(|c| c == "memory") => (root.join("memory"), "memory.limit_in_bytes"),
            _ => continue,
        };
        let here = base.join(path.trim_start_matches('/'));
        for folder in here.ancestors().take_while(|f| f.starts_with(&base)) {
            // "max" is no limit.
            let limit = std::fs::read_to_string(folder.join(file)).ok().and_then(|text| text.trim().parse().ok());
            least = least.into_iter().chain(limit).min();
        }
    }
    least
}

/// Gives `each` the lines of `input`, of which only the first `most` bytes are kept, until it answers false. What is no
/// UTF-8 is replaced.
pub(super) fn lines(input: impl Read, most: usize, mut each: impl FnMut(String) -> bool) {
    let mut input = BufReader::new(input);
    let mut line: Vec<u8> = Vec::new();
    let mut tell = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
        line.clear();
        each(text)
    };
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|b| *b == b'\n');
                let text = &bytes[..end.unwrap_or(bytes.len())];
                line.extend_from_slice(&text[..text.len().min(most - line.len().min(most))]);
                (end.map_or(bytes.len(), |e| e + 1), end.is_some())
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        input.consume(used);
        if ended && !tell(&mut line) {
            return;
        }
    }
    if !line.is_empty() {
        tell(&mut line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8], most: usize) -> Vec<String> {
        let mut all = Vec::new();
        lines(text, most, |line| {
            all.push(line);
            true
        });
        all
    }

    #[test]
    fn a_line_without_an_end_is_kept_in_part_and_the_next_one_is_whole() {
        assert_eq!(of(b"one\r\n\ntwo", 9), ["one", "", "two"]);
        let mut long = vec![b'x'; 1 << 20];
        long.extend(b"\nnext\nno \xff text\n");
        assert_eq!(of(&long, 5), ["xxxxx", "next", "no \u{fffd} "]);
        assert_eq!(of(b"", 5).len(), 0);
    }

    #[test]
    fn the_same_beat_again_is_no_progress() {
        let limits = Limits { stall: Duration::from_millis(1500), memory_bytes: None };
        let mut watch = Watch::new(limits, std::process::id());
        let mut looks = |moves: bool| {
            (1..20u64).find(|n| {
                std::thread::sleep(TICK);
                watch.worked(if moves { 100 + n } else { 100 });
                watch.look().is_some()
            })
        };
        assert_eq!(looks(true), None);
        assert!(looks(false).is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_of_ones_own_is_measured_and_a_gone_process_has_none() {
        let before = memory_of(std::process::id()).unwrap();
        let held = vec![1u8; 200 << 20];
        let after = memory_of(std::process::id()).unwrap();
        assert!(std::hint::black_box(&held)[5] == 1 && after > before + (150 << 20), "{before} {after}");
        assert_eq!(memory_of(u32::MAX), None);
    }

    #[test]
    fn the_tightest_group_counts_and_workers_share_what_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("a/memory.max", "8589934592\n");
        put("a/b/memory.max", "max\n");
        put("memory/c/memory.limit_in_bytes", "4294967296\n");
        assert_eq!(group_limit("0::/a/b\n", folder.path()), Some(8 << 30));
        assert_eq!(group_limit("5:cpu:/a\n4:memory:/c/d\n0::/a/b\n", folder.path()), Some(4 << 30));
        assert_eq!(group_limit("0::/x\n", folder.path()), None);
        assert_eq!(share(100 << 30, 4), (100 << 30) / 100 * 20);
        assert_eq!(share(8 << 30, 16), 2 << 30);
        assert!(share(1 << 30, 16) < 1 << 30);
        assert!(cfg!(not(target_os = "linux")) || default_memory_limit(1).is_some_and(|b| b > 100 << 20));
    }
}
