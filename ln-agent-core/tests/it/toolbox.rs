//! The 47 tools by name, effect and arguments, without anything behind them.

use std::sync::Arc;

use ln_agent_core::tool::{Effect, Registry, Tool, ToolError, ToolSpec};
use ln_agent_core::types::Object;
use serde_json::{Value, json};

/// A registry of all 47 specifications.
pub(crate) fn registry() -> Registry {
    Registry::new(
        TABLE.lines().filter(|line| !line.trim().is_empty()).map(|line| Arc::new(Paper(spec(line))) as _),
    )
    .unwrap()
}

struct Paper(ToolSpec);

#[async_trait::async_trait]
impl Tool for Paper {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _args: Object) -> Result<Value, ToolError> {
        unreachable!("these tools exist on paper only")
    }
}

/// `name effect argument:type …`, where a trailing `?` makes an argument optional.
fn spec(line: &str) -> ToolSpec {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap();
    let effect = match words.next().unwrap() {
        "read" => Effect::Read,
        "write" => Effect::Write,
        _ => Effect::Spend,
    };
    let mut spec = ToolSpec::new(name, name, effect);
    let mut properties = Object::new();
    let mut required = Vec::new();
    for word in words {
        let (name, kind) = word.split_once(':').unwrap();
        let optional = kind.strip_suffix('?');
        if optional.is_none() {
            required.push(name);
        }
        properties.insert(name.to_owned(), schema(optional.unwrap_or(kind)));
    }
    spec.input_schema = json!({ "type": "object", "properties": properties, "required": required });
    spec
}

fn schema(kind: &str) -> Value {
    match kind {
        "int" => json!({ "type": "integer", "minimum": 0 }),
        "node" => json!({ "type": "integer", "minimum": 1 }),
        "text" => json!({ "type": "string" }),
        "bolt" => {
            json!({ "type": "string", "pattern": "^(?i)(lightning:)?(lnbcrt|lnbc|lntbs|lntb|lni1)[a-z0-9]+$" })
        }
        "bool" => json!({ "type": ["boolean", "null"] }),
        "list" => json!({ "anyOf": [{ "type": "array" }, { "type": "object" }, { "type": "null" }] }),
        "map" => json!({ "type": "object" }),
        words if words.contains('|') => {
            let (numbers, texts): (Vec<&str>, Vec<&str>) = words.split('|').partition(|word| *word == "int");
            let texts = json!({ "enum": texts });
            if numbers.is_empty() { texts } else { json!({ "anyOf": [{ "type": "integer" }, texts] }) }
        }
        other => unreachable!("no kind `{other}`"),
    }
}

const TABLE: &str = "
network_health read
sys_netinfo read
memory_lookup read query:text? last_n:int? outcome:ok|partial|failed?
btc_getblockchaininfo read
btc_getbalance read wallet:text?
btc_listtransactions read wallet:text? count:int?
btc_gettransaction read txid:text wallet:text?
btc_getmempoolinfo read
btc_estimatefee read conf_target:int?
btc_wallet_ensure write wallet_name:text
btc_getnewaddress write wallet:text?
btc_sendtoaddress spend address:text amount_btc:text wallet:text?
btc_generatetoaddress write blocks:int address:text
ln_listnodes read
ln_node_create write node:node
ln_node_status read node:node
ln_node_start write node:node bind_host:text? announce_host:text?
ln_node_stop write node:node
ln_node_delete write node:node force:bool?
ln_getinfo read node:node
ln_listpeers read node:node
ln_listfunds read node:node
ln_listchannels read node:node
ln_newaddr read node:node
ln_listforwards read node:node status:offered|settled|failed|local_failed?
ln_feerates read node:node style:perkb|perkw?
ln_listpays read node:node bolt11:text? status:complete|pending|failed?
ln_decodepay read node:node string:text
ln_waitanyinvoice read node:node lastpay_index:int?
ln_listoffers read node:node
ln_listtransactions read node:node
ln_connect write from_node:node peer_id:text host:text port:int
ln_openchannel spend from_node:node peer_id:text amount_sat:int
ln_closechannel write from_node:node peer_id:text unilateral_timeout:int?
ln_setchannel write node:node peer_id:text feebase:int? feeppm:int? htlcmin:int? htlcmax:int?
ln_invoice write node:node amount_msat:int label:text description:text
ln_pay spend from_node:node bolt11:bolt maxfee:int? retry_for:int?
ln_keysend spend from_node:node destination:text amount_msat:int
ln_listinvoices read node:node label:text?
ln_waitinvoice read node:node label:text
ln_offer write node:node amount_msat:int|any description:text
ln_fetchinvoice write node:node offer:text amount_msat:int?
ln_withdraw spend node:node destination:text amount_sat:int|all
ln_signmessage read node:node message:text
ln_raw spend node:node command:text args:list?
btc_raw spend command:text args:list? wallet:text?
http_fetch read url:text method:text? headers:map? body:text?
";

#[test]
fn there_are_47_tools() {
    assert_eq!(registry().len(), 47);
}
