//! `evenkeel tls create`: a certificate authority of one's own, and the server's certificate and key.
//!
//! Invariants
//! 1. Nothing that is there is written over.
//! 2. Keys are readable by their owner alone, from their first byte on.
//!
//! It must not know what the server does with them.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Write, stdout};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use evenkeel::base::clock::wall_ms;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::folder::{Content, content, must_hold_database};
use crate::{CliError, io_error};

pub(crate) const EXAMPLES: &str = "Writes four files into the database's folder, and says what to set:
  root.crt     the authority's certificate: clients get a copy of it
  root.key     the authority's key: keep it elsewhere, or remove it if no more certificates are to be made
  server.crt   the server's certificate, signed by the authority
  server.key   the server's key

Example:
  evenkeel tls create --data /srv/db --host db.example.org --host 10.0.0.5
  evenkeel serve --data /srv/db --set ssl=on
  psql 'host=db.example.org port=5433 dbname=postgres sslmode=verify-full sslrootcert=root.crt'";

/// How long the authority's certificate is good for, days.
const AUTHORITY_DAYS: u32 = 3650;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Subcommand)]
pub(crate) enum TlsCommand {
    /// Make a certificate authority, and the server's certificate and key
    #[command(after_help = EXAMPLES)]
    Create(CreateArgs),
}

/// For whom, and where.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Folder of the database
    #[arg(long, value_name = "DIR", default_value = "./evenkeel-data")]
    pub data: PathBuf,
    /// A name or address that clients reach the server by; may be repeated [default: localhost, 127.0.0.1, ::1]
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// How long the server's certificate is good for
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub days: u32,
}

/// Does it.
pub(crate) fn run(command: &TlsCommand) -> Result<ExitCode, CliError> {
    let TlsCommand::Create(args) = command;
    may_have_files(&args.data)?;
    let mut hosts = args.host.clone();
    if hosts.is_empty() {
        hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    }
    let files = make(&hosts, args.days).map_err(|e| CliError::Folder(e.to_string()))?;
    write_all(&args.data, &files)?;
    let folder = args.data.display();
    let text = format!(
        "{folder} has root.crt, root.key, server.crt and server.key now, for {}.

Set ssl = true in the server's evenkeel.toml, or start it with --set ssl=on; a running one takes it up at
SIGHUP or SELECT pg_reload_conf(). Clients who are to know whom they talk to get a copy of root.crt:
  sslmode=verify-full sslrootcert=root.crt

Keep root.key where the server's machine does not need it: whoever has it can make certificates.
",
        hosts.join(", ")
    );
    stdout().write_all(text.as_bytes()).map_err(io_error("standard output"))?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder, where there is none: who lays out a machine does so before the first start. Refuses one of other things than a database.
fn may_have_files(data: &Path) -> Result<(), CliError> {
    if matches!(content(data)?, Content::Nothing) {
        return DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(data)
            .map_err(io_error(data.display().to_string()));
    }
    must_hold_database(data)
}

/// A file's name, what is in it, and who may read it.
type Made = (&'static str, String, u32);

fn make(hosts: &[String], days: u32) -> Result<Vec<Made>, rcgen::Error> {
    let mut authority = params(&[], "evenkeel certificate authority", AUTHORITY_DAYS.max(days))?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;

    let mut server = params(hosts, &hosts[0], days)?;
    server.is_ca = IsCa::ExplicitNoCa;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate()?;
    let certificate = server.signed_by(&key, &authority)?;
    Ok(vec![
        ("root.crt", authority.pem(), 0o644),
        ("root.key", authority.key().serialize_pem(), 0o600),
        ("server.crt", certificate.pem(), 0o644),
        ("server.key", key.serialize_pem(), 0o600),
    ])
}

fn params(hosts: &[String], name: &str, days: u32) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(hosts.to_vec())?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = Duration::from_millis(wall_ms());
    let epoch = date_time_ymd(1970, 1, 1);
    // Clocks differ.
    params.not_before = epoch + now.saturating_sub(DAY);
    params.not_after = epoch + now + DAY * days;
    Ok(params)
}

/// All or, if one is there already, none. (1)
fn write_all(folder: &Path, files: &[Made]) -> Result<(), CliError> {
    let mut open: Vec<(PathBuf, File)> = Vec::new();
    let written = files.iter().try_for_each(|(name, text, mode)| {
        let path = folder.join(name);
        let mut options = OpenOptions::new();
        let made = options.create_new(true).write(true).mode(*mode).open(&path);
        let mut file = made.map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                CliError::Folder(format!("{} exists already: remove it first", path.display()))
            }
            _ => io_error(path.display().to_string())(e),
        })?;
        let done = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let shown = path.display().to_string();
        open.push((path, file));
        done.map_err(io_error(shown))
    });
    if written.is_err() {
        open.iter().for_each(|(path, _)| _ = std::fs::remove_file(path));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn keys_are_their_owners_alone_and_nothing_is_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let files = make(&["localhost".into(), "127.0.0.1".into()], 1).unwrap();
        write_all(dir.path(), &files).unwrap();
        for (name, text, mode) in &files {
            let path = dir.path().join(name);
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777 & !mode, 0, "{name}");
            assert_eq!(&std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::remove_file(dir.path().join("root.crt")).unwrap();
        let e = write_all(dir.path(), &make(&["b".into()], 1).unwrap()).unwrap_err();
        assert!(e.to_string().contains("root.key exists already"), "{e}");
        assert!(!dir.path().join("root.crt").exists(), "none or all");
        assert_eq!(std::fs::read_to_string(dir.path().join("server.key")).unwrap(), files[3].1);
    }
}
