//! `ln-agent config show`.

use serde_json::json;

use crate::command::Common;
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::Place;

/// Prints every setting with its value and source; secrets are masked.
pub(crate) fn config_show(common: &Common, as_json: bool) -> Result<Exit, Fault> {
    let place = Place::find(common, &[])?;
    if as_json {
        let settings: Vec<_> = place
            .config
            .shown()
            .map(|(key, value, source)| {
                json!({ "key": key.var, "toml": key.toml, "value": value, "source": source.to_string(), "doc": key.doc })
            })
            .collect();
        render::json(&settings);
        return Ok(Exit::Reached);
    }
    let rows: Vec<Vec<String>> = place
        .config
        .shown()
        .map(|(key, value, source)| vec![key.var.to_owned(), value, source.to_string(), key.toml.to_owned()])
        .collect();
    render::out(&render::table(&["setting", "value", "source", "in ln-agent.toml"], &rows));
    render::line(&format!("\nstate lives in {}", place.runtime.root().display()));
    Ok(Exit::Reached)
}
