//! Reading a cassette.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::line::Line;
use super::{FORMAT, Header};

/// A recorded run.
///
/// # Examples
///
/// ```
/// use ln_agent_core::replay::Cassette;
///
/// let error = Cassette::parse("{\"kind\": \"header\", \"format\": 99}\n").unwrap_err();
/// assert_eq!(error.to_string(), "the record has format 99: this version reads format 1");
/// ```
#[derive(Clone, Debug)]
pub struct Cassette {
    pub(super) header: Header,
    /// In the order in which they were asked.
    pub(super) exchanges: Vec<Line>,
    pub(super) complete: bool,
}

/// Why a file is no cassette.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// It cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// It does not begin with a header.
    #[error("it is no record of a run: its first line is no header")]
    NoHeader,
    /// It was written in another format.
    #[error("the record has format {found}: this version reads format {FORMAT}")]
    Format {
        /// The format of the file.
        found: u32,
    },
    /// A line in its middle cannot be read.
    #[error("line {number} of the record is malformed")]
    Line {
        /// Counted from 1.
        number: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
}

impl Cassette {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`CassetteError`]; a torn last line is no error but makes the cassette [incomplete](Self::is_complete).
    pub fn read(path: &Path) -> Result<Self, CassetteError> {
        let bytes = std::fs::read(path).map_err(|error| CassetteError::Read(path.to_owned(), error))?;
        // A crash can tear a character, too; what follows is refused as a malformed line.
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let header = header(first)?;
        let mut exchanges = Vec::new();
        let mut complete = false;
        for (index, line) in rest.split_inclusive('\n').enumerate() {
            match serde_json::from_str(line) {
                Ok(Line::End(_)) => complete = true,
                Ok(line) => exchanges.push(line),
                Err(_) if !line.ends_with('\n') => {}
                Err(source) => return Err(CassetteError::Line { number: index + 2, source }),
            }
        }
        exchanges.sort_by_key(Line::seq);
        Ok(Self { header, exchanges, complete })
    }

    /// What the run was given.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether it was recorded to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

fn header(line: &str) -> Result<Header, CassetteError> {
    // The version first: another one may have other members.
    #[derive(Deserialize)]
    struct Version {
        kind: String,
        format: u32,
    }
    let version: Version = serde_json::from_str(line).map_err(|_| CassetteError::NoHeader)?;
    if version.kind != "header" {
        return Err(CassetteError::NoHeader);
    }
    if version.format != FORMAT {
        return Err(CassetteError::Format { found: version.format });
    }
    match serde_json::from_str(line).map_err(|source| CassetteError::Line { number: 1, source })? {
        Line::Header(header) => Ok(*header),
        _ => Err(CassetteError::NoHeader),
    }
}
