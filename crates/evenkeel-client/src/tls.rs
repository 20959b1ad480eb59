//! Encryption as a client: whom it trusts, what it shows of itself. libpq's rules.
//!
//! Invariants
//! 1. `verify-ca` and `verify-full` never go on without a root certificate; `verify-full` never with another host's certificate.
//! 2. Where a root certificate is there, the server's has to lead to it, whatever the mode.
//!
//! It must not know the protocol within.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    CertificateDer, CertificateRevocationListDer, IpAddr, Ipv4Addr, PrivateKeyDer, ServerName, UnixTime,
};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use crate::certificate::Certificate;
use crate::conn_string::{SslMode, SslOptions};
use crate::connection::{WireError, protocol};

/// PostgreSQL's protocol, as it is named within the handshake.
const ALPN: &[u8] = b"postgresql";
/// The folder in a user's home with what is not named.
const FOLDER: &str = ".postgresql";

/// What begins a handshake with `host`.
pub(crate) fn begin(ssl: &SslOptions, host: &str) -> Result<ClientConnection, WireError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Verifier::new(ssl, host)?);
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(tls_error)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match own_certificate(ssl)? {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(tls_error)?,
    };
    config.alpn_protocols = vec![ALPN.to_vec()];
    // What is no name of the DNS is not sent along; who is meant is checked by `Certificate::is_for`.
    let name = ServerName::try_from(host.to_owned())
        .unwrap_or(ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0, 0, 0, 0]))));
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(tls_error)?;
    connection.set_buffer_limit(None);
    Ok(connection)
}

/// What went wrong, in as few words as there are.
pub(crate) fn tls_error(e: rustls::Error) -> WireError {
    match e {
        rustls::Error::General(message) => protocol(message),
        e => protocol(format!("SSL error: {e}")),
    }
}

fn in_home(name: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|h| !h.is_empty())?;
    Some(Path::new(&home).join(FOLDER).join(name))
}

fn named_or(name: &Option<String>, default: &str) -> Option<PathBuf> {
    name.as_ref().map(PathBuf::from).or_else(|| in_home(default))
}

fn could_not_read(what: &str, path: &Path, why: &dyn std::fmt::Display) -> WireError {
    protocol(format!("could not read {what} file \"{}\": {why}", path.display()))
}

fn certificates(what: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, WireError> {
    let pem = std::fs::read(path).map_err(|e| could_not_read(what, path, &e))?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err(could_not_read(what, path, &"no certificate in it")),
        Err(e) => Err(could_not_read(what, path, &e)),
    }
}

/// A chain of certificates, and the key of the first.
type OwnCertificate = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The certificate that the server is shown if it asks, if there is one.
fn own_certificate(ssl: &SslOptions) -> Result<Option<OwnCertificate>, WireError> {
    let Some(path) = named_or(&ssl.cert, "postgresql.crt").filter(|p| p.exists()) else { return Ok(None) };
    let chain = certificates("certificate", &path)?;
    let missing = |path: &Path| {
        protocol(format!("certificate present, but not private key file \"{}\"", path.display()))
    };
    let path = named_or(&ssl.key, "postgresql.key").unwrap_or_default();
    let m = std::fs::metadata(&path).map_err(|_| missing(&path))?;
    if !m.is_file() {
        return Err(protocol(format!("private key file \"{}\" is not a regular file", path.display())));
    }
    let forbidden = if m.uid() == 0 { 0o037 } else { 0o077 };
    if m.mode() & forbidden != 0 {
        return Err(protocol(format!(
            "private key file \"{}\" has group or world access; file must have permissions u=rw (0600) or less if owned by the current user, or permissions u=rw,g=r (0640) or less if owned by root",
            path.display()
        )));
    }
    let key = PrivateKeyDer::from_pem_file(&path)
        .map_err(|e| protocol(format!("could not load private key file \"{}\": {e}", path.display())))?;
    Ok(Some((chain, key)))
}

/// Decides whether a server is the right one.
#[derive(Debug)]
struct Verifier {
    /// Of roots that are there.
    chain: Option<Arc<WebPkiServerVerifier>>,
    roots: Vec<CertificateDer<'static>>,
    /// Whom the certificate has to be for.
    host: Option<String>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn new(ssl: &SslOptions, host: &str) -> Result<Verifier, WireError> {
        let provider = ring::default_provider();
        let roots = roots(ssl)?;
        let chain = if roots.is_empty() {
            None
        } else {
            let mut store = RootCertStore::empty();
            for root in &roots {
                let added = store.add(root.clone());
                // Of the system's, some may be of a kind that is not known here.
                if ssl.root_cert.as_deref() != Some("system") {
                    added.map_err(tls_error)?;
                }
            }
            let mut builder =
                WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::new(provider.clone()));
            if let Some(path) = named_or(&ssl.crl, "root.crl").filter(|p| ssl.crl.is_some() || p.exists()) {
                let lists = CertificateRevocationListDer::pem_file_iter(&path);
                let lists = lists.and_then(Iterator::collect::<Result<Vec<_>, _>>);
                let what = "certificate revocation list";
                builder = builder.with_crls(lists.map_err(|e| could_not_read(what, &path, &e))?);
            }
            Some(builder.build().map_err(|e| protocol(e.to_string()))?)
        };
        let host = (ssl.mode == SslMode::VerifyFull).then(|| host.to_owned());
        Ok(Verifier { chain, roots, host, algorithms: provider.signature_verification_algorithms })
    }
}

/// Certificates that are trusted; none: any server is. (1)
fn roots(ssl: &SslOptions) -> Result<Vec<CertificateDer<'static>>, WireError> {
    if ssl.root_cert.as_deref() == Some("system") {
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            let why = found.errors.first().map_or(String::new(), |e| format!(": {e}"));
            return Err(protocol(format!("could not load system root certificate paths{why}")));
        }
        return Ok(found.certs);
    }
    let path = named_or(&ssl.root_cert, "root.crt");
    match path {
        Some(path) if path.exists() => certificates("root certificate", &path),
        _ if ssl.mode < SslMode::VerifyCa => Ok(Vec::new()),
        Some(path) => Err(protocol(format!(
            "root certificate file \"{}\" does not exist. Either provide the file, use the system's trusted roots with sslrootcert=system, or change sslmode to disable server certificate verification.",
            path.display()
        ))),
        None => Err(protocol(
            "could not get home directory to locate root certificate file. Either provide the file, use the system's trusted roots with sslrootcert=system, or change sslmode to disable server certificate verification.",
        )),
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use rustls::Error::{General, InvalidCertificate};
        if let Some(chain) = &self.chain {
            match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
                // The name is looked at last, and below by libpq's rules.
                Ok(_)
                | Err(InvalidCertificate(
                    CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                )) => {}
                // One that signed itself, as openssl makes it, is a root and the server's own at once.
                Err(e) if self.roots.iter().any(|root| root == end_entity) => {
                    let read = Certificate::parse(end_entity).map_err(|e| General(e.to_string()))?;
                    if !read.is_valid_at(now.as_secs()) {
                        return Err(match e {
                            InvalidCertificate(CertificateError::NotValidYet) => e,
                            _ => InvalidCertificate(CertificateError::Expired),
                        });
                    }
                }
                Err(e) => return Err(e),
            }
        }
        if let Some(host) = &self.host {
            let read = Certificate::parse(end_entity).map_err(|e| General(e.to_string()))?;
            read.is_for(host).map_err(|e| General(e.to_string()))?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
