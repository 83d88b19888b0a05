//! `ln-agent run PLAN.json --approve HASH`: exactly the plan that was read.

use std::path::Path;

use ln_agent_core::stage::planner;
use ln_agent_core::types::{ExecutionPlan, IntentBlock};
use serde_json::Value;

use super::ask::{fault_of, print};
use super::interrupt::{Underway, or_ctrl_c};
use super::network::ensure_playground;
use crate::command::{Common, RunArgs};
use crate::exit::{Exit, Fault};
use crate::render::{self, Progress};
use crate::session::{Keyboard, Place, Toolbox, Wishes, agent};

/// Validates the plan, compares its hash with the approved one, and executes it.
pub(crate) async fn run_plan(common: &Common, args: RunArgs) -> Result<Exit, Fault> {
    let mut place = Place::find(common, &[("MAX_SPEND", args.max_spend)])?;
    let toolbox = Toolbox::open(&place)?;
    let plan = read(&args.plan, &toolbox)?;
    let certificate = ln_agent_core::policy::certificate::certify(&plan, &toolbox.registry);
    if !certificate.hash.eq_ignore_ascii_case(&args.approve) {
        return Err(Fault {
            exit: Exit::Refused,
            message: format!(
                "the plan has hash {}, approved was {}: it is another plan",
                certificate.hash, args.approve
            ),
        });
    }
    ensure_playground(&mut place)?;
    let agent = agent(&place, &toolbox, Wishes::Hash(args.approve), &Keyboard::new())?.record_in(args.record);
    let progress = Progress::on_terminal();
    let watch = Underway::new(&progress, &toolbox.registry);
    let result = match or_ctrl_c(agent.run_plan(plan, &watch)).await {
        Ok(Some(result)) => result.map_err(|error| fault_of(&error)),
        Ok(None) => Err(watch.interrupted()),
        Err(fault) => Err(fault),
    };
    let exit = result.map(|result| {
        if args.json {
            render::json(&result);
        } else {
            print(&result, false, &toolbox);
        }
        Exit::of(&result)
    });
    toolbox.close().await;
    exit
}

/// The plan in a file: a whole result, or the plan alone. It is validated like a model's.
fn read(path: &Path, toolbox: &Toolbox) -> Result<ExecutionPlan, Fault> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Fault::usage(format!("cannot read {name}: {error}")))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| Fault::usage(format!("{name} is no JSON: {error}")))?;
    let plan = value.get("plan").filter(|plan| plan.is_object()).unwrap_or(&value);
    let steps =
        plan.get("steps").ok_or_else(|| Fault::usage(format!("{name} holds no plan: `steps` is missing")))?;
    let intent: IntentBlock = match plan.get("intent") {
        Some(intent) => serde_json::from_value(intent.clone())
            .map_err(|error| Fault::usage(format!("{name}: `intent` is malformed: {error}")))?,
        None => IntentBlock::default(),
    };
    let steps = planner::validate(steps, &toolbox.registry, intent.intent_type)
        .and_then(|steps| planner::check_nodes(&steps, toolbox.nodes.node_count()).map(|()| steps))
        .and_then(|steps| planner::check_context(&steps, &intent.context).map(|()| steps))
        .map_err(|fault| Fault::usage(format!("{name}: {fault}")))?;
    let rationale = plan.get("plan_rationale").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ExecutionPlan { steps, plan_rationale: rationale, intent })
}
