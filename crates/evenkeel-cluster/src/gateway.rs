//! etcd by its own JSON gateway (`/v3/…`, etcd 3.4 and later), one call at a time.
//!
//! The crate etcd-client would speak gRPC, and needs protobuf's compiler to be built, which whoever has only Rust does not have. What is needed here is five calls, through the HTTP client that the
//! archives use.
//!
//! Invariants
//! 1. No call takes longer than [`PATIENCE`]: a store that does not answer is one that is away. Whether a write happened is not known then.
//! 2. Reads go through etcd's majority.
//!
//! Must not know: what the keys are.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::blocking::Client;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The longest that a call may take.
const PATIENCE: Duration = Duration::from_millis(1000);
const SCHEME: &str = "etcd://";
const SCHEME_TLS: &str = "etcds://";

/// Which cluster in which etcd: `etcd://[USER:PASSWORD@]HOST:PORT[,HOST:PORT…]/NAME`, with TLS `etcds://…`.
#[derive(Clone, PartialEq, Eq)]
pub struct ClusterUrl {
    endpoints: Vec<String>,
    user: Option<(String, String)>,
    /// The cluster's name.
    pub name: String,
    is_secure: bool,
}

impl fmt::Display for ClusterUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { SCHEME_TLS } else { SCHEME };
        write!(f, "{scheme}{}/{}", self.endpoints.join(","), self.name)
    }
}

impl fmt::Debug for ClusterUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ClusterUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<ClusterUrl, String> {
        let bad = |why: &str| format!("{why}: expected etcd://HOST:PORT[,HOST:PORT…]/NAME");
        let (rest, is_secure) = match (text.strip_prefix(SCHEME), text.strip_prefix(SCHEME_TLS)) {
            (Some(rest), _) => (rest, false),
            (None, Some(rest)) => (rest, true),
            (None, None) => return Err(bad("it is no address of etcd")),
        };
        let (hosts, name) = rest.rsplit_once('/').ok_or_else(|| bad("the cluster's name is missing"))?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(bad("a cluster's name has letters, digits, \"_\", \"-\" and \".\""));
        }
        let (user, hosts) = match hosts.rsplit_once('@') {
            Some((user, hosts)) => {
                let (user, password) = user.split_once(':').ok_or_else(|| bad("the password is missing"))?;
                (Some((user.to_owned(), password.to_owned())), hosts)
            }
            None => (None, hosts),
        };
        let endpoints: Vec<String> = hosts.split(',').map(str::to_owned).collect();
        let is_endpoint = |e: &String| {
            e.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        if !endpoints.iter().all(is_endpoint) {
            return Err(bad("a host or its port is missing"));
        }
        Ok(ClusterUrl { endpoints, user, name: name.to_owned(), is_secure })
    }
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The way to etcd.
    #[error("{0}")]
    Way(String),
    /// What etcd said.
    #[error("etcd says: {0}")]
    Said(String),
    /// It said what is not understood.
    #[error("{0}")]
    Nonsense(String),
}

impl From<reqwest::Error> for StoreError {
    fn from(e: reqwest::Error) -> StoreError {
        // The reasons are in its sources.
        let mut text = e.to_string();
        let mut source = std::error::Error::source(&e);
        while let Some(s) = source {
            text = s.to_string();
            source = s.source();
        }
        StoreError::Way(text)
    }
}

/// A value, as etcd has it.
pub struct Found {
    /// Its key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// The revision of its last change.
    pub revision: u64,
}

/// A condition of a write.
pub enum If<'a> {
    /// There is no such key.
    Absent(&'a str),
    /// The key was last changed at this revision; 0: there is none.
    Unchanged(&'a str, u64),
    /// It has this value.
    Is(&'a str, Vec<u8>),
}

/// A part of a write.
pub enum Then<'a> {
    /// Gives a key a value, for as long as a lease, if there is one.
    Put(&'a str, Vec<u8>, Option<&'a str>),
    /// Removes it.
    Delete(&'a str),
}

/// The way to one etcd.
pub struct Gateway {
    url: ClusterUrl,
    client: Client,
    /// The endpoint that answered last.
    current: usize,
    token: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    revision: String,
}

#[derive(Deserialize)]
struct Kv {
    key: String,
    #[serde(default)]
    value: String,
    mod_revision: String,
}

#[derive(Deserialize)]
struct Range {
    header: Header,
    #[serde(default)]
    kvs: Vec<Kv>,
}

#[derive(Deserialize)]
struct Granted {
    #[serde(rename = "ID")]
    id: String,
    #[serde(rename = "TTL")]
    ttl: String,
}

fn coded(bytes: impl AsRef<[u8]>) -> String {
    STANDARD.encode(bytes)
}

fn decoded(text: &str) -> Result<Vec<u8>, StoreError> {
    STANDARD.decode(text).map_err(|e| StoreError::Nonsense(e.to_string()))
}

fn number(text: &str) -> Result<u64, StoreError> {
    text.parse().map_err(|_| StoreError::Nonsense(format!("etcd gave \"{text}\" for a number")))
}

/// The first key behind all that begin so.
fn behind(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1; // names are plain ASCII
    }
    end
}

impl Gateway {
    /// Connects with the first call.
    pub fn new(url: ClusterUrl) -> Result<Gateway, StoreError> {
        // Somebody else may have chosen it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(PATIENCE).connect_timeout(PATIENCE).no_proxy().build()?;
        Ok(Gateway { url, client, current: 0, token: None })
    }

    fn call<T: DeserializeOwned>(&mut self, what: &str, body: &Value) -> Result<T, StoreError> {
        if let (None, Some((name, password))) = (&self.token, &self.url.user) {
            #[derive(Deserialize)]
            struct Token {
                token: String,
            }
            let body = json!({ "name": name, "password": password });
            self.token = Some(self.post::<Token>("auth/authenticate", &body)?.token);
        }
        let done = self.post(what, body);
        if done.is_err() {
            // Another one may answer; a token may be too old.
            self.current = (self.current + 1) % self.url.endpoints.len();
            self.token = None;
        }
        done
    }

    fn post<T: DeserializeOwned>(&self, what: &str, body: &Value) -> Result<T, StoreError> {
        let scheme = if self.url.is_secure { "https" } else { "http" };
        let mut request =
            self.client.post(format!("{scheme}://{}/v3/{what}", self.url.endpoints[self.current])).json(body);
        if let Some(token) = &self.token {
            request = request.header("Authorization", token);
        }
        let answer = request.send()?;
        let status = answer.status();
        let text = answer.text()?;
        if !status.is_success() {
            let said: Option<Value> = serde_json::from_str(&text).ok();
            let said =
                said.as_ref().and_then(|v| v.get("message").or(v.get("error"))).and_then(Value::as_str);
            return Err(StoreError::Said(said.map_or_else(|| status.to_string(), str::to_owned)));
        }
        serde_json::from_str(&text).map_err(|e| StoreError::Nonsense(format!("etcd's answer to {what}: {e}")))
    }

    /// All keys that begin so, and the revision at which they are what they are.
    pub fn all(&mut self, prefix: &str) -> Result<(u64, Vec<Found>), StoreError> {
        let body = json!({ "key": coded(prefix), "range_end": coded(behind(prefix)) });
        let range: Range = self.call("kv/range", &body)?;
        let found = range.kvs.into_iter().map(|kv| {
            Ok(Found {
                key: String::from_utf8_lossy(&decoded(&kv.key)?).into_owned(),
                value: decoded(&kv.value)?,
                revision: number(&kv.mod_revision)?,
            })
        });
        Ok((number(&range.header.revision)?, found.collect::<Result<_, StoreError>>()?))
    }

    /// A lease of so many seconds. Gives its name, and for how many it was granted.
    pub fn grant(&mut self, seconds: u64) -> Result<(String, u64), StoreError> {
        let granted: Granted = self.call("lease/grant", &json!({ "TTL": seconds.to_string() }))?;
        Ok((granted.id, number(&granted.ttl)?))
    }

    /// Prolongs a lease. Gives for how many seconds; 0: there is no such lease any more.
    pub fn keep_alive(&mut self, lease: &str) -> Result<u64, StoreError> {
        #[derive(Deserialize)]
        struct Kept {
            #[serde(rename = "TTL", default)]
            ttl: String,
        }
        #[derive(Deserialize)]
        struct Answer {
            result: Kept,
        }
        let answer: Answer = self.call("lease/keepalive", &json!({ "ID": lease }))?;
        if answer.result.ttl.is_empty() { Ok(0) } else { number(&answer.result.ttl) }
    }

    /// Ends a lease.
    pub fn revoke(&mut self, lease: &str) -> Result<(), StoreError> {
        self.call::<Value>("lease/revoke", &json!({ "ID": lease })).map(drop)
    }

    /// Writes all of it, if all conditions hold; whether they did.
    pub fn write(&mut self, conditions: &[If<'_>], writes: &[Then<'_>]) -> Result<bool, StoreError> {
        #[derive(Deserialize)]
        struct Done {
            #[serde(default)]
            succeeded: bool,
        }
        let compare = |c: &If<'_>| match c {
            If::Absent(key) => {
                json!({ "key": coded(key), "target": "CREATE", "result": "EQUAL", "create_revision": "0" })
            }
            If::Unchanged(key, revision) => {
                json!({ "key": coded(key), "target": "MOD", "result": "EQUAL", "mod_revision": revision.to_string() })
            }
            If::Is(key, value) => {
                json!({ "key": coded(key), "target": "VALUE", "result": "EQUAL", "value": coded(value) })
            }
        };
        let write = |w: &Then<'_>| match w {
            Then::Put(key, value, lease) => {
                let lease = lease.unwrap_or("0");
                json!({ "request_put": { "key": coded(key), "value": coded(value), "lease": lease } })
            }
            Then::Delete(key) => json!({ "request_delete_range": { "key": coded(key) } }),
        };
        let body = json!({
            "compare": conditions.iter().map(compare).collect::<Vec<_>>(),
            "success": writes.iter().map(write).collect::<Vec<_>>(),
        });
        Ok(self.call::<Done>("kv/txn", &body)?.succeeded)
    }
}

/// A value as it is kept.
pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("numbers and strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_told_without_its_password() {
        let url: ClusterUrl = "etcd://a:2379,b:2379/shop".parse().unwrap();
        assert_eq!((url.endpoints.len(), &url.name[..], url.is_secure), (2, "shop", false));
        assert_eq!(url.to_string(), "etcd://a:2379,b:2379/shop");
        let url: ClusterUrl = "etcds://me:se@c/ret@h:1/x".parse().unwrap();
        assert_eq!(url.user, Some(("me".into(), "se@c/ret".into())));
        assert_eq!(url.to_string(), "etcds://h:1/x");
        for bad in
            ["", "http://h:1/x", "etcd://h:1", "etcd://h:1/", "etcd://h/x", "etcd://:1/x", "etcd://h:1/a b"]
        {
            assert!(bad.parse::<ClusterUrl>().is_err(), "{bad}");
        }
    }
}
