use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const USER: &str = "__cookie__";

/// The file with a server's password, as bitcoind leaves it for its clients.
#[derive(Debug)]
pub struct Cookie {
    path: PathBuf,
    header: String,
}

impl Cookie {
    /// Writes `__cookie__:` and the secret in hexadecimal to `path`, readable by its owner only. A file that is
    /// there is replaced. The secret is an argument: a server that is reachable by others needs a random one.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn write(path: &Path, secret: &[u8; 32]) -> io::Result<Self> {
        let text = format!("{USER}:{}", super::render::hex(secret));
        // Renamed into place: no reader may see half of it, and nobody an older file's wider mode.
        let fresh = path.with_extension("new");
        if let Err(error) = fs::remove_file(&fresh)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&fresh)?.write_all(text.as_bytes())?;
        fs::rename(&fresh, path)?;
        Ok(Self { path: path.to_owned(), header: format!("Basic {}", STANDARD.encode(text)) })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether an `Authorization` header carries the password; takes the same time for every wrong one.
    #[must_use]
    pub(super) fn opens(&self, header: Option<&str>) -> bool {
        let (Some(sent), own) = (header.map(str::as_bytes), self.header.as_bytes()) else { return false };
        sent.len() == own.len() && sent.iter().zip(own).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
    }
}
