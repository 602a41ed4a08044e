//! SCHEMA.md is made by the code (`turnwise schema > SCHEMA.md`) and stays what the code says.

use std::collections::HashSet;
use std::path::Path;

use turnwise::pipeline::{schema_page, schemas};
use turnwise::recipe::Recipe;

#[test]
fn schema_md_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("SCHEMA.md");
    let stored = std::fs::read_to_string(path).unwrap();
    let made = schema_page().unwrap();
    assert!(stored.trim_end() == made.trim_end(), "SCHEMA.md is old: run `turnwise schema > SCHEMA.md`");
}

#[test]
fn every_column_is_named_once_and_described() {
    for table in schemas(&Recipe::default()) {
        let mut names = HashSet::new();
        for column in &table.columns {
            assert!(names.insert(column.name.as_ref()), "{}.{} twice", table.name, column.name);
            assert!(column.description.len() > 3, "{}.{} has no description", table.name, column.name);
            let number = matches!(column.kind, turnwise::table::Kind::F32 | turnwise::table::Kind::F64);
            assert!(
                !number || !column.name.ends_with("_secs") || column.unit == "s",
                "{}.{}: {}",
                table.name,
                column.name,
                column.unit
            );
            assert!(!number || !column.name.ends_with("_hz") || column.unit == "Hz", "{}.{}", table.name, column.name);
        }
        assert!(names.contains("interview_id"), "{}", table.name);
    }
}
