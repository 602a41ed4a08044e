//! The program where it was installed: which models it finds, how it fetches them, and the manifest it begins with.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::{Stage, models};

const SRT: &str =
    "1\n00:00:01,000 --> 00:00:02,000\nAnna: hello there\n\n2\n00:00:02,500 --> 00:00:04,000\nBo: hello\n";

/// The program in `prefix/bin` of the stage, called through a link in a folder of its own, with a home of its own.
struct Installed<'a> {
    stage: &'a Stage,
    link: PathBuf,
}

impl<'a> Installed<'a> {
    fn new(stage: &'a Stage) -> Self {
        for folder in ["prefix/bin", "links", "home", "work"] {
            fs::create_dir_all(stage.path(folder)).unwrap();
        }
        let program = stage.path("prefix/bin/turnwise");
        let built = env!("CARGO_BIN_EXE_turnwise");
        fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).unwrap();
        stage.write("work/a.wav", "no sound: if it were opened, the message would be another");
        let link = stage.path("links/turnwise");
        symlink(&program, &link).unwrap();
        Installed { stage, link }
    }

    /// Exit code and all that was told.
    fn run(&self, arguments: &[&str], variables: &[(&str, &Path)]) -> (i32, String) {
        let mut command = Command::new(&self.link);
        command.args(arguments).current_dir(self.stage.path("work")).env("HOME", self.stage.path("home"));
        for name in ["TURNWISE_MODELS", "XDG_DATA_HOME", "RUST_LOG", "ORT_DYLIB_PATH", "TURNWISE_PYTHON"] {
            command.env_remove(name);
        }
        let ended = command.envs(variables.iter().copied()).output().unwrap();
        let text = [ended.stdout, ended.stderr].concat();
        (ended.status.code().unwrap_or(-1), String::from_utf8(text).unwrap())
    }

    /// A folder of links to the models, but for `without`.
    fn models_in(&self, folder: &str, without: &[&str]) -> PathBuf {
        let folder = self.stage.path(folder);
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(models()).unwrap().map(|e| e.unwrap().path().canonicalize().unwrap()) {
            let name = file.file_name().unwrap().to_str().unwrap();
            if !without.contains(&name) && !name.ends_with("toml") {
                symlink(&file, folder.join(name)).unwrap();
            }
        }
        folder
    }

    fn doctor_finds(&self, folder: &Path, variables: &[(&str, &Path)]) -> String {
        let (code, told) = self.run(&["doctor"], variables);
        assert_eq!(code, 0, "{told}");
        assert!(told.contains(&format!("present in {}\n", folder.display())), "{folder:?}: {told}");
        told
    }
}

#[test]
fn models_are_found_beside_the_real_program_then_in_the_users_data() {
    let stage = Stage::new();
    let installed = Installed::new(&stage);
    let (code, told) = installed.run(&["doctor"], &[]);
    let data = stage.path("home/.local/share/turnwise/models");
    assert!(code == 1 && told.contains(&format!("{}: no such folder", data.display())), "{told}");
    let (_, told) = installed.run(&["extract", "a.wav", "--out", "out"], &[]);
    assert!(told.contains("turnwise models fetch") && told.contains(&data.display().to_string()), "{told}");

    installed.models_in("home/.local/share/turnwise/models", &[]);
    installed.doctor_finds(&data, &[]);
    // A whole folder goes before one with some of the files, whatever their order.
    let beside = installed.models_in("prefix/share/turnwise/models", &["swift_f0.onnx"]);
    let told = installed.doctor_finds(&data, &[]);
    let all = include_str!("../onnx/models.toml").matches("\ndefault = true\n").count();
    assert!(told.contains(&format!("{}: {} of {all}", beside.display(), all - 1)), "{told}");
    fs::remove_dir_all(&beside).unwrap();
    installed.models_in("prefix/share/turnwise/models", &[]);
    installed.doctor_finds(&beside, &[]);

    let other = installed.models_in("other", &[]);
    let told = installed.doctor_finds(&other, &[("TURNWISE_MODELS", &other)]);
    assert!(told.contains("the folder that TURNWISE_MODELS names"), "{told}");
    let (_, told) = installed.run(&["doctor", "--models", other.to_str().unwrap()], &[]);
    assert!(told.contains("the folder that --models names"), "{told}");
    let xdg = stage.path("xdg");
    fs::remove_dir_all(&beside).unwrap();
    installed.models_in("xdg/turnwise/models", &[]);
    installed.doctor_finds(&xdg.join("turnwise/models"), &[("XDG_DATA_HOME", &xdg)]);
}

#[test]
fn the_runtime_of_the_python_package_serves_where_the_models_folder_has_none() {
    let stage = Stage::new();
    let installed = Installed::new(&stage);
    let folder = installed.models_in("prefix/models", &["libonnxruntime.so"]);
    let (code, told) = installed.run(&["doctor"], &[]);
    assert!(code == 1 && told.contains("ONNX Runtime  NOT FOUND"), "{told}");
    let capi = stage.path("prefix/lib/python3.11/site-packages/onnxruntime/capi");
    fs::create_dir_all(&capi).unwrap();
    let library = capi.join("libonnxruntime.so.1.32.0");
    symlink(models().join("libonnxruntime.so").canonicalize().unwrap(), &library).unwrap();
    let told = installed.doctor_finds(&folder, &[]);
    assert!(told.contains(&format!("\n              {}\n", library.display())), "{told}");
    assert_eq!(installed.run(&["models"], &[]).0, 0);
    // Its bytes are checked as those of any other.
    fs::remove_file(&library).unwrap();
    fs::write(&library, "another").unwrap();
    let (code, told) = installed.run(&["extract", "a.wav", "--out", "out"], &[]);
    assert!(code == 1 && told.contains("ONNX Runtime is altered"), "{told}");
}

/// A Python of the test's: it notes its arguments, looks for the scripts, and makes what `body` makes.
fn python(stage: &Stage, body: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}/called\nls \"$(dirname \"$1\")\" > {0}/scripts\n{body}\n",
        stage.path("").display()
    );
    let path = stage.write("python", &script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn fetching_runs_the_carried_scripts_and_looks_at_what_they_made() {
    let stage = Stage::new();
    let installed = Installed::new(&stage);
    let none = stage.path("nowhere/python");
    let (code, told) = installed.run(&["models", "fetch"], &[("TURNWISE_PYTHON", &none)]);
    assert!(code == 1 && told.contains("takes Python 3.11") && told.contains("nowhere/python"), "{told}");

    let copy = format!("mkdir -p \"$3\" && cp -rsL {}/* \"$3\"", models().canonicalize().unwrap().display());
    let good = python(&stage, &copy);
    let (code, told) = installed.run(&["models", "fetch"], &[("TURNWISE_PYTHON", &good)]);
    assert_eq!(code, 0, "{told}");
    let data = stage.path("home/.local/share/turnwise/models");
    let called = fs::read_to_string(stage.path("called")).unwrap();
    assert!(called.trim_end().ends_with(&format!("fetch_models.py --out {}", data.display())), "{called}");
    let scripts = fs::read_to_string(stage.path("scripts")).unwrap();
    for name in ["convert.py", "registry.py", "models.toml", "goldens"] {
        assert!(scripts.contains(name), "{scripts}");
    }
    let script = called.split(' ').next().unwrap();
    assert!(!Path::new(script).exists(), "{script} was left behind");
    assert!(!told.contains("TURNWISE_MODELS"), "what is found by itself needs no advice: {told}");
    installed.doctor_finds(&data, &[]);

    let (code, told) = installed.run(&["models", "fetch", "--to", "mine", "--all"], &[("TURNWISE_PYTHON", &good)]);
    assert!(code == 0 && told.contains("export TURNWISE_MODELS=mine"), "{told}");
    assert!(fs::read_to_string(stage.path("called")).unwrap().ends_with("--out mine --all\n"));

    let lazy = python(&stage, "mkdir -p \"$3\"");
    let (code, told) = installed.run(&["models", "fetch", "--to", "empty"], &[("TURNWISE_PYTHON", &lazy)]);
    assert!(code == 1 && told.contains("is missing"), "{told}");
    let failing = python(&stage, "echo 'error: no network' >&2; exit 3");
    let (code, told) = installed.run(&["models", "fetch", "--to", "empty"], &[("TURNWISE_PYTHON", &failing)]);
    assert!(code == 1 && told.contains("no network") && !told.contains("is missing"), "{told}");
}

/// Neither the program nor its workers believe a registry that came with a corpus.
#[test]
fn a_registry_below_the_working_directory_that_nobody_named_is_not_believed() {
    let stage = Stage::new();
    let installed = Installed::new(&stage);
    let here = installed.models_in("work/onnx/models", &[]);
    let entry = "[[model]]\nname = \"swift_f0\"\nrole = \"pitch\"\nfile = \"silero_vad.onnx\"\nlicence = \"MIT\"\norigin = \"-\"\n\
                 sha256 = \"1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3\"\ninputs = []\noutputs = []\n";
    fs::write(here.join("models.toml"), format!("schema = 1\n{entry}")).unwrap();
    stage.cut("work/a.wav", "20", "3", &["-vn", "-c:a", "pcm_s16le"]);
    let (code, told) = installed.run(&["extract", "a.wav", "--out", "out", "--jobs", "1"], &[]);
    assert_eq!((code, told.matches("models.toml is not read").count()), (0, 1), "{told}");
    let (code, told) = installed.run(&["extract", "a.wav", "--out", "named", "--models", "onnx/models"], &[]);
    assert!(code == 1 && told.contains("swift_f0"), "{told}");
}

#[test]
fn a_manifest_is_begun_from_a_folder_and_never_written_over() {
    let stage = Stage::new();
    stage.write("films/video/anna.mp4", "a film");
    stage.write("films/transcripts/anna.en.srt", SRT);
    stage.write("films/couple, two/video.mov", "a film");
    stage.write("films/couple, two/transcript.srt", SRT);
    stage.write("films/carl.mp4", "a film");
    stage.write("films/carl.srt", SRT);
    stage.write("films/carl.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nhello\n");
    stage.write("films/dora.srt", SRT);
    stage.write("films/notes.odt", "\u{1}\u{0}");

    let told = stage.run(&["init", "films", "--preview"]);
    assert!(told.code == 0 && told.out.contains("nothing is written"), "{}{}", told.out, told.err);
    assert!(!stage.path("films/corpus.csv").exists());
    let told = stage.run(&["init", "films"]);
    assert_eq!(told.code, 0, "{}", told.err);
    for part in ["cannot be told", "carl.mp4, carl.srt, carl.vtt", "without a recording", "dora.srt", "notes.odt"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let manifest = fs::read_to_string(stage.path("films/corpus.csv")).unwrap();
    let expected = "interview_id,media,transcript\nanna,video/anna.mp4,transcripts/anna.en.srt\n\
                    \"couple, two\",\"couple, two/video.mov\",\"couple, two/transcript.srt\"\n";
    assert_eq!(manifest, expected);
    let told = stage.run(&["init", "films"]);
    assert!(told.code == 2 && told.err.contains("is not written over"), "{}", told.err);
    assert_eq!(fs::read_to_string(stage.path("films/corpus.csv")).unwrap(), expected);

    // Elsewhere, with the suffix that counts: paths are whole where the files do not lie below.
    fs::create_dir(stage.path("lists")).unwrap();
    let told = stage.run(&["init", "films", "--to", "lists/all.csv", "--transcripts", "srt"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let manifest = fs::read_to_string(stage.path("lists/all.csv")).unwrap();
    let film = stage.path("films/carl.mp4").canonicalize().unwrap();
    assert!(manifest.contains(&format!("carl,{}", film.display())), "{manifest}");
    let told = stage.run(&["extract", "lists/all.csv", "--out", "out", "--plan"]);
    assert!(told.code == 0 && told.out.contains("carl"), "{}{}", told.out, told.err);

    let told = stage.run(&["init", "nothing"]);
    assert!(told.code == 2 && told.err.contains("there is no folder nothing"), "{}", told.err);
    fs::create_dir(stage.path("empty")).unwrap();
    let told = stage.run(&["init", "empty"]);
    assert!(told.code == 0 && told.out.contains("no interview to write down"), "{}", told.out);
    assert!(!stage.path("empty/corpus.csv").exists());
}
