//! What people get wrong: one line that names the cause and the remedy, the right exit code, nothing half done.

use serde_json::json;

use crate::desk::{Desk, Said};

fn one_line(said: &Said) {
    assert_eq!(said.stdout, "", "{said:?}");
    assert_eq!(said.stderr.trim_end().lines().count(), 1, "{said:?}");
}

#[test]
fn prompts_that_are_no_sentences_are_usage_errors() {
    let desk = Desk::new();
    let cases: [(&[u8], &str); 5] = [
        (b"", "the prompt is empty"),
        (b" \n\t ", "the prompt is empty"),
        (b"what\0 is the height", "control character U+0000 at byte 4"),
        (b"what\x1b[31m is the height", "control character U+001B at byte 4"),
        (b"height \xff\xfe?", "the prompt is no UTF-8 text"),
    ];
    for (input, expected) in cases {
        let said = desk.run_with_input(&["ask", "-"], input);
        assert_eq!(said.code, 2, "{said:?}");
        one_line(&said);
        assert!(said.stderr.contains(expected), "{said:?}");
    }
}

#[test]
fn a_prompt_of_a_megabyte_is_refused_at_once() {
    let desk = Desk::new();

    let said = desk.run_with_input(&["ask", "-"], &b"block height ".repeat(80_660));

    assert_eq!(said.code, 2);
    one_line(&said);
    assert!(said.stderr.contains("at most 65536 are read"), "{}", said.stderr);
}

#[test]
fn a_tool_call_that_cannot_be_right_names_the_argument_and_the_accepted_form() {
    let desk = Desk::new();
    let cases = [
        ("ln_teleport", "{}", "unknown tool `ln_teleport`"),
        ("ln_getinfo", "{\"node\": 0}", "argument `node` was 0"),
        ("ln_getinfo", "{\"node\": 99}", "expected a node from 1 to 2"),
        ("ln_getinfo", "{}", "argument `node` of ln_getinfo is missing"),
        ("ln_getinfo", "{\"node\": 1, \"verbose\": true}", "argument `verbose` was true"),
        ("ln_getinfo", "[1]", "expected an object"),
        ("ln_getinfo", "{node: 1}", "--args is no JSON"),
    ];
    for (tool, args, expected) in cases {
        let said = desk.run(&["call", tool, "--args", args]);
        assert_eq!(said.code, 2, "{tool} {args}: {said:?}");
        let text = format!("{}{}", said.stdout, said.stderr);
        assert!(text.contains(expected), "{tool} {args}: {said:?}");
    }
}

#[test]
fn amounts_and_invoices_that_cannot_be_right_are_refused_before_anything_is_sent() {
    let desk = Desk::new();
    let mainnet = "lnbc20u1p3y0x3hpp5743k2g0fsqqxj7n8qzuhns5gmkk4djeejk3wkp64ppevgekvc0jsdqcve5kzar2v9nr5gpqd4hkuetesp5ez2g297jduwc20t6lmqlsg3man0vf2jfd8ar9fh8fhn2g8yttfkqxqy9gcqcqzys9qrsgqrzjqtx3k77yrrav9hye7zar2rtqlfkytl094dsp0ms5majzth6gt7ca6uhdkxl983uywgqqqqlgqqqvx5qqjqrzjqd98kxkpyw0l9tyy8r8q57k7zpy9zjmh6sez752wj6gcumqnj3yxzhdsmg6qq56utgqqqqqqqqqqqeqqjq7jd56882gtxhrjm03c93aacyfy306m4fq0tskf83c0nmet8zc2lxyyg3saz8x6vwcp26xnrlagf9semau3qm2glysp7sv95693fphvsp54l567";
    let cases = [
        (
            "ln_invoice",
            json!({ "node": 1, "amount_msat": -5, "label": "", "description": "x" }),
            "amount_msat",
        ),
        (
            "ln_invoice",
            json!({ "node": 1, "amount_msat": 1.5, "label": "", "description": "x" }),
            "amount_msat",
        ),
        (
            "ln_invoice",
            json!({ "node": 1, "amount_msat": 0, "label": "", "description": "x" }),
            "amount_msat",
        ),
        // One more than the largest number there is.
        (
            "ln_invoice",
            serde_json::from_str(
                "{\"node\":1,\"amount_msat\":18446744073709551616,\"label\":\"\",\"description\":\"x\"}",
            )
            .unwrap(),
            "amount_msat",
        ),
        ("ln_keysend", json!({ "from_node": 1, "destination": "02ab", "amount_msat": 1000 }), "destination"),
        ("ln_pay", json!({ "from_node": 1, "bolt11": "not-an-invoice" }), "bolt11"),
        ("ln_pay", json!({ "from_node": 1, "bolt11": mainnet }), "regtest"),
        (
            "btc_sendtoaddress",
            json!({ "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "amount_btc": "0.1" }),
            "address",
        ),
        ("btc_sendtoaddress", json!({ "address": "bcrt1qoops", "amount_btc": "0.1" }), "address"),
        ("btc_generatetoaddress", json!({ "blocks": 5000, "address": "bcrt1qoops" }), "blocks"),
        ("ln_openchannel", json!({ "from_node": 1, "peer_id": "2", "amount_sat": 100_000 }), "peer_id"),
    ];
    for (tool, args, expected) in cases {
        let said = desk.run(&["call", tool, "--args", &args.to_string()]);
        assert_eq!(said.code, 2, "{tool} {args}: {said:?}");
        assert!(format!("{}{}", said.stdout, said.stderr).contains(expected), "{tool} {args}: {said:?}");
    }
    assert_eq!(desk.call("ln_listinvoices", &json!({ "node": 1 }))["invoices"], json!([]));
    assert_eq!(desk.call("ln_listpays", &json!({ "node": 1 }))["pays"], json!([]));
}

#[test]
fn an_expired_invoice_is_not_paid_and_the_answer_says_why() {
    let desk = Desk::new();
    assert_eq!(desk.ask("open a 500000 sat channel from node 1 to node 2").code, 0);
    let args = json!({ "node": 2, "command": "invoice", "args": [5000, "old", "tea", 600] });
    let invoice = desk.call("ln_raw", &args)["bolt11"].as_str().unwrap().to_owned();
    assert_eq!(desk.ask("mine 3 blocks").code, 0);

    let said = desk.ask(&format!("pay {invoice} from node 1"));

    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("expired"), "{said:?}");
}

#[test]
fn arguments_and_variables_that_are_no_text_are_usage_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let desk = Desk::new();
    let bytes = OsStr::from_bytes(b"height \xff");

    let argument: Said = desk.command(&["ask"]).arg(bytes).output().unwrap().into();
    let variable: Said =
        desk.command(&["ask", "block height"]).env("DEFAULT_NODE_COUNT", bytes).output().unwrap().into();

    assert_eq!(argument.code, 2, "{argument:?}");
    assert!(argument.stderr.contains("invalid UTF-8"), "{argument:?}");
    assert_eq!(variable.code, 2, "{variable:?}");
    assert_eq!(
        variable.stderr,
        "error: DEFAULT_NODE_COUNT from the environment is `height \u{fffd}`: expected UTF-8 text\n"
    );
}

#[test]
fn amounts_in_sentences_that_cannot_be_right_do_nothing() {
    let desk = Desk::new();
    let prompts = [
        "open a 99999999999999999999999 sat channel from node 1 to node 2",
        "send -500 sat from node 1 to node 2",
        "create an invoice for 0.5 msat on node 2",
        "list the peers of node 0",
    ];
    for prompt in prompts {
        let (code, result) = desk.ask_json(&[prompt]);
        assert_ne!(code, 0, "{result:#}");
        let changed = result["step_results"].as_array().unwrap().iter().any(|step| step["ok"] == true);
        assert!(!changed, "{result:#}");
    }
}

#[test]
fn a_node_that_is_out_of_range_is_said_in_the_answer() {
    let desk = Desk::new();

    let (code, result) = desk.ask_json(&["list the peers of node 99"]);

    assert_ne!(code, 0, "{result:#}");
    assert!(result["content"].as_str().unwrap().contains("99"), "{result:#}");
    assert_eq!(result["success"], false);
}

#[test]
fn configuration_errors_name_key_source_and_form() {
    let desk = Desk::new();
    let mut command = desk.command(&["ask", "block height"]);
    let said: Said = command.env("MCP_CALL_TIMEOUT_S", "soon").output().unwrap().into();
    assert_eq!(said.code, 2);
    assert_eq!(
        said.stderr,
        "error: MCP_CALL_TIMEOUT_S from the environment is `soon`: expected a whole number from 1 to 86400\n"
    );

    for amount in ["1000", "-5sat", "0.0001sat", "99999999999btc"] {
        let said = desk.run(&["ask", "--max-spend", amount, "block height"]);
        assert_eq!(said.code, 2);
        assert_eq!(
            said.stderr,
            format!(
                "error: MAX_SPEND from the command line is `{amount}`: expected an amount with its unit, as in 10sat, \
                 2500msat or 0.001btc\n"
            )
        );
    }

    std::fs::write(desk.path().join("ln-agent.toml"), "[executor]\nmax_worker = 3\n").unwrap();
    let said = desk.run(&["ask", "block height"]);
    assert_eq!((said.code, said.stderr.contains("unknown key `executor.max_worker`")), (2, true), "{said:?}");
}

#[test]
fn a_session_name_cannot_be_a_path() {
    let desk = Desk::new();

    let said = desk.run(&["ask", "--session", "../../etc", "block height"]);

    assert_eq!(said.code, 2);
    one_line(&said);
}

#[test]
fn a_state_directory_that_cannot_be_written_is_told_before_anything_runs() {
    let desk = Desk::new();
    let file = desk.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    let dir = file.join("state").display().to_string();

    let said = desk.run(&["--runtime-dir", &dir, "ask", "block height"]);

    assert_eq!(said.code, 2, "{said:?}");
    one_line(&said);
    assert!(said.stderr.contains(&dir) && said.stderr.contains("RUNTIME_DIR"), "{said:?}");
}

#[test]
fn a_state_directory_whose_path_leaves_no_room_for_sockets_is_refused_with_the_limit() {
    let desk = Desk::new();
    let dir = desk.path().join("x".repeat(80)).display().to_string();

    let said = desk.run(&["--runtime-dir", &dir, "ask", "block height"]);

    assert_eq!(said.code, 2, "{said:?}");
    one_line(&said);
    assert!(said.stderr.contains("at most 66 leave room"), "{said:?}");
}

#[test]
fn a_node_that_is_not_there_is_unreachable_not_failed() {
    let desk = Desk::new();
    let mut command = desk.command(&["ask", "what is the block height?"]);
    let said: Said = command.env("NETWORK", "regtest").env("BITCOIN_RPC_PORT", "9").output().unwrap().into();

    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.stdout.starts_with('✗'), "{said:?}");
}

#[test]
fn a_stopped_node_is_named_and_getinfo_starts_it() {
    let desk = Desk::new();
    assert_eq!(desk.ask("stop node 2").code, 0);

    let peers = desk.run(&["call", "ln_listpeers", "--args", "{\"node\": 2}"]);
    let info = desk.call("ln_getinfo", &json!({ "node": 2 }));

    assert_eq!(peers.code, 4, "{peers:?}");
    assert!(peers.stdout.contains("node 2"), "{peers:?}");
    assert_eq!(info["auto_started"], true);
}

#[test]
fn an_unloaded_wallet_is_loaded_when_it_is_needed() {
    let desk = Desk::new();
    desk.call("btc_raw", &json!({ "command": "unloadwallet", "args": ["shared-wallet"] }));

    let said = desk.ask("what is the balance of the shared wallet?");

    assert_eq!(said.code, 0, "{said:?}");
}
