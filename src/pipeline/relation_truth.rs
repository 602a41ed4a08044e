//! Acceptance of the relations on made media: speech and faces put together so that who, when and what are known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::watch::look;
use super::{Models, Request, Work, extract};
use crate::annotation::Turn;
use crate::inference::{ModelSet, Registry, Runtime};
use crate::media::{self, StreamPick};
use crate::recipe::Recipe;
use crate::table::{ColumnData, Table};
use crate::time::Segment;
use crate::turns::{self, Relations, SpeakerLink};
use crate::warning::Warnings;

const RATE: usize = 16_000;

fn models(recipe: &Recipe) -> Models {
    Models::load(&Registry::open(None).unwrap(), recipe, Runtime::default()).expect("run make models")
}

fn numbers(table: &Table, name: &str) -> Vec<Option<f64>> {
    let known = |x: f64| Some(x).filter(|x| x.is_finite());
    match table.column(name).unwrap() {
        ColumnData::F64(v) => v.iter().map(|x| known(*x)).collect(),
        ColumnData::I64(v) => v.iter().map(|x| x.map(|x| x as f64)).collect(),
        ColumnData::Bool(v) => v.iter().map(|x| x.map(|x| f64::from(u8::from(x)))).collect(),
        other => panic!("{name}: {:?}", other.kind()),
    }
}

/// A stretch of one person's speech, its ends cut where it is loud: there it begins and ends, to 5 ms.
fn piece(clip: &[f32], from: f64, to: f64) -> Vec<f32> {
    let cut = &clip[(from * RATE as f64) as usize..(to * RATE as f64) as usize];
    let loud =
        |block: &[f32]| block.iter().map(|x| f64::from(x * x)).sum::<f64>() / block.len() as f64 > 10f64.powf(-4.2);
    let blocks: Vec<&[f32]> = cut.chunks_exact(80).collect();
    let first = blocks.iter().position(|b| loud(b)).unwrap();
    let last = blocks.iter().rposition(|b| loud(b)).unwrap();
    cut[first * 80..(last + 1) * 80].to_vec()
}

/// How a turn is set against the one that has the floor: so many seconds after its end, or inside it, so many after its
/// start.
#[derive(Clone, Copy, Debug)]
enum At {
    Offset(f64),
    Inside(f64),
}

/// One turn of the made talk.
struct Made {
    speaker: &'static str,
    start: f64,
    end: f64,
    at: At,
}

fn write_wav(path: &Path, samples: &[f32]) {
    let data: Vec<u8> =
        samples.iter().flat_map(|x| ((x * 32767.0).round().clamp(-32768.0, 32767.0) as i16).to_le_bytes()).collect();
    let mut bytes = b"RIFF".to_vec();
    bytes.extend(u32::try_from(36 + data.len()).unwrap().to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend((RATE as u32).to_le_bytes());
    bytes.extend((2 * RATE as u32).to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).unwrap();
}

/// Two people of the human-labelled sample, in another order, over the quiet of their own line.
fn talk(shared: &Path) -> (Vec<f32>, Vec<Made>) {
    let clip = media::audio(&shared.join("media/audio/pyannote_sample.wav"), RATE as u32, StreamPick::default())
        .unwrap()
        .buffer;
    let clip = clip.samples();
    let a = [(11.05, 14.45), (18.65, 21.40), (27.90, 29.95), (8.35, 9.88)].map(|(from, to)| piece(clip, from, to));
    let b = [(14.55, 17.95), (21.80, 24.30), (24.45, 27.80)].map(|(from, to)| piece(clip, from, to));
    let (hm_a, hm_b) = (piece(clip, 6.65, 7.15), piece(clip, 7.52, 8.30));
    let script: [(&str, &[f32], At); 15] = [
        ("Ann", &a[0], At::Offset(1.0)),
        ("Ben", &b[0], At::Offset(0.35)),
        ("Ann", &a[1], At::Offset(0.12)),
        ("Ben", &b[1], At::Offset(0.60)),
        ("Ann", &hm_a, At::Inside(1.0)),
        ("Ann", &a[2], At::Offset(-0.40)),
        ("Ben", &b[2], At::Offset(0.20)),
        ("Ann", &a[0], At::Offset(0.80)),
        ("Ben", &hm_b, At::Inside(1.3)),
        ("Ben", &b[1], At::Offset(-0.50)),
        ("Ann", &a[1], At::Offset(0.25)),
        ("Ben", &b[0], At::Offset(1.00)),
        ("Ann", &a[3], At::Offset(0.18)),
        ("Ben", &b[2], At::Offset(0.40)),
        ("Ann", &a[2], At::Offset(0.50)),
    ];
    let quiet = &clip[RATE / 10..RATE * 2];
    let mut samples: Vec<f32> = Vec::new();
    let mut made: Vec<Made> = Vec::new();
    let mut floor = (0.0, 0.0);
    for (speaker, sound, at) in script {
        let start = match at {
            At::Offset(secs) => floor.1 + secs,
            At::Inside(secs) => floor.0 + secs,
        };
        // Whole milliseconds, as a transcript writes them.
        let first = (start * 1000.0).round() as usize * RATE / 1000;
        let (start, end) = (first as f64 / RATE as f64, (first + sound.len()) as f64 / RATE as f64);
        while samples.len() < first + sound.len() + RATE {
            samples.extend_from_slice(quiet);
        }
        samples[first..first + sound.len()].iter_mut().zip(sound).for_each(|(s, x)| *s += x);
        if matches!(at, At::Offset(_)) {
            floor = (start, end);
        }
        made.push(Made { speaker, start, end, at });
    }
    (samples, made)
}

fn clock(secs: f64) -> String {
    let ms = (secs * 1000.0).round() as u64;
    format!("{:02}:{:02}:{:02},{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn offsets_interruptions_and_backchannels_of_a_made_talk() {
    let shared = crate::reference::folder();
    let (samples, made) = talk(&shared);
    let folder = tempfile::tempdir().unwrap();
    let (wav, srt) = (folder.path().join("talk.wav"), folder.path().join("talk.srt"));
    write_wav(&wav, &samples);
    let cue = |(i, m): (usize, &Made)| {
        format!("{}\n{} --> {}\n{}: so it is\n\n", i + 1, clock(m.start), clock(m.end), m.speaker)
    };
    std::fs::write(&srt, made.iter().enumerate().map(cue).collect::<String>()).unwrap();
    let mut recipe = Recipe::default();
    recipe.input.skip_video = true;
    let request = Request { transcript: Some(srt), ..Request::of_file(&wav).unwrap() };
    let done = extract(&request, &mut models(&recipe), &recipe, None, &|_| {}).unwrap();
    for t in done.annotation.turns() {
        eprintln!("{} {}", t.segment, t.speaker);
    }
    let table = &done.table("dyads", &recipe).unwrap().unwrap();
    assert_eq!(table.rows(), made.len());
    let column = |name: &str| numbers(table, name);
    let (offset, interrupts, backchannel) = (column("floor_offset_secs"), column("interrupts"), column("backchannel"));
    let (by_voice, voice_interrupts) = (column("speech_floor_offset_secs"), column("speech_interrupts"));
    let (received, voice_received) = (column("backchannels_received"), column("speech_backchannels"));
    let yes = |x: Option<f64>| x == Some(1.0);
    let mut wrong = Vec::new();
    for (i, m) in made.iter().enumerate() {
        let held = made.get(i + 1).is_some_and(|n| matches!(n.at, At::Inside(_)));
        let (truth, inside) = match m.at {
            At::Offset(secs) => (Some(secs).filter(|_| i > 0), false),
            At::Inside(_) => (None, true),
        };
        let taken = truth.is_some_and(|t| t < 0.0);
        eprintln!(
            "{} {:.3}-{:.3} {:?}: offset {:?}, by voice {:?}; interrupts {:?} {:?}; backchannel {:?}; received {:?} \
             {:?}",
            m.speaker,
            m.start,
            m.end,
            m.at,
            offset[i],
            by_voice[i],
            interrupts[i],
            voice_interrupts[i],
            backchannel[i],
            received[i],
            voice_received[i]
        );
        let near = |x: Option<f64>, tolerance: f64| match (x, truth) {
            (Some(x), Some(t)) => (x - t).abs() <= tolerance,
            (None, None) => true,
            _ => false,
        };
        let mut hold = |is: bool, what: &str| {
            if !is {
                wrong.push(format!("turn {}: {what}", i + 1));
            }
        };
        // Each of the two ends is rounded to a millisecond.
        hold(near(offset[i], 0.001), "offset");
        hold(yes(interrupts[i]) == taken, "interrupts");
        hold(yes(backchannel[i]) == inside, "backchannel");
        hold(received[i] == Some(f64::from(u8::from(held))), "backchannels received");
        // Where both talk, the level does not tell the edge: there the model's 17 ms frames and its taste decide.
        hold(near(by_voice[i], if taken { 0.25 } else { 0.02 }), "offset by voice");
        hold(yes(voice_interrupts[i]) == taken, "interrupts by voice");
        hold(voice_received[i] == Some(f64::from(u8::from(held))), "backchannels by voice");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// On the left a man who talks and does not smile; on the right one who rests, smiles from 6.6 s to 8.4 s (by eye) and
/// rests again.
fn two_faces(shared: &Path, folder: &Path) -> PathBuf {
    let path = folder.join("two.mp4");
    // Half a second of rest, again and again: a frame that stands would be a still picture.
    let graph = "[1:v]fps=25,crop=360:360,split=3[a][b][c];\
                 [b]trim=end_frame=14,loop=-1:14:0,setpts=N/25/TB,trim=end_frame=150[s];\
                 [c]trim=end_frame=14,loop=-1:14:0,setpts=N/25/TB,trim=end_frame=150[n];[s][a][n]concat=n=3[r];\
                 [0:v]fps=25,scale=360:360[l];[l][r]hstack=shortest=1[v]";
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-stream_loop", "3", "-i"])
        .arg(shared.join("media/odd/videoretalking_1.mp4"))
        .arg("-i")
        .arg(shared.join("media/video/single_face.mp4"))
        .args([
            "-filter_complex",
            graph,
            "-map",
            "[v]",
            "-an",
            "-c:v",
            "libx264",
            "-crf",
            "16",
            "-pix_fmt",
            "yuv420p",
            "-threads",
            "1",
        ])
        .arg(&path)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    path
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_smile_placed_in_a_clip_is_found_and_none_beside_it() {
    let shared = crate::reference::folder();
    let folder = tempfile::tempdir().unwrap();
    let request = Request::of_file(&two_faces(&shared, folder.path())).unwrap();
    let recipe = Recipe::default();
    let mut models = models(&recipe);
    let warnings = Warnings::default();
    let work = Work { request: &request, recipe: &recipe, warnings: &warnings, progress: &|_| {} };
    let faces = look(work, request.media.as_ref().unwrap(), models.face.as_mut().unwrap(), None).unwrap().faces;
    assert_eq!(faces.persons.len(), 2);
    let left_edge = |p: &str| faces.of_person(p).map(|o| o.unwrap().bounds.left).fold(f32::INFINITY, f32::min);
    let mut by_place: Vec<String> = faces.persons.clone();
    by_place.sort_by(|p, q| left_edge(p).total_cmp(&left_edge(q)));
    // The sound is not asked here who is who: nobody in this picture is heard.
    let link = |i: usize| SpeakerLink { voice: None, person: Some(by_place[i].clone()) };
    let links: BTreeMap<String, SpeakerLink> =
        [("Left".to_owned(), link(0)), ("Right".to_owned(), link(1))].into_iter().collect();
    let stretches = [(1.0, 6.0), (6.0, 8.8), (8.8, 13.5)];
    let turn = |i: usize| Turn {
        index: i as u32 + 1,
        segment: Segment::from_secs(stretches[i / 2].0, stretches[i / 2].1).unwrap(),
        speaker: Some(["Left", "Right"][i % 2].into()),
        text: String::new(),
        words: Vec::new(),
    };
    let turns: Vec<Turn> = (0..6).map(turn).collect();
    let face_turns = turns::face_turns(&turns, &faces, &recipe.turns).unwrap();
    let relations =
        Relations { faces: &faces, face_turns: &face_turns, ..Relations::of("two", &turns, &links, &recipe.turns) };
    let table = turns::dyads_table(&relations).unwrap();
    let column = |name: &str| numbers(&table, name).into_iter().map(Option::unwrap).collect::<Vec<_>>();
    let (peak, mean) = (numbers(&table, "listener_smile_peak"), numbers(&table, "listener_smile"));
    let (own, rises) = (column("speaker_smile"), column("speaker_smile_rises"));
    eprintln!(
        "peak {peak:.2?}\nmean {mean:.2?}\nown {own:.2?}\nrises {rises:?}\nstill {:.2?}",
        column("listener_head_still_share")
    );
    // Left speaks in even rows, Right listens; in odd ones Right speaks while Left's turn runs, who is never silent.
    let at_least = |value: Option<f64>, least: f64| value.is_some_and(|v| v > least);
    assert!(at_least(peak[2], 0.6) && at_least(mean[2], 0.35), "{peak:?} {mean:?}");
    assert!([0, 4].iter().all(|&i| peak[i].is_some_and(|p| p < 0.3) && !at_least(mean[i], 0.1)), "{peak:?} {mean:?}");
    assert!([1, 3, 5].iter().all(|&i| peak[i].is_none() && mean[i].is_none()), "{peak:?} {mean:?}");
    assert!([0, 2, 4].iter().all(|&i| own[i] < 0.1) && own[3] > 0.35, "the left one never smiles: {own:?}");
    assert_eq!(rises, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(column("listener_smile_mimicry"), [0.0; 6]);
}

#[test]
fn no_task_sees_what_looked_at_the_whole_interview() {
    use crate::store::{parquet, read};
    use crate::tasks::{FeatureSet, RuleSpec, Task};
    let folder = tempfile::tempdir().unwrap();
    let turn = |index: u32, start: f64, speaker: &str| Turn {
        index,
        segment: Segment::from_secs(start, start + 1.0).unwrap(),
        speaker: Some(speaker.into()),
        text: String::new(),
        words: Vec::new(),
    };
    let (turns, links, config) = ([turn(1, 0.0, "A"), turn(2, 1.0, "B")], BTreeMap::new(), Recipe::default().turns);
    let relations = Relations::of("i", &turns, &links, &config);
    let stored = |table: &Table| {
        let path = folder.path().join(table.schema().name);
        parquet::write(&path, table, &parquet::FileMetadata::default()).unwrap();
        read::read(&path).unwrap().schema().clone()
    };
    let schemas =
        [stored(&turns::dyads_table(&relations).unwrap()), stored(&turns::synchrony_table(&relations).unwrap())];
    let resolve = |feature: &str| {
        FeatureSet::resolve(
            &Task { features: vec![feature.into()], ..Task::of(RuleSpec::named("rpp").unwrap()) },
            &schemas,
        )
    };
    assert_eq!(resolve("dyads.smile_synchrony_z").unwrap().len(), 1);
    assert_eq!(resolve("dyads.entrainment_*").unwrap().len(), 12);
    let refused = resolve("dyads.speech_floor_offset_secs").unwrap_err().to_string();
    assert!(refused.contains("dyads.speech_floor_offset_secs (cut-off interview)"), "{refused}");
    let refused = resolve("synchrony.z").unwrap_err().to_string();
    assert!(refused.contains("\"synchrony\" is no source of features"), "{refused}");
}
