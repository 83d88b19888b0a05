//! `ln-agent eval FILE.toml`: an agent tested with sentences.

use ln_agent_core::agent::{Agent, Question, RuntimeDir};
use ln_agent_core::clock::SystemClock;
use ln_agent_core::eval::{Battery, BatteryNetwork, Report, Respondent, Runner};
use ln_agent_core::observe::Discard;
use ln_agent_core::types::{PipelineResult, with_causes};

use super::network::{ensure_playground, stop};
use crate::command::{Common, EvalArgs};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Keyboard, Place, Toolbox, Wishes, agent, model_names, start};

/// Runs the battery and prints what it found.
pub(crate) async fn eval(common: &Common, args: EvalArgs) -> Result<Exit, Fault> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Fault::usage(format!("cannot read {name}: {error}")))?;
    let battery = Battery::parse(&text)
        .and_then(|battery| battery.only(&args.only))
        .map_err(|error| Fault::usage(format!("{name}: {error}")))?;
    let mut runner = Runner::default();
    let mut measured = String::new();
    for round in 1..=args.repeat {
        let keep = args.keep && round == args.repeat;
        measured = run_once(common, &args, &battery, &mut runner, keep).await?;
    }
    let report = runner.report_of(&battery, &measured);
    if args.json {
        render::json(&report);
    } else {
        render::out(&table(&report));
    }
    Ok(if report.all_passed() { Exit::Reached } else { Exit::NotReached })
}

/// One pass over the battery, on a place of its own where it asks for one. Gives the name of the backend.
async fn run_once(
    common: &Common,
    args: &EvalArgs,
    battery: &Battery,
    runner: &mut Runner,
    keep: bool,
) -> Result<String, Fault> {
    let mut place = Place::find(common, &[("LLM_BACKEND", args.backend.clone())])?;
    let fresh = match (battery.head.network, battery.head.reset) {
        (BatteryNetwork::Playground, true) => Some(fresh_directory()?),
        _ => None,
    };
    if let Some(dir) = &fresh {
        place.runtime = RuntimeDir::new(dir.path());
    }
    if battery.head.network == BatteryNetwork::Playground {
        place.use_playground();
        start(&place, battery.head.nodes, 0, IDLE_SECS)?;
    }
    ensure_playground(&mut place)?;
    let toolbox = Toolbox::open(&place)?;
    let subject = Subject(agent(&place, &toolbox, Wishes::Yes, &Keyboard::new())?);
    runner.run_once(battery, &subject, &toolbox.registry, &SystemClock::default()).await;
    toolbox.close().await;
    if let Some(dir) = fresh {
        if keep {
            render::note(&format!("kept: {}", dir.keep().display()));
        } else {
            stop(&place)?;
        }
    }
    Ok(model_names(&place))
}

/// A directory whose path leaves room for the sockets below it.
fn fresh_directory() -> Result<tempfile::TempDir, Fault> {
    let made = tempfile::Builder::new().prefix("ln-eval-").tempdir();
    made.map_err(|error| Fault::failed(format!("cannot make a directory for the battery: {error}")))
}

/// The agent under test.
struct Subject(Agent);

#[async_trait::async_trait]
impl Respondent for Subject {
    async fn respond(&self, prompt: &str, session: &str) -> Result<PipelineResult, String> {
        let question = Question { prompt, session, plan_only: false, observer: &Discard };
        self.0.ask(question).await.map_err(|error| with_causes(&error))
    }
}

fn table(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .cases
        .iter()
        .map(|case| {
            vec![
                if case.always_passed() { "✓" } else { "✗" }.to_owned(),
                case.id.clone(),
                format!("{}/{}", case.passed, case.runs),
                format!("{} ms", case.median_ms()),
                format!("{} ms", case.percentile_ms(95)),
                case.model_calls.to_string(),
                case.tokens.to_string(),
            ]
        })
        .collect();
    let mut text = render::table(&["", "case", "passed", "median", "p95", "model calls", "tokens"], &rows);
    for case in report.cases.iter().filter(|case| !case.faults.is_empty()) {
        text.push_str(&format!("\n{}\n", case.id));
        let mut seen = std::collections::BTreeSet::new();
        for fault in case.faults.iter().filter(|fault| seen.insert(fault.as_str())) {
            text.push_str(&format!("  {fault}\n"));
        }
    }
    let (passed, runs) = report.passed_runs();
    let k = report.repeats;
    text.push_str(&format!(
        "\n{} on {}: {} of {} cases pass^{k}, {passed} of {runs} runs pass^1\n",
        report.battery,
        report.backend,
        report.always_passed(),
        report.cases.len()
    ));
    text
}

/// A playground that a killed battery leaves behind stops by itself.
const IDLE_SECS: u64 = 120;
