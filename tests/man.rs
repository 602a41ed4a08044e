//! `turnwise man`: a manual page for every command that the help lists.

use std::collections::BTreeSet;

use crate::stage::Stage;

/// The commands that a help text lists, `help` itself left out.
fn listed(help: &str) -> Vec<String> {
    let below = help.split("\nCommands:\n").nth(1).unwrap_or("").split("\n\n").next().unwrap();
    let names = below.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let stage = Stage::new();
    let told = stage.run(&["man", "--to", "pages/man1"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let mut expected = BTreeSet::from(["turnwise.1".to_owned()]);
    for command in listed(&stage.run(&["--help"]).out) {
        let help = stage.run(&[&command, "--help"]).out;
        expected.insert(format!("turnwise-{command}.1"));
        expected.extend(listed(&help).iter().map(|below| format!("turnwise-{command}-{below}.1")));
    }
    assert!(expected.len() > 15, "{expected:?}");
    let files = std::fs::read_dir(stage.path("pages/man1")).unwrap();
    let found: BTreeSet<String> = files.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, expected);
    assert_eq!(told.out.lines().count(), expected.len());

    let page = std::fs::read_to_string(stage.path("pages/man1/turnwise-extract.1")).unwrap();
    let plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "");
    for word in [".TH turnwise-extract 1", "--transcript", "--limit-minutes", "--models", "-j"] {
        assert!(plain.contains(word), "{word} is not in\n{plain}");
    }
    // The folder that is set where the pages are made is nobody else's.
    let models = std::env::var("TURNWISE_MODELS").unwrap_or_default();
    assert!(models.is_empty() || !page.contains(&models), "{page}");
    // The same pages each time.
    let again = stage.run(&["man", "--to", "again"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(page, std::fs::read_to_string(stage.path("again/turnwise-extract.1")).unwrap());
}
