//! `docs/acceptance.md` and the chapter on known faults name tests; each of them must exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The items of the list that this table answers for.
const ITEMS: [std::ops::RangeInclusive<u32>; 3] = [1..=103, 109..=113, 124..=233];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn text_of(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every `path.rs::name` that stands between backticks.
fn references(text: &str) -> Vec<(&str, &str)> {
    text.split('`').skip(1).step_by(2).filter_map(|code| code.split_once(".rs::")).collect()
}

/// The names of a file's tests: functions under a test attribute, and rows `name: "input"` of a macro of tests.
fn tests_of(source: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut marked = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            marked = true;
        } else if let Some(rest) = line.strip_prefix("async fn ").or(line.strip_prefix("fn ")) {
            if std::mem::take(&mut marked) {
                names.extend(rest.split(['(', '<']).next());
            }
        } else if let Some((name, rest)) = line.split_once(": ")
            && rest.starts_with('"')
            && name.ends_with("_refused")
        {
            names.insert(name);
        }
    }
    names
}

/// The references of a text that lead nowhere.
fn broken(text: &str) -> Vec<String> {
    let missing = |&(path, name): &(&str, &str)| {
        let source = std::fs::read_to_string(root().join(format!("{path}.rs"))).unwrap_or_default();
        !tests_of(&source).contains(name)
    };
    references(text)
        .iter()
        .filter(|one| missing(one))
        .map(|(path, name)| format!("{path}.rs::{name}"))
        .collect()
}

/// The numbers a row of the table answers for: `7`, `13`, `134–136`.
fn numbers(row: &str) -> Vec<u32> {
    let Some(first) = row.strip_prefix("| ").and_then(|row| row.split(" |").next()) else {
        return Vec::new();
    };
    let bounds: Vec<u32> = first.split('–').filter_map(|number| number.parse().ok()).collect();
    match bounds[..] {
        [one] => vec![one],
        [from, to] => (from..=to).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_test_that_the_acceptance_list_names_exists() {
    let list = text_of("docs/acceptance.md");

    assert!(references(&list).len() >= 200, "{}", references(&list).len());
    assert_eq!(broken(&list), Vec::<String>::new());
}

#[test]
fn every_item_of_the_acceptance_list_has_one_row_with_a_test_or_a_reason() {
    let list = text_of("docs/acceptance.md");
    let mut answered = Vec::new();
    for row in list.lines() {
        let items = numbers(row);
        let reasoned = row.contains("later: ") || row.contains("not here: ");
        assert!(items.is_empty() || reasoned || !references(row).is_empty(), "{row}");
        answered.extend(items);
    }
    answered.sort_unstable();
    assert_eq!(answered, ITEMS.into_iter().flatten().collect::<Vec<_>>());
}

#[test]
fn every_test_that_the_known_faults_name_exists() {
    let chapter = text_of("ln-agent-core/tests/it/known_faults.rs");

    assert!(references(&chapter).len() >= 20, "{}", references(&chapter).len());
    assert_eq!(broken(&chapter), Vec::<String>::new());
}

#[test]
fn the_reader_of_references_tells_tests_from_other_functions() {
    let source = "#[test]\nfn a_test() {}\nfn helper() {}\n#[tokio::test(start_paused = true)]\n#[cfg(unix)]\nasync fn \
                  another() {}\n    stop_is_refused: \"stop\";\n";
    assert_eq!(tests_of(source), BTreeSet::from(["a_test", "another", "stop_is_refused"]));
    assert_eq!(references("a `x/y.rs::z` b `no` c"), [("x/y", "z")]);
    assert_eq!(broken("`ln-agent-core/tests/it/acceptance.rs::helper`").len(), 1);
    assert_eq!(
        (numbers("| 7 | x |"), numbers("| 9–11 | x |"), numbers("|---|")),
        (vec![7], vec![9, 10, 11], vec![])
    );
}

/// Sources below this folder that hold one of these texts.
fn holding(folder: &str, texts: &[&str]) -> Vec<String> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        if texts.iter().any(|text| source.contains(text)) {
            found.push(path.strip_prefix(root()).unwrap().display().to_string());
        }
    }
    found
}

#[test]
fn nothing_in_core_starts_a_program_but_the_client_of_tool_servers() {
    assert_eq!(holding("ln-agent-core/src", &["process::"]), ["ln-agent-core/src/adapter/mcp/connection.rs"]);
}

#[test]
fn only_the_crate_of_the_tools_talks_to_nodes() {
    for folder in ["ln-agent-core/src", "ln-agent-cli/src", "ln-agent-http/src"] {
        assert_eq!(holding(folder, &[".lightning(", ".bitcoind("]), Vec::<String>::new(), "{folder}");
    }
    assert!(!holding("ln-agent-mcp/src/tools", &[".lightning("]).is_empty(), "that is how it is written");
}
