//! Codes of tiers as features of tasks: shares of turns, of the speaker and of others, and never past the cut-off.

use crate::stage::{Stage, Told, table};

/// A tier's name and intervals: start, end, text.
type Tier<'a> = (&'a str, &'a [(f64, f64, &'a str)]);

/// A `TextGrid` of interval tiers.
fn grid(tiers: &[Tier<'_>]) -> String {
    let mut out = format!("File type = \"ooTextFile\"\n\"TextGrid\"\n0\n60\n<exists>\n{}\n", tiers.len());
    for (name, all) in tiers {
        out += &format!("\"IntervalTier\"\n\"{name}\"\n0\n60\n{}\n", all.len());
        all.iter().for_each(|(a, b, t)| out += &format!("{a}\n{b}\n\"{t}\"\n"));
    }
    out
}

const MARA: Tier<'_> = ("Mara", &[(0.0, 2.0, "how was it then"), (6.0, 8.0, "oh I see now")]);
const JONAS: Tier<'_> = ("Jonas", &[(2.0, 6.0, "it went well I think"), (8.0, 10.0, "yes it did go well")]);

fn tasks(stage: &Stage, features: &str, more: &str) -> Told {
    stage.write(
        "tasks.toml",
        &format!("[[task]]\nname = \"t\"\nfeatures = {features}\nlags = 2\n{more}\n[task.labels]\nunit = \"turn\"\nkind = \"binary\"\nfile = \"labels.csv\"\n"),
    );
    stage.run(&["tasks", "out", "--tasks", "tasks.toml"])
}

fn extract(stage: &Stage, tiers: &[Tier<'_>]) {
    stage.write("a.TextGrid", &grid(&[&[MARA, JONAS], tiers].concat()));
    // The second interview codes the same tier, and never its value.
    stage.write("b.TextGrid", &grid(&[MARA, JONAS, ("Smile_Mara", &[(0.0, 1.0, "no")])]));
    stage.write("corpus.csv", "interview_id,media,transcript\na,,a.TextGrid\nb,,b.TextGrid\n");
    stage.write("labels.csv", "interview_id,turn_index,label\na,2,x\na,3,y\nb,2,x\n");
    let done = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    assert_eq!(done.code, 0, "{}", done.err);
}

#[test]
fn shares_and_presence_of_codes_up_to_the_cut_off() {
    let stage = Stage::new();
    let smiles = ("Smile_Mara", &[(1.0, 3.0, "yes"), (5.0, 9.0, "yes")][..]);
    extract(&stage, &[smiles, ("Affect", &[(0.0, 3.0, "calm"), (3.0, 20.0, "glad")])]);
    let done = tasks(&stage, "[\"annotations.Smile=yes*\", \"annotations.Affect=*.share\"]", "include_current = true");
    assert_eq!(done.code, 0, "{}", done.err);
    let t = table(&stage, "out/tasks/t.parquet");
    let cell = |name: &str, row| t.number(&format!("annotations.{name}"), row);
    assert_eq!((t.text("interview_id", 0), t.number("turn_index", 0)), (Some("a"), Some(2.0)));
    // Turn 2 is Jonas', 2 to 6 s: Mara smiles for 1 s of its beginning and 1 s of its end.
    assert_eq!(cell("Smile=yes.others_share@0", 0), Some(0.5));
    assert_eq!(cell("Smile=yes.others_present@0", 0), Some(1.0));
    assert_eq!(cell("Smile=yes.share@0", 0), None, "nobody codes Jonas' smiles");
    // The turn before is her own.
    assert_eq!(cell("Smile=yes.share@1", 0), Some(0.5));
    assert_eq!(cell("Smile=yes.share@mean", 0), Some(0.5));
    // Turn 3, 6 to 8 s.
    assert_eq!(cell("Smile=yes.share@0", 1), Some(1.0));
    assert_eq!(cell("Smile=yes.share@mean", 1), Some(0.75));
    // About nobody by name.
    assert_eq!((cell("Affect=calm.share@0", 0), cell("Affect=glad.share@0", 0)), (Some(0.25), Some(0.75)));
    // Coded, and never so; coded at all for one of two interviews.
    assert_eq!((cell("Smile=yes.share@1", 2), cell("Smile=yes.others_present@0", 2)), (Some(0.0), Some(0.0)));
    assert_eq!(cell("Affect=calm.share@0", 2), None);
    let spec = t.schema().columns.iter().find(|c| c.name == "annotations.Smile=yes.share@0").unwrap();
    assert_eq!(spec.cut_off, turnwise::table::CutOff::TurnEnd);
    assert!(spec.description.contains("\"yes\" is coded in the tier \"Smile\""), "{}", spec.description);
}

#[test]
fn what_is_coded_after_the_cut_off_changes_nothing() {
    let stage = Stage::new();
    let row = |smiles: &[(f64, f64, &str)]| {
        let _ = std::fs::remove_dir_all(stage.path("out"));
        extract(&stage, &[("Smile_Mara", smiles)]);
        let done = tasks(&stage, "[\"annotations.Smile=yes*\"]", "");
        assert_eq!(done.code, 0, "{}", done.err);
        let t = table(&stage, "out/tasks/t.parquet");
        let names: Vec<String> = t.schema().columns.iter().map(|c| c.name.to_string()).collect();
        // The row itself is not shown: the cut-off of turn 2 is the end of turn 1, 2 s.
        assert_eq!(t.number("cut_off_secs", 0), Some(2.0));
        names.iter().filter(|n| n.starts_with("annotations.")).map(|n| (n.clone(), t.number(n, 0))).collect::<Vec<_>>()
    };
    let first = row(&[(0.5, 1.0, "yes")]);
    assert!(first.iter().any(|(n, v)| n == "annotations.Smile=yes.share@0" && *v == Some(0.25)), "{first:?}");
    assert_eq!(first, row(&[(0.5, 1.0, "yes"), (2.0, 9.0, "yes")]));
    assert_ne!(first, row(&[(0.5, 1.0, "yes"), (1.5, 9.0, "yes")]), "what begins before it counts up to it");
}

#[test]
fn the_label_is_no_feature_of_its_own_turn() {
    let stage = Stage::new();
    extract(&stage, &[("Smile_Mara", &[(1.0, 3.0, "yes"), (6.0, 9.0, "yes")])]);
    let of_tier = |more: &str| {
        stage.write(
            "tasks.toml",
            &format!("[[task]]\nname = \"t\"\nfeatures = [\"annotations.Smile=*\"]\n{more}\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\ntier = \"Smile*\"\nwithout = \"none\"\n"),
        );
        stage.run(&["tasks", "out", "--tasks", "tasks.toml"])
    };
    let refused = of_tier("include_current = true");
    assert!(refused.code == 2 && refused.err.contains("annotations.Smile=yes.share"), "{}", refused.err);
    // Those of the turns before are known.
    let done = of_tier("");
    assert_eq!(done.code, 0, "{}", done.err);
    let unknown = tasks(&stage, "[\"annotations.Frown=*\"]", "");
    assert!(unknown.err.contains("matches no numeric column"), "{}", unknown.err);
}

#[test]
fn a_tier_of_free_text_gives_no_features_and_is_told() {
    let stage = Stage::new();
    let notes: Vec<String> = (0..70).map(|i| format!("note {i}")).collect();
    let notes: Vec<(f64, f64, &str)> =
        notes.iter().zip(0..).map(|(n, i)| (f64::from(i) / 10.0, f64::from(i) / 10.0 + 0.05, n.as_str())).collect();
    extract(&stage, &[("Smile_Mara", &[(1.0, 3.0, "yes")]), ("Notes", &notes)]);
    let done = tasks(&stage, "[\"annotations.*\"]", "");
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("tier \"Notes\" gives no features: with 70 different values"), "{}", done.err);
    let t = table(&stage, "out/tasks/t.parquet");
    assert!(t.schema().columns.iter().all(|c| !c.name.contains("Notes")));
}
