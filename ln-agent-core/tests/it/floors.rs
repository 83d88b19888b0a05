//! The house rule "look down, never sideways, never up", read off the sources and the dependency tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every room of the crate with its floor. A room that is not listed fails the test.
const FLOORS: &[(&str, u8)] = &[
    ("types", 0),
    ("llm", 1),
    ("tool", 1),
    ("observe", 1),
    ("clock", 1),
    ("approve", 1),
    ("adapter", 2),
    ("guard", 2),
    ("offline", 2),
    ("policy", 2),
    ("verify", 2),
    ("memory", 2),
    ("telemetry", 2),
    ("replay", 2),
    ("stage", 3),
    ("pipeline", 4),
    ("eval", 4),
    ("config", 5),
    ("agent", 5),
];

#[test]
fn every_use_looks_down() {
    let floors: BTreeMap<&str, u8> = FLOORS.iter().copied().collect();
    let mut faults = Vec::new();
    for file in sources() {
        let room = room_of(&file);
        let Some(own) = floors.get(room.as_str()) else {
            faults.push(format!("{}: the room `{room}` stands on no floor", file.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        for (used, line) in uses(&text) {
            let fault = match floors.get(used.as_str()) {
                Some(_) if used == room => None,
                Some(floor) if floor < own => None,
                Some(_) => Some(format!("`{room}` looks sideways or up to `{used}`")),
                // A name that `lib.rs` re-exports from `types`.
                None if used.starts_with(char::is_uppercase) => None,
                None => Some(format!("`{used}` stands on no floor")),
            };
            if let Some(fault) = fault {
                faults.push(format!("{}:{line}: {fault}", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn no_stage_knows_another() {
    let stages = ["translator", "planner", "executor", "summarizer"];
    for file in sources() {
        let path = file.display().to_string();
        let Some(own) = stages.iter().find(|stage| path.contains(&format!("stage/{stage}/"))) else {
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        for other in stages.iter().filter(|stage| *stage != own) {
            assert!(!text.contains(&format!("stage::{other}")), "{path} knows the {other}");
        }
    }
}

#[test]
fn core_without_features_is_light() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            "ln-agent-core",
            "--no-default-features",
            "--edges",
            "normal",
            "--prefix",
            "none",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains(&"serde"), "the tree is not readable: {tree}");
    for heavy in ["reqwest", "sqlx", "axum", "clap", "rmcp", "hyper", "opentelemetry", "tracing-subscriber"] {
        assert!(!crates.contains(&heavy), "core without features reaches {heavy}");
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") && !path.ends_with("src/lib.rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "the sources were not found");
    found
}

/// The first folder below `src`, or the file's own name.
fn room_of(file: &Path) -> String {
    let below = file.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = below.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// What follows `crate::` anywhere outside comments, with its line; `crate::{a, b}` counts for both.
fn uses(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let code = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    for (index, line) in code.enumerate() {
        for (at, _) in line.match_indices("crate::") {
            if line[..at].ends_with('$') {
                continue;
            }
            let rest = &line[at + "crate::".len()..];
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or(list).split(',').map(str::trim).collect(),
                None => vec![rest],
            };
            for name in names {
                let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !name.is_empty() {
                    found.push((name, index + 1));
                }
            }
        }
    }
    found
}

#[test]
fn the_reader_of_uses_sees_lists_and_ignores_comments() {
    let text = "use crate::{llm, tool::Tool};\n// crate::agent\nlet x = crate::pipeline::run();\n";

    assert_eq!(uses(text), [("llm".into(), 1), ("tool".into(), 1), ("pipeline".into(), 3)]);
}
