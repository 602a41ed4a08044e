//! What leaves a run, and who may read it: nothing over a network, nothing outside the folders that were named, no file
//! for other users, no path of the machine in a table.

// Linux's own: strace, modes, /proc.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::stage::{Stage, sample};
use turnwise::store::read::{StoredTable, read, read_metadata};

const CUES: &str =
    "1\n00:00:00,000 --> 00:00:01,000\nANNA: and so\n\n2\n00:00:01,000 --> 00:00:02,000\nBEN: we began\n";

/// Calls that reach out, or wait to be reached. Pairs of sockets (`socketpair`) join a process with its child.
const REACHING: [&str; 7] = ["socket", "connect", "bind", "listen", "accept", "accept4", "sendto"];

/// Calls that change a file or folder by its name.
const CHANGING: [&str; 20] = [
    "creat",
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "rmdir",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "truncate",
    "chmod",
    "fchmodat",
    "chown",
    "utimensat",
];

/// What only programs read that look for a host or for who is there.
const TELLING: [&str; 6] =
    ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/passwd", "/etc/machine-id", "/var/lib/dbus"];

/// Runs the program under strace, HOME an empty folder, and tells what it did against the rules.
fn trespasses(stage: &Stage, arguments: &[&str], loads_runtime: bool) -> Vec<String> {
    let (home, tmp, trace) = (stage.path("home"), stage.path("tmp"), stage.path("trace"));
    for folder in [&home, &tmp] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let inner = stage.command(arguments);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-y", "-s", "4096", "-e", "trace=%network,%file", "-e", "signal=none", "-o"]).arg(&trace);
    traced.arg(inner.get_program()).args(inner.get_args()).current_dir(inner.get_current_dir().unwrap());
    for (name, value) in inner.get_envs().filter_map(|(n, v)| Some((n, v?))) {
        traced.env(name, value);
    }
    for name in
        ["RUST_LOG", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"]
    {
        traced.env_remove(name);
    }
    let ended = traced.env("HOME", &home).env("TMPDIR", &tmp).stdin(Stdio::null()).output();
    let ended = ended.unwrap_or_else(|e| {
        panic!("this test needs strace, and it cannot be started ({e}): apt-get install strace, or make apt")
    });
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{arguments:?} under strace (which needs the right to trace, ptrace): {told}");
    let trace = std::fs::read_to_string(&trace).unwrap();
    assert!(!loads_runtime || trace.contains("libonnxruntime"), "the runtime is not loaded at all: nothing is shown");
    assert!(trace.contains("openat("), "strace tells nothing");

    let allowed = [std::fs::canonicalize(stage.path("out")).unwrap_or_else(|_| stage.path("out")), tmp];
    let mut found: Vec<String> =
        trace.lines().filter(|line| is_trespass(line, &allowed, &home, &stage.path(""))).map(str::to_owned).collect();
    found.extend(std::fs::read_dir(&home).unwrap().map(|e| format!("left in HOME: {}", e.unwrap().path().display())));
    found
}

fn is_trespass(line: &str, allowed: &[PathBuf], home: &Path, here: &Path) -> bool {
    let call = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let Some((name, rest)) = call.split_once('(') else { return false };
    if REACHING.contains(&name) {
        return true;
    }
    let named: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    if named.iter().any(|n| TELLING.iter().any(|t| n.starts_with(t)))
        || named.iter().any(|n| Path::new(n).starts_with(home))
    {
        return name != "readlink" && name != "newfstatat" && name != "statx";
    }
    let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| rest.contains(flag));
    if !(CHANGING.contains(&name) || (name.starts_with("open") && writes)) {
        return false;
    }
    let may = |n: &&str| {
        let path = here.join(n);
        allowed.iter().any(|folder| path.starts_with(folder))
            || ["/dev/null", "/dev/tty", "/proc/self/oom_score_adj"].contains(n)
    };
    !named.iter().all(may)
}

#[test]
fn nothing_reaches_out_and_nothing_is_written_elsewhere() {
    let stage = Stage::new();
    stage.clip("talk.mp4");
    stage.write("talk.srt", CUES);
    let commands: [(&[&str], bool); 5] = [
        (&["extract", "talk.mp4", "--transcript", "talk.srt", "--out", "out"], true),
        (&["faces", "talk.mp4", "--out", "out/faces", "--crops", "out/crops", "--overlay", "out/look.mp4"], true),
        (&["diarize", "talk.mp4", "--rttm", "out/talk.rttm"], true),
        (&["voice", "talk.mp4", "--out", "out/voice"], false),
        (&["doctor"], true),
    ];
    for (arguments, loads_runtime) in commands {
        let found = trespasses(&stage, arguments, loads_runtime);
        assert!(found.is_empty(), "{arguments:?}:\n{}", found.join("\n"));
    }
}

/// Paths with their modes.
type Modes = Vec<(PathBuf, u32)>;

/// Modes of all files and of all folders below one, itself included.
fn modes(root: &Path) -> (Modes, Modes) {
    let (mut files, mut folders, mut left) = (Vec::new(), Vec::new(), vec![root.to_owned()]);
    while let Some(path) = left.pop() {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        if path.is_dir() {
            folders.push((path.clone(), mode));
            left.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else {
            files.push((path, mode));
        }
    }
    (files, folders)
}

/// The program with a umask of the shell's.
fn with_umask(stage: &Stage, umask: &str, arguments: &[&str]) {
    let inner = stage.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("umask {umask}; exec \"$0\" \"$@\"")]).arg(inner.get_program()).args(inner.get_args());
    shell.current_dir(inner.get_current_dir().unwrap()).env("TURNWISE_MODELS", crate::stage::models());
    let ended = shell.output().unwrap();
    assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn what_is_written_is_the_owners_unless_it_is_shared_with_the_group() {
    let stage = Stage::new();
    stage.cut("talk.wav", "25", "2", &["-vn", "-c:a", "pcm_s16le"]);
    stage.clip("talk.mp4");
    let check = |folder: &str, file_mode: u32, folder_mode: u32| {
        let (files, folders) = modes(&stage.path(folder));
        assert!(files.len() > if folder == "mine" { 3 } else { 0 }, "{files:?}");
        for (path, mode) in files {
            assert_eq!(mode, file_mode, "{} is {mode:o}", path.display());
        }
        for (path, mode) in folders {
            assert_eq!(mode, folder_mode, "{} is {mode:o}", path.display());
        }
    };
    with_umask(&stage, "022", &["extract", "talk.wav", "--out", "mine"]);
    with_umask(&stage, "022", &["voice", "talk.wav", "--out", "mine/csv", "--format", "csv"]);
    with_umask(
        &stage,
        "022",
        &["faces", "talk.mp4", "--out", "mine/f", "--crops", "mine/c", "--overlay", "mine/o/look.mp4"],
    );
    with_umask(&stage, "022", &["diarize", "talk.wav", "--rttm", "mine/r/talk.rttm"]);
    check("mine", 0o600, 0o700);
    with_umask(&stage, "022", &["--share", "group", "extract", "talk.wav", "--out", "ours"]);
    check("ours", 0o660, 0o770);
    with_umask(&stage, "027", &["extract", "talk.wav", "--out", "read", "--share=group"]);
    check("read", 0o640, 0o750);
    with_umask(&stage, "077", &["extract", "talk.wav", "--out", "kept", "--share=group"]);
    check("kept", 0o600, 0o700);
    // A member who does not say so again leaves the group's folder as it is.
    with_umask(&stage, "022", &["extract", "talk.wav", "--out", "ours", "--force"]);
    check("ours", 0o660, 0o770);
    let opened = stage.run(&["extract", "talk.wav", "--out", "mine", "--share", "group"]);
    opened.line("mine was made for its owner alone; to open what is there already: chmod -R g+rwX mine");
}

/// Every text of a table and of its metadata.
fn texts(table: &StoredTable) -> String {
    format!("{:?} {:?}", table.schema(), table.columns())
}

/// All tables below a folder, and its plain files.
fn all_texts(stage: &Stage, folder: &str) -> Vec<(String, String)> {
    let (files, _) = modes(&stage.path(folder));
    files
        .into_iter()
        .map(|(path, _)| {
            let parquet = path.extension().is_some_and(|e| e == "parquet");
            let text = if parquet {
                texts(&read(&path).unwrap())
            } else {
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
            };
            (path.display().to_string(), text)
        })
        .collect()
}

#[test]
fn no_table_tells_where_anything_lies_and_the_recipe_is_known_by_what_is_enrolled() {
    let stage = Stage::new();
    let root = std::fs::canonicalize(stage.path("")).unwrap();
    let corpus = |name: &str| root.join("anna's corpus").join(name);
    std::fs::create_dir(corpus("")).unwrap();
    stage.cut("anna's corpus/media/talk.wav", "25", "3", &["-vn", "-c:a", "pcm_s16le"]);
    stage.cut("anna's corpus/voices/Ken.wav", "20", "4", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("anna's corpus/noise.mp4", &"this is no film\n".repeat(100));
    stage.write("anna's corpus/bad.srt", "1\n00:00:02,000 --> 00:00:01,000\nbackwards\n");
    let absolute = corpus("media/talk.wav");
    let csv = format!(
        "interview_id,media,transcript\nwell,media/talk.wav,\nabsolute,\"{}\",\nnoise,noise.mp4,\ncue,media/talk.wav,bad.srt\ngone,media/gone.wav,\n",
        absolute.display()
    );
    stage.write("anna's corpus/corpus.csv", &csv);
    let (manifest, voices) = (corpus("corpus.csv"), corpus("voices"));
    let out = root.join("anna's out");
    let extract =
        ["extract", manifest.to_str().unwrap(), "--out", out.to_str().unwrap(), "--enrol", voices.to_str().unwrap()];
    let told = stage.run(&extract);
    assert_eq!(told.code, 1, "{}", told.err);
    let forbidden = [root.to_str().unwrap(), "anna's", sample("ted_talk.mp4").to_str().unwrap()].map(str::to_owned);
    let texts = all_texts(&stage, "anna's out");
    assert!(texts.len() > 10, "{} files", texts.len());
    for (path, text) in texts {
        for word in &forbidden {
            assert!(!text.contains(word), "{path} tells {word}: {text}");
        }
    }
    let all = read(&out.join("interviews.parquet")).unwrap();
    let row = |id: &str| (0..all.rows()).find(|&r| all.text("interview_id", r) == Some(id)).unwrap();
    assert_eq!(all.text("media", row("well")), Some("media/talk.wav"));
    assert_eq!(all.text("media", row("absolute")), Some("talk.wav"));
    assert!(all.text("error", row("noise")).unwrap().starts_with("cannot read media noise.mp4: "));
    assert!(
        all.text("error", row("cue")).unwrap().starts_with("bad.srt:3: ")
            || all.text("error", row("cue")).unwrap().starts_with("bad.srt:")
    );
    assert!(all.text("error", row("gone")).unwrap().starts_with("cannot read media/gone.wav: "));

    // Elsewhere the same voices are the same recipe, other voices under the same name another.
    let hash = || read_metadata(&out.join("interviews/well.parquet")).unwrap().metadata.recipe_hash;
    let before = hash();
    std::fs::rename(&voices, root.join("voices")).unwrap();
    let moved = root.join("voices");
    let again =
        ["extract", manifest.to_str().unwrap(), "--out", out.to_str().unwrap(), "--enrol", moved.to_str().unwrap()];
    stage.run(&again).line("2 already done");
    assert_eq!(before, hash());
    stage.cut("voices/Ken.wav", "30", "4", &["-vn", "-c:a", "pcm_s16le"]);
    stage.run(&again).line("2 done, 0 already done");
    assert_ne!(before, hash());
}

#[test]
fn a_workers_command_line_tells_nothing_of_the_recipe_and_takes_any_folder() {
    let stage = Stage::new();
    stage.clip("talk.mp4");
    stage.cut("known/Ken.wav", "20", "4", &["-vn", "-c:a", "pcm_s16le"]);
    let mut parent = stage.command(&[
        "extract",
        "talk.mp4",
        "--out=-o",
        "--enrol",
        "known",
        "--set",
        "face.rate_hz=25",
        "--set=face.landmarks=true",
    ]);
    let mut parent = parent.stderr(Stdio::piped()).spawn().unwrap();
    let line = crate::stage::wait_for("the worker", || {
        let pid = *crate::stage::children(parent.id()).first()?;
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(" worker ").then_some(line)
    });
    assert!(line.contains("--out=-o") && !line.contains("known") && !line.contains("rate_hz"), "{line}");
    assert!(parent.wait().unwrap().success());
    assert!(stage.path("-o/turns/talk.parquet").is_file());
}
