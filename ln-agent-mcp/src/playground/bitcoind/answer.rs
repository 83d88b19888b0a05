use bitcoin::{Amount, SignedAmount};
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value whose amounts keep their eight decimals, as bitcoind writes them.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Anything without amounts.
    Plain(Value),
    /// A number spelled exactly so.
    Number(String),
    /// A list.
    List(Vec<Self>),
    /// Fields, in order.
    Object(Vec<(String, Self)>),
}

impl Answer {
    /// `null`.
    pub const NULL: Self = Self::Plain(Value::Null);

    /// The value as JSON text.
    ///
    /// # Panics
    ///
    /// If a [`Number`](Self::Number) is not spelled as JSON demands.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("numbers are spelled as JSON numbers")
    }
}

/// The fields of an object on their way into an [`Answer`], in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fields(Vec<(String, Answer)>);

/// An object without fields; they follow by `with`.
pub(super) const fn object() -> Fields {
    Fields(Vec::new())
}

impl Fields {
    pub(super) fn with(mut self, name: &str, value: impl Into<Answer>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a field where there is a value for it.
    pub(super) fn with_some(self, name: &str, value: Option<impl Into<Answer>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds the fields of another object.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds the fields of another object where there is one.
    pub(super) fn and_some(self, other: Option<Self>) -> Self {
        match other {
            Some(other) => self.and(other),
            None => self,
        }
    }
}

impl From<Fields> for Answer {
    fn from(fields: Fields) -> Self {
        Self::Object(fields.0)
    }
}

/// A list of what converts into answers.
pub(super) fn list<T: Into<Answer>>(items: impl IntoIterator<Item = T>) -> Answer {
    Answer::List(items.into_iter().map(Into::into).collect())
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(value) => value.serialize(serializer),
            Self::Number(text) => {
                RawValue::from_string(text.clone()).map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

macro_rules! plain {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Answer {
            fn from(value: $kind) -> Self {
                Self::Plain(Value::from(value))
            }
        })*
    };
}
plain!(&str, String, bool, u8, u32, u64, usize, i32, i64, f64, Value);

impl From<Vec<Self>> for Answer {
    fn from(items: Vec<Self>) -> Self {
        Self::List(items)
    }
}

impl From<Amount> for Answer {
    fn from(amount: Amount) -> Self {
        Self::Number(format!("{}.{:08}", amount.to_sat() / 100_000_000, amount.to_sat() % 100_000_000))
    }
}

impl From<SignedAmount> for Answer {
    fn from(amount: SignedAmount) -> Self {
        let sign = if amount.is_negative() { "-" } else { "" };
        let sat = amount.to_sat().unsigned_abs();
        Self::Number(format!("{sign}{}.{:08}", sat / 100_000_000, sat % 100_000_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_keep_eight_decimals() {
        let answer = object()
            .with("trusted", Amount::from_sat(100_0000_0000))
            .with("fee", SignedAmount::from_sat(-715))
            .with("none", Answer::NULL);

        assert_eq!(
            Answer::from(answer).to_text(),
            r#"{"trusted":100.00000000,"fee":-0.00000715,"none":null}"#
        );
    }
}
