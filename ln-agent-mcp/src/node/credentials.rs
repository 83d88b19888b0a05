//! What bitcoind wants to see before it answers.

use std::fmt;
use std::path::PathBuf;

/// What bitcoind wants to see before it answers. Neither `Debug` nor any error shows the password.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum Credentials {
    /// A fixed name and password.
    Password {
        /// `rpcuser`.
        user: String,
        /// `rpcpassword`.
        password: String,
    },
    /// The file that bitcoind rewrites at each start.
    Cookie(PathBuf),
    /// The cookie file where it exists, else a fixed name and password.
    CookieOr {
        /// The file that bitcoind rewrites at each start.
        cookie: PathBuf,
        /// `rpcuser`.
        user: String,
        /// `rpcpassword`.
        password: String,
    },
}

impl Credentials {
    /// Name and password as of now; a cookie is read each time, for it changes when bitcoind restarts.
    ///
    /// # Errors
    ///
    /// A sentence for people if the cookie file cannot be read.
    pub(crate) async fn read(&self) -> Result<(String, String), String> {
        match self {
            Self::Password { user, password } => Ok((user.clone(), password.clone())),
            Self::Cookie(path) => read_cookie(path).await,
            Self::CookieOr { cookie, user, password } => {
                if tokio::fs::try_exists(cookie).await.unwrap_or(false) {
                    read_cookie(cookie).await
                } else {
                    Ok((user.clone(), password.clone()))
                }
            }
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(f, "Password({user}, ***)"),
            Self::Cookie(path) => write!(f, "Cookie({})", path.display()),
            Self::CookieOr { cookie, user, .. } => {
                write!(f, "CookieOr({}, {user}, ***)", cookie.display())
            }
        }
    }
}

async fn read_cookie(path: &PathBuf) -> Result<(String, String), String> {
    let text = tokio::fs::read_to_string(path).await.map_err(|error| {
        format!("bitcoind's cookie file {} cannot be read ({error}): is bitcoind running?", path.display())
    })?;
    match text.trim().split_once(':') {
        Some((user, password)) => Ok((user.to_owned(), password.to_owned())),
        None => Err(format!("bitcoind's cookie file {} is not of the form name:password", path.display())),
    }
}
