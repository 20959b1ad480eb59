//! Log archives in object stores: `s3://`, `gs://`, `az://` and what else the crate `object_store` reaches.
//!
//! Duty: that crate's asynchronous calls behind the engine's blocking [`ArchiveStore`]. The runtime, one thread's, lives in this file and
//! is entered only for the length of a call.
//!
//! Credentials and endpoints come from the environment, by the names that each provider's own tools use: `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT`,
//! `AWS_ALLOW_HTTP`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME` …
//!
//! Invariants
//! 1. Creation and replacement are conditional puts: turned on explicitly where a store has them as an option.
//! 2. A call ends: attempts and time are bounded. The engine's archiver, not this crate, waits and tries again.

use evenkeel::archive::{ArchiveStore, FolderStore, StoreError, Version};
use evenkeel::{Error, Result};
use object_store::path::Path;
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig, UpdateVersion,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Longest time of one request: a segment or a chunk of 16 MiB goes out at 1 Mbit/s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);
/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Attempts after the first that are made within a call, and how long all may take.
const RETRIES: (usize, Duration) = (2, Duration::from_secs(30));

/// The store that an archive URL names, folders included. `InvalidArgument`: a URL or credentials that cannot be used.
pub fn open(url: &str) -> Result<Arc<dyn ArchiveStore>> {
    if let Some(path) = FolderStore::path_of(url) {
        return Ok(Arc::new(FolderStore::new(path)));
    }
    Ok(Arc::new(CloudStore::new(url)?))
}

/// An object store.
#[derive(Debug)]
pub struct CloudStore {
    url: String,
    prefix: Path,
    store: Box<dyn ObjectStore>,
    runtime: Runtime,
}

impl CloudStore {
    /// Reaches the store of a URL when it is first called.
    pub fn new(url: &str) -> Result<CloudStore> {
        CloudStore::with(url, &[])
    }

    /// As `new`, with options over those of the environment, by the same names in lower case: `aws_endpoint` and so on.
    pub fn with(url: &str, options: &[(&str, &str)]) -> Result<CloudStore> {
        let bad = |why: String| Error::InvalidArgument(format!("archive_url \"{}\": {why}", shown(url)));
        let parsed = url::Url::parse(url).map_err(|e| bad(e.to_string()))?;
        // The first wins, and all of this tree mean the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry =
            RetryConfig { max_retries: RETRIES.0, retry_timeout: RETRIES.1, ..RetryConfig::default() };
        let client = ClientOptions::new().with_timeout(REQUEST_TIMEOUT).with_connect_timeout(CONNECT_TIMEOUT);
        let build = |e: object_store::Error| bad(e.to_string());
        let store: Box<dyn ObjectStore> = match parsed.scheme() {
            "s3" | "s3a" => {
                // HTTP is for servers of one's own, and allowed as in the provider's own environment variable.
                let allowed = |v: &str| v.eq_ignore_ascii_case("true");
                let http = match options.iter().find(|(k, _)| *k == "aws_allow_http") {
                    Some((_, v)) => allowed(v),
                    None => std::env::var("AWS_ALLOW_HTTP").is_ok_and(|v| allowed(&v)),
                };
                let mut builder = object_store::aws::AmazonS3Builder::from_env();
                for (key, value) in options.iter().filter(|(k, _)| *k != "aws_allow_http") {
                    builder = builder.with_config(key.parse().map_err(build)?, *value);
                }
                let builder = builder
                    .with_url(url)
                    .with_client_options(client.with_allow_http(http))
                    .with_retry(retry)
                    .with_conditional_put(object_store::aws::S3ConditionalPut::ETagMatch);
                Box::new(builder.build().map_err(build)?)
            }
            "gs" => {
                let mut builder = object_store::gcp::GoogleCloudStorageBuilder::from_env();
                for (key, value) in options {
                    builder = builder.with_config(key.parse().map_err(build)?, *value);
                }
                let builder = builder.with_url(url).with_client_options(client).with_retry(retry);
                Box::new(builder.build().map_err(build)?)
            }
            "az" | "azure" | "abfs" | "abfss" => {
                let mut builder = object_store::azure::MicrosoftAzureBuilder::from_env();
                for (key, value) in options {
                    builder = builder.with_config(key.parse().map_err(build)?, *value);
                }
                let builder = builder.with_url(url).with_client_options(client).with_retry(retry);
                Box::new(builder.build().map_err(build)?)
            }
            "memory" => Box::new(object_store::memory::InMemory::new()),
            "file" => {
                return Err(bad(
                    "the path of a folder is absolute, with three slashes: file:///srv/archive".into()
                ));
            }
            other => {
                return Err(bad(format!("\"{other}\" is not one of file, s3, gs, az")));
            }
        };
        let prefix = Path::parse(parsed.path().trim_matches('/')).map_err(|e| bad(e.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| Error::io("starting the archive's runtime", e))?;
        Ok(CloudStore { url: shown(url), prefix, store, runtime })
    }

    fn path(&self, name: &str) -> Path {
        name.split('/')
            .filter(|part| !part.is_empty())
            .fold(self.prefix.clone(), |path, part| path.join(part))
    }

    fn put(
        &self,
        what: &'static str,
        name: &str,
        bytes: &[u8],
        mode: PutMode,
    ) -> std::result::Result<(), StoreError> {
        let options = PutOptions { mode, ..PutOptions::default() };
        let payload = bytes.to_vec().into();
        let path = self.path(name);
        let put = self.store.put_opts(&path, payload, options);
        self.runtime.block_on(put).map(drop).map_err(|e| failed(what, name, e))
    }
}

/// A URL without what may be secret in it.
fn shown(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut u) => {
            let _ = u.set_password(None);
            u.set_query(None);
            u.to_string()
        }
        Err(_) => url.split('?').next().unwrap_or_default().to_owned(),
    }
}

/// Says what is missing where the library, finding no credentials, asked the machine for a role of its own.
fn explained(why: String) -> String {
    const MACHINES_OWN: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];
    if MACHINES_OWN.iter().any(|host| why.contains(host)) {
        format!(
            "there are no credentials in the environment (for s3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), and this machine has none of its own: {why}"
        )
    } else {
        why
    }
}

fn failed(what: &'static str, name: &str, e: object_store::Error) -> StoreError {
    match e {
        object_store::Error::AlreadyExists { .. } => StoreError::Exists(name.into()),
        object_store::Error::Precondition { .. } => StoreError::Changed(name.into()),
        e => StoreError::Failed { what, name: name.into(), why: explained(e.to_string()) },
    }
}

impl ArchiveStore for CloudStore {
    fn describe(&self) -> String {
        self.url.clone()
    }

    fn create(&self, name: &str, bytes: &[u8]) -> std::result::Result<(), StoreError> {
        self.put("creating", name, bytes, PutMode::Create)
    }

    fn get(&self, name: &str) -> std::result::Result<Option<(Vec<u8>, Version)>, StoreError> {
        let path = self.path(name);
        let read = self.runtime.block_on(async {
            let got = self.store.get(&path).await?;
            let (tag, version) = (got.meta.e_tag.clone(), got.meta.version.clone());
            got.bytes().await.map(|bytes| (bytes.to_vec(), tag, version))
        });
        match read {
            Ok((bytes, tag, version)) => {
                let both = format!("{}\n{}", tag.unwrap_or_default(), version.unwrap_or_default());
                Ok(Some((bytes, Version(both))))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(e) => Err(failed("reading", name, e)),
        }
    }

    fn len_bytes(&self, name: &str) -> std::result::Result<Option<u64>, StoreError> {
        match self.runtime.block_on(self.store.head(&self.path(name))) {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(e) => Err(failed("looking for", name, e)),
        }
    }

    fn replace(&self, name: &str, bytes: &[u8], version: &Version) -> std::result::Result<(), StoreError> {
        let (tag, version) = version.0.split_once('\n').unwrap_or((&version.0, ""));
        let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
        let version = UpdateVersion { e_tag: some(tag), version: some(version) };
        self.put("replacing", name, bytes, PutMode::Update(version))
    }

    fn list(&self, prefix: &str) -> std::result::Result<Vec<String>, StoreError> {
        Ok(self.list_sizes(prefix)?.into_iter().map(|(name, _)| name).collect())
    }

    fn list_sizes(&self, prefix: &str) -> std::result::Result<Vec<(String, u64)>, StoreError> {
        // Stores list whole path segments; the rest of the prefix is compared here.
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        let root = self.path(folder);
        let skip = if self.prefix.as_ref().is_empty() { 0 } else { self.prefix.as_ref().len() + 1 };
        let mut names = self.runtime.block_on(async {
            let mut names = Vec::new();
            let mut found = self.store.list(Some(&root));
            while let Some(object) = std::future::poll_fn(|cx| found.as_mut().poll_next(cx)).await {
                let object = object.map_err(|e| failed("listing", prefix, e))?;
                names.push((object.location.to_string(), object.size));
            }
            Ok::<_, StoreError>(names)
        })?;
        names =
            names.into_iter().filter_map(|(n, size)| n.get(skip..).map(|n| (n.to_owned(), size))).collect();
        names.retain(|(n, _)| n.starts_with(prefix));
        names.sort_unstable();
        Ok(names)
    }

    fn delete(&self, name: &str) -> std::result::Result<(), StoreError> {
        match self.runtime.block_on(self.store.delete(&self.path(name))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(failed("removing", name, e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_made_once_and_replaced_by_who_read_them_last() {
        let s = CloudStore::new("memory:///a/b").unwrap();
        assert!(s.get("x").unwrap().is_none());
        s.create("wal/1/x", b"one").unwrap();
        assert!(matches!(s.create("wal/1/x", b"two"), Err(StoreError::Exists(_))));
        let (bytes, version) = s.get("wal/1/x").unwrap().unwrap();
        assert_eq!(bytes, b"one");
        s.replace("wal/1/x", b"two", &version).unwrap();
        assert!(matches!(s.replace("wal/1/x", b"three", &version), Err(StoreError::Changed(_))));
        s.create("wal/1/y", b"").unwrap();
        assert_eq!(s.list("wal/1/").unwrap(), ["wal/1/x", "wal/1/y"]);
        assert_eq!(s.list("wal/1/y").unwrap(), ["wal/1/y"]);
        assert!(s.list("data/").unwrap().is_empty());
        s.delete("wal/1/x").unwrap();
        s.delete("wal/1/x").unwrap();
        assert_eq!(s.list("").unwrap(), ["wal/1/y"]);
    }

    #[test]
    fn missing_credentials_are_named() {
        let asked = "Error performing PUT http://169.254.169.254/latest/api/token in 1s";
        assert!(explained(asked.into()).contains("AWS_ACCESS_KEY_ID"));
        assert_eq!(explained("503 Slow Down".into()), "503 Slow Down");
    }

    #[test]
    fn urls_that_cannot_be_used_are_refused_without_their_secrets() {
        for url in ["ftp://a/b", "no url", "s3://", "file://relative/path"] {
            assert!(matches!(open(url), Err(Error::InvalidArgument(_))), "{url}");
        }
        assert_eq!(shown("s3://key:secret@bucket/a?token=x"), "s3://key@bucket/a");
        assert!(open("file:///nowhere/at/all").unwrap().describe().contains("/nowhere/at/all"));
    }
}
