//! `tools`, `runs`, `config`, `doctor`, `completions`, and the front page.

use serde_json::Value;

use crate::desk::Desk;

#[test]
fn there_are_47_tools_and_each_can_be_looked_at() {
    let desk = Desk::new();

    let list: Vec<Value> = serde_json::from_str(&desk.run(&["tools", "--json"]).stdout).unwrap();

    assert_eq!(list.len(), 47);
    for spec in &list {
        let name = spec["name"].as_str().unwrap();
        let said = desk.run(&["tools", name]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.stdout.starts_with(name), "{said:?}");
    }
    assert_eq!(desk.run(&["tools", "ln_teleport"]).code, 2);
}

#[test]
fn a_run_can_be_listed_and_shown_by_number_and_by_name() {
    let desk = Desk::new();
    desk.ask("mine 1 block");

    let list = desk.run(&["runs", "list"]).stdout;
    let name = list.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let by_number = desk.run(&["runs", "show", "1"]);
    let by_name = desk.run(&["runs", "show", &name]);

    assert!(list.contains("mine 1 block"), "{list}");
    assert_eq!((by_number.code, &by_number.stdout), (0, &by_name.stdout));
    assert!(by_number.stdout.contains("btc_generatetoaddress"), "{by_number:?}");
    assert_eq!(desk.run(&["runs", "show", "77"]).code, 2);
}

#[test]
fn config_show_names_every_source_and_masks_secrets() {
    let desk = Desk::new();
    let mut command = desk.command(&["config", "show"]);

    let output =
        command.env("BITCOIN_RPC_PASSWORD", "hunter2").env("PIPELINE_HISTORY_MAX", "9").output().unwrap();

    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(!shown.contains("hunter2"), "{shown}");
    let line = shown.lines().find(|line| line.starts_with("PIPELINE_HISTORY_MAX")).unwrap();
    assert!(line.contains('9') && line.contains("the environment"), "{line}");
}

#[test]
fn doctor_finds_a_fresh_machine_healthy() {
    let desk = Desk::new();

    let said = desk.run(&["doctor"]);

    assert_eq!(said.code, 0, "{said:?}");
    assert!(!said.stdout.contains('✗'), "{said:?}");
}

#[test]
fn help_version_and_completions_are_answers() {
    let desk = Desk::new();
    for args in [&["--help"][..], &["--version"], &["ask", "--help"], &["completions", "bash"]] {
        let said = desk.run(args);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{args:?}");
        assert!(!said.stdout.is_empty());
    }
    assert_eq!(desk.run(&["--nonsense"]).code, 2);
    assert_eq!(desk.run(&[]).code, 2);
}
