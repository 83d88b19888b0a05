//! A tool of your own beside the ones that are there: typed arguments, a declared effect, one line to register it.
//!
//! `cargo run -p ln-agent-examples --bin custom_tool`
#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;
use std::sync::Arc;

use ln_agent_core::Msat;
use ln_agent_core::llm::ScriptedBackend;
use ln_agent_core::pipeline::{Ask, Network, Pipeline};
use ln_agent_core::stage::planner::PlannerConfig;
use ln_agent_core::tool::{Effect, Registry, ToolError, ToolErrorKind, TypedTool, typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Converts amounts at a price that the caller names.
struct PriceIn;

/// What it needs; the comments are what a model reads.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PriceArgs {
    /// Amount in millisatoshis.
    amount_msat: Msat,
    /// Price of one bitcoin in cents of the wanted currency, at least 1.
    cents_per_btc: u64,
}

#[derive(Serialize, JsonSchema)]
struct Price {
    /// Whole cents, rounded down.
    cents: u64,
}

#[async_trait::async_trait]
impl TypedTool for PriceIn {
    const NAME: &'static str = "price_in_cents";
    const TITLE: &'static str = "Price in cents";
    const DESCRIPTION: &'static str = "Converts millisatoshis to cents at a given price of bitcoin.";
    const EFFECT: Effect = Effect::Read;
    type Args = PriceArgs;
    type Output = Price;

    async fn call(&self, args: PriceArgs) -> Result<Price, ToolError> {
        let product = u128::from(args.amount_msat.0) * u128::from(args.cents_per_btc);
        let cents = u64::try_from(product / MSAT_PER_BTC)
            .map_err(|_| ToolError::new(ToolErrorKind::InvalidArguments, "the price does not fit 64 bits"))?;
        Ok(Price { cents })
    }
}

const MSAT_PER_BTC: u128 = 100_000_000_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let tools = Registry::new([typed(PriceIn)])?;
    // A script stands in for a model here, so that the example runs without a key.
    let model = ScriptedBackend::replying([
        r#"{"goal": "price 250 sat", "intent_type": "freeform", "context": {"amount_msat": 250000}}"#,
        r#"{"plan_rationale": "one conversion", "steps": [{"step_id": 1, "tool": "price_in_cents",
            "args": {"amount_msat": "$context.amount_msat", "cents_per_btc": 9000000}}]}"#,
        "250 sat are worth 22 cents.",
    ]);
    // Cents are no unit that the words of a Lightning request are held against, so this plan is not.
    let planner = PlannerConfig { checks_words: false, ..PlannerConfig::default() };
    let pipeline =
        Pipeline::builder(Arc::new(model), tools).planner(planner).network(Network::Playground).build()?;

    let result = pipeline.run(Ask::new("what are 250 sat worth at 90,000.00 a bitcoin?")).await?;

    println!("{}", result.content);
    assert_eq!(result.step_results[0].payload()["cents"], 22);
    Ok(())
}
