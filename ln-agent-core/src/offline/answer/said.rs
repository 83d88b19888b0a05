//! What one call has to say, in parts that can be joined.

use super::words;

/// A clause about one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// A clause without a capital and without a period; it begins with who did it.
    pub(super) text: String,
    /// The entries that the clause counts, or the one long value that it announces.
    pub(super) entries: Vec<String>,
    /// Values that are needed next, by what they are called.
    pub(super) values: Vec<(&'static str, String)>,
    /// Something was done; otherwise something was seen.
    pub(super) act: bool,
}

impl Said {
    /// Something was seen.
    pub(super) fn fact(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Something was done.
    pub(super) fn act(text: impl Into<String>) -> Self {
        Self { act: true, ..Self::fact(text) }
    }

    pub(super) fn with(mut self, entries: Vec<String>) -> Self {
        self.entries = entries;
        self
    }

    pub(super) fn worth(mut self, name: &'static str, value: Option<String>) -> Self {
        self.values.extend(value.map(|value| (name, value)));
        self
    }

    /// The clause with its entries.
    fn whole(&self) -> String {
        if self.entries.is_empty() {
            return self.text.clone();
        }
        format!("{}: {}", self.text, words::some_of(&self.entries))
    }
}

/// One sentence for what was done in a row, one for each thing seen, and the values last.
pub(super) fn sentences(said: &[Said]) -> Vec<String> {
    let mut text = Vec::new();
    let mut acts: Vec<String> = Vec::new();
    for one in said {
        if one.act && one.entries.is_empty() {
            acts.push(one.text.clone());
            continue;
        }
        flush(&mut acts, &mut text);
        text.push(words::sentence(&one.whole()));
    }
    flush(&mut acts, &mut text);
    let mut values: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, value) in said.iter().flat_map(|one| &one.values) {
        match values.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => all.push(value.clone()),
            None => values.push((name, vec![value.clone()])),
        }
    }
    text.extend(values.into_iter().map(|(name, all)| match all.as_slice() {
        [one] => words::sentence(&format!("the {name} is {one}")),
        several => words::sentence(&format!("the {name}s are {}", words::some_of(several))),
    }));
    text
}

fn flush(acts: &mut Vec<String>, text: &mut Vec<String>) {
    if !acts.is_empty() {
        text.push(words::sentence(&joined(acts)));
        acts.clear();
    }
}

/// `node 1 did this, did that, and node 2 did something else`; at most five.
fn joined(acts: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut parts: Vec<String> = Vec::new();
    let mut subject = "";
    for act in acts.iter().take(SHOWN) {
        let own = subject_of(act);
        let same = !own.is_empty() && own == subject;
        parts.push(if same { act[own.len()..].trim_start().to_owned() } else { act.clone() });
        subject = own;
    }
    if acts.len() > SHOWN {
        parts.push(format!("{} more", acts.len() - SHOWN));
    }
    match parts.as_slice() {
        // Another subject after a comma, a second deed of the same without.
        [first, second] if !subject.is_empty() && second.starts_with(subject) => {
            format!("{first}, and {second}")
        }
        _ => words::listed(&parts),
    }
}

/// `node 1` of `node 1 paid …`.
fn subject_of(act: &str) -> &str {
    let Some(rest) = act.strip_prefix("node ") else { return "" };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    &act[..act.len() - rest.len() + digits]
}
