//! The playground as a process.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::Desk;

#[test]
fn it_goes_up_keeps_its_state_over_a_restart_and_is_wiped_by_reset() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["network", "status"]).code, 4);
    assert_eq!(desk.run(&["network", "up", "3"]).code, 0);
    assert_eq!(desk.ask("mine 5 blocks").code, 0);
    let height = desk.call("btc_getblockchaininfo", &json!({}))["blocks"].clone();
    let id = desk.call("ln_getinfo", &json!({ "node": 3 }))["id"].clone();

    assert_eq!(desk.run(&["network", "down"]).code, 0);
    assert_eq!(desk.run(&["network", "up"]).code, 0);

    assert_eq!(desk.call("btc_getblockchaininfo", &json!({}))["blocks"], height);
    assert_eq!(desk.call("ln_getinfo", &json!({ "node": 3 }))["id"], id);
    assert_eq!(desk.run(&["network", "reset"]).code, 0);
    assert_eq!(desk.run(&["network", "up", "3"]).code, 0);
    assert_ne!(desk.call("btc_getblockchaininfo", &json!({}))["blocks"], height);
    assert_eq!(
        desk.call("ln_getinfo", &json!({ "node": 3 }))["id"],
        id,
        "the same seed gives the same nodes"
    );
}

#[test]
fn a_second_one_on_the_same_directory_is_refused_with_the_first_ones_pid() {
    let desk = Desk::new();
    desk.run(&["network", "up"]);
    let status: Value = serde_json::from_str(&desk.run(&["network", "status", "--json"]).stdout).unwrap();

    let said = desk.run(&["network", "serve"]);

    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.stderr.contains(&status["pid"].to_string()), "{said:?}");
    assert_eq!(desk.run(&["network", "status"]).code, 0, "the first one is unharmed");
}

#[test]
fn it_survives_a_kill_and_keeps_what_was_acknowledged() {
    let desk = Desk::new();
    desk.ask(
        "open a 500000 sat channel from node 1 to node 2, then node 2 invoices 10000 msat and node 1 pays it",
    );
    let before = desk.call("ln_listchannels", &json!({ "node": 2 }))["channels"][0]["to_us_msat"].clone();
    let status: Value = serde_json::from_str(&desk.run(&["network", "status", "--json"]).stdout).unwrap();

    let killed =
        std::process::Command::new("kill").args(["-9", &status["pid"].to_string()]).status().unwrap();
    assert!(killed.success());
    let paid = desk.ask("send 3000 msat from node 1 to node 2");

    assert_eq!(paid.code, 0, "{paid:?}");
    assert_eq!(before, 10_000);
    assert_eq!(desk.call("ln_listchannels", &json!({ "node": 2 }))["channels"][0]["to_us_msat"], 13_000);
}

#[test]
fn its_settings_point_another_command_at_it() {
    let desk = Desk::new();
    desk.run(&["network", "up"]);
    let env = desk.run(&["network", "env"]).stdout;
    let pairs = env.lines().map(|line| line.strip_prefix("export ").unwrap().split_once('=').unwrap());
    let mut command = desk.command(&["ask", "what is the block height?"]);

    let output = command.envs(pairs).stderr(Stdio::piped()).output().unwrap();

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
