//! `ln-agent tools`: what there is to call.

use crate::command::{Common, ToolsArgs};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Toolbox};

/// Lists the tools, or shows one.
pub(crate) fn tools(common: &Common, args: &ToolsArgs) -> Result<Exit, Fault> {
    let place = Place::find(common, &[])?;
    let toolbox = Toolbox::open(&place)?;
    let Some(name) = &args.name else {
        if args.json {
            render::json(&toolbox.registry.specs().collect::<Vec<_>>());
        } else {
            let rows: Vec<Vec<String>> = toolbox
                .registry
                .specs()
                .map(|spec| {
                    vec![spec.name.clone(), spec.effect.name().to_owned(), first_sentence(&spec.description)]
                })
                .collect();
            render::out(&render::listing(&["tool", "effect", "what it does"], &rows));
        }
        return Ok(Exit::Reached);
    };
    let Some(spec) = toolbox.registry.spec(name) else {
        return Err(Fault::usage(format!("unknown tool `{name}`: `ln-agent tools` lists them")));
    };
    if args.json {
        render::json(spec);
    } else {
        render::line(&format!("{} ({}): {}\n", spec.name, spec.effect.name(), spec.description));
        let required: Vec<&str> = spec.required().collect();
        let rows: Vec<Vec<String>> = spec
            .arguments()
            .map(|(name, schema)| {
                let need = if required.contains(&name) { "yes" } else { "" };
                let text = schema.get("description").and_then(|d| d.as_str()).unwrap_or_default();
                vec![name.to_owned(), need.to_owned(), text.replace('\n', " ")]
            })
            .collect();
        if rows.is_empty() {
            render::line("It takes no arguments.");
        } else {
            render::out(&render::table(&["argument", "required", "meaning"], &rows));
        }
    }
    Ok(Exit::Reached)
}

fn first_sentence(text: &str) -> String {
    text.split_inclusive(". ").next().unwrap_or(text).trim().trim_end_matches('.').replace('\n', " ")
}
