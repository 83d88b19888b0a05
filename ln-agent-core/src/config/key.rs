//! Every setting there is.

use super::Form;
use super::model_key::MODEL_KEYS;
use Form::{Bool, Decimal, OneOf, Secret, Text, Whole};

/// One setting.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Key {
    /// Its environment variable.
    pub var: &'static str,
    /// Its place in `ln-agent.toml`, as `table.key`.
    pub toml: &'static str,
    /// What it may be.
    pub form: Form,
    /// What it is when nobody says anything; empty for none.
    pub default: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// Every setting, by topic.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    MODEL_KEYS.iter().chain(KEYS)
}

const KEYS: &[Key] = &[
    key(
        "TRANSLATOR_TEMPERATURE",
        "translator.temperature",
        TEMPERATURE,
        "0.1",
        "temperature of the translator",
    ),
    key(
        "TRANSLATOR_MAX_RETRIES",
        "translator.max_retries",
        RETRIES,
        "2",
        "extra attempts after a malformed intent",
    ),
    key(
        "TRANSLATOR_MAX_OUTPUT_TOKENS",
        "translator.max_output_tokens",
        TOKENS,
        "512",
        "longest intent, in tokens",
    ),
    key("PLANNER_TEMPERATURE", "planner.temperature", TEMPERATURE, "0.1", "temperature of the planner"),
    key("PLANNER_MAX_RETRIES", "planner.max_retries", RETRIES, "2", "extra attempts after a malformed plan"),
    key("PLANNER_MAX_OUTPUT_TOKENS", "planner.max_output_tokens", TOKENS, "2048", "longest plan, in tokens"),
    key(
        "PLANNER_FORCE_LLM",
        "planner.force_llm",
        OneOf(FORCE),
        "0",
        "1: never dispatch; fallback: dispatch last",
    ),
    key(
        "SUMMARIZER_TEMPERATURE",
        "summarizer.temperature",
        TEMPERATURE,
        "0.2",
        "temperature of the summarizer",
    ),
    key(
        "SUMMARIZER_MAX_OUTPUT_TOKENS",
        "summarizer.max_output_tokens",
        TOKENS,
        "512",
        "longest answer, in tokens",
    ),
    key(
        "PLANNER_TOOLS",
        "planner.tools",
        OneOf(TOOLS_SHOWN),
        "fitting",
        "tools the planner's model is shown: those that fit the intent, or all",
    ),
    key(
        "LLM_MAX_TOOL_OUTPUT_CHARS",
        "summarizer.max_tool_output_chars",
        TOKENS,
        "8000",
        "tool output shown to it",
    ),
    key(
        "PIPELINE_HISTORY_MAX",
        "history.max",
        Whole(0, 1_000),
        "4",
        "exchanges that follow-ups may refer to",
    ),
    key("MCP_CALL_TIMEOUT_S", "executor.call_timeout_s", SECONDS, "30", "deadline of an ordinary tool call"),
    key(
        "MAX_CONSEC_READ_ONLY",
        "executor.max_consecutive_reads",
        Whole(1, 10_000),
        "8",
        "reads before repeats stop",
    ),
    key(
        "EXECUTOR_RETRY_DELAY_S",
        "executor.retry_delay_s",
        Decimal(0.0, 3_600.0),
        "1.5",
        "pause before a retry",
    ),
    key(
        "EXECUTOR_MAX_WORKERS",
        "executor.max_workers",
        Whole(1, 256),
        "8",
        "reads at once; 1 is strictly in order",
    ),
    key(
        "MAX_SPEND",
        "money.max_spend",
        Text,
        "",
        "most one run may spend, with unit, as in 10000sat; unset: no cap",
    ),
    key("NODE_NUMBER", "agent.node", Whole(1, 1_000_000), "1", "node of this agent"),
    key("RUNTIME_DIR", "runtime.dir", Text, "", "where state lives; unset: the XDG state directory"),
    key(
        "RECORD_RUNS",
        "runtime.record_runs",
        Bool,
        "1",
        "keep what each run asked and was answered, for `runs replay`; 0: do not",
    ),
    key("NETWORK", "network.name", OneOf(NETWORKS), "", "network of the nodes; unset: the playground"),
    key(
        "DEFAULT_NODE_COUNT",
        "network.default_node_count",
        Whole(1, 1_000_000),
        "2",
        "nodes when node_count is unreadable",
    ),
    key("MCP_CMD_TIMEOUT_S", "nodes.call_timeout_s", SECONDS, "30", "how long a node may take to answer"),
    key(
        "MCP_NODE_START_TIMEOUT_S",
        "nodes.start_timeout_s",
        SECONDS,
        "30",
        "how long a node may take to start",
    ),
    key("MCP_NODE_STOP_TIMEOUT_S", "nodes.stop_timeout_s", SECONDS, "30", "how long a node may take to stop"),
    key(
        "MCP_NODE_POLL_INTERVAL_S",
        "nodes.poll_interval_s",
        Decimal(0.01, 60.0),
        "0.5",
        "pause between looks",
    ),
    key("BITCOIN_DIR", "bitcoin.dir", Text, "", "bitcoind's directory; unset: RUNTIME_DIR/bitcoin/shared"),
    key("BITCOIN_RPC_HOST", "bitcoin.rpc_host", Text, "127.0.0.1", "bitcoind's RPC host"),
    key("BITCOIN_RPC_PORT", "bitcoin.rpc_port", PORT, "18443", "bitcoind's RPC port"),
    key("BITCOIN_RPC_USER", "bitcoin.rpc_user", Text, "", "RPC user; unset: the cookie file"),
    key("BITCOIN_RPC_PASSWORD", "bitcoin.rpc_password", Secret, "", "RPC password; unset: the cookie file"),
    key(
        "BITCOIN_RPC_COOKIEFILE",
        "bitcoin.rpc_cookiefile",
        Text,
        "",
        "bitcoind's cookie; unset: in BITCOIN_DIR",
    ),
    key("LIGHTNING_BASE", "lightning.base", Text, "", "directory of node-N; unset: RUNTIME_DIR/lightning"),
    key("LIGHTNING_BASE_PORT", "lightning.base_port", PORT, "9735", "node N listens on this port plus N"),
    key(
        "LIGHTNINGD_EXE",
        "lightning.executable",
        Text,
        "",
        "the lightningd program; unset: lightningd on PATH",
    ),
    key("LN_BIND_HOST", "lightning.bind_host", Text, "127.0.0.1", "address on which nodes listen"),
    key(
        "LN_ANNOUNCE_HOST",
        "lightning.announce_host",
        Text,
        "",
        "address that nodes announce; unset: the bind host",
    ),
    key(
        "HTTP_FETCH_ALLOW_HOSTS",
        "http.allow_hosts",
        Text,
        "",
        "hosts http_fetch may reach; unset: loopback only",
    ),
    key("LN_AGENT_MCP_TOKEN", "mcp.bearer_token", Secret, "", "bearer token of `mcp --http`"),
];

pub(super) const fn key(
    var: &'static str,
    toml: &'static str,
    form: Form,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key { var, toml, form, default, doc }
}

const TOOLS_SHOWN: &[&str] = &["fitting", "all"];
const FORCE: &[&str] = &["0", "1", "fallback"];
const NETWORKS: &[&str] = &["playground", "regtest", "signet", "testnet", "testnet4", "bitcoin"];
pub(super) const TEMPERATURE: Form = Decimal(0.0, 2.0);
const RETRIES: Form = Whole(0, 10);
pub(super) const TOKENS: Form = Whole(1, 10_000_000);
pub(super) const SECONDS: Form = Whole(1, 86_400);
const PORT: Form = Whole(1, 65_535);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_variable_and_every_place_in_the_file_is_named_once() {
        let vars: BTreeSet<_> = keys().map(|key| key.var).collect();
        let places: BTreeSet<_> = keys().map(|key| key.toml).collect();

        assert_eq!((vars.len(), places.len()), (keys().count(), keys().count()));
    }

    #[test]
    fn every_default_has_the_form_of_its_key() {
        for key in keys().filter(|key| !key.default.is_empty()) {
            assert!(key.form.accepts(key.default), "{}", key.var);
        }
    }
}
