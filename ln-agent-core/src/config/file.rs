//! `ln-agent.toml` as texts by place.

use std::collections::BTreeMap;

use super::ConfigError;

/// The values of a file, each under its `table.key`.
pub(super) fn read(text: &str, name: &str) -> Result<BTreeMap<String, String>, ConfigError> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| ConfigError::File {
        file: name.to_owned(),
        message: error.to_string().trim_end().replace('\n', " "),
    })?;
    let mut values = BTreeMap::new();
    flatten(&toml::Value::Table(table), "", name, &mut values)?;
    Ok(values)
}

fn flatten(
    value: &toml::Value,
    place: &str,
    name: &str,
    values: &mut BTreeMap<String, String>,
) -> Result<(), ConfigError> {
    match value {
        toml::Value::Table(table) => {
            for (key, child) in table {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                flatten(child, &place, name, values)?;
            }
            Ok(())
        }
        toml::Value::String(text) => insert(values, place, text.clone()),
        toml::Value::Integer(number) => insert(values, place, number.to_string()),
        toml::Value::Float(number) => insert(values, place, number.to_string()),
        toml::Value::Boolean(switch) => insert(values, place, switch.to_string()),
        toml::Value::Array(list) => {
            let words: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
            let words = words.ok_or_else(|| unusable(name, place, "a list of texts"))?;
            insert(values, place, words.join(","))
        }
        toml::Value::Datetime(_) => Err(unusable(name, place, "a text, a number or a switch")),
    }
}

fn insert(values: &mut BTreeMap<String, String>, place: &str, text: String) -> Result<(), ConfigError> {
    values.insert(place.to_owned(), text);
    Ok(())
}

fn unusable(file: &str, place: &str, expected: &str) -> ConfigError {
    ConfigError::File { file: file.to_owned(), message: format!("`{place}` must be {expected}") }
}
