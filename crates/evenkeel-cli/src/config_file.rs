//! The configuration file as something to change: settings go in, everything else in it stays as it is.
//!
//! It must not know which settings there are.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use evenkeel_lab::logdisk::Advice;
use toml_edit::{DocumentMut, value};

use crate::config::ConfigError;
use crate::{CliError, io_error};

/// Puts one setting into the file at `path`, which need not exist.
pub(crate) fn keep(path: &Path, name: &str, text: &str) -> Result<(), CliError> {
    let advice = Advice { setting: name.into(), value: text.into(), reason: String::new() };
    ConfigFile::read(path)?.write(&[advice], |_, _| true).map(drop)
}

/// Takes one setting out of the file at `path`, or with `None` all of them.
pub(crate) fn take_out(path: &Path, name: Option<&str>) -> Result<(), CliError> {
    let mut file = ConfigFile::read(path)?;
    match name {
        Some(name) => _ = file.document.remove(name),
        None => file.document.clear(),
    }
    if path.exists() { file.replace() } else { Ok(()) }
}

/// A configuration file that is changed in place.
pub(crate) struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads it; one that does not exist is empty.
    pub fn read(path: &Path) -> Result<ConfigFile, CliError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(ConfigError::Read { file: path.to_path_buf(), source }.into()),
        };
        let document = text.parse().map_err(|e: toml_edit::TomlError| {
            io_error(path.display().to_string())(std::io::Error::other(e))
        })?;
        Ok(ConfigFile { path: path.to_path_buf(), document })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts in what `known` takes and replaces the file in one step. Says what was done.
    pub fn write(
        mut self,
        settings: &[Advice],
        known: impl Fn(&str, &str) -> bool,
    ) -> Result<String, CliError> {
        let (taken, left): (Vec<&Advice>, Vec<&Advice>) =
            settings.iter().partition(|s| known(&s.setting, &s.value));
        let names = |list: &[&Advice]| {
            list.iter().map(|s| format!("{} = {}", s.setting, s.value)).collect::<Vec<_>>().join(", ")
        };
        for setting in &taken {
            let new = match setting.value.parse::<i64>() {
                Ok(number) => value(number),
                Err(_) => value(&setting.value),
            };
            self.document[&setting.setting] = new;
        }
        let file = self.path.display();
        let mut said = match taken.is_empty() {
            true => format!("{file}: not changed"),
            false => format!("{file}: now has {}", names(&taken)),
        };
        if !left.is_empty() {
            said += &format!("; left out, as this version has no such settings: {}", names(&left));
        }
        if !taken.is_empty() {
            self.replace()?;
        }
        Ok(said)
    }

    /// Writes beside it and renames, so that the file is whole at any time; keeps its permissions.
    fn replace(&self) -> Result<(), CliError> {
        let wrong = |e| io_error(self.path.display().to_string())(e);
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        // It may hold verifiers of passwords: nobody else's to read, not even for a moment.
        let mut file = std::fs::OpenOptions::new();
        let written = file
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&new)
            .and_then(|mut file| file.write_all(self.document.to_string().as_bytes()))
            .and_then(|()| match std::fs::metadata(&path) {
                Ok(old) => std::fs::set_permissions(&new, old.permissions()),
                Err(_) => Ok(()),
            })
            .and_then(|()| std::fs::File::open(&new)?.sync_all())
            .and_then(|()| std::fs::rename(&new, &path));
        written.map_err(|e| {
            let _ = std::fs::remove_file(&new);
            wrong(e)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(setting: &str, value: &str) -> Advice {
        Advice { setting: setting.into(), value: value.into(), reason: String::new() }
    }

    #[test]
    fn known_settings_go_into_the_file_and_everything_else_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        let before = "# mine\nport = 6000 # odd\nwal_flush_depth = 4\n\n[users]\nann = \"x\"\n";
        std::fs::write(&path, before).unwrap();
        let settings =
            [advice("wal_flush_depth", "1"), advice("wal_sync_method", "direct"), advice("new", "1")];
        let said = ConfigFile::read(&path).unwrap().write(&settings, |name, _| name != "new").unwrap();
        let after = "# mine\nport = 6000 # odd\nwal_flush_depth = 1\nwal_sync_method = \"direct\"\n\n[users]\nann = \"x\"\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        assert!(said.contains("left out") && said.ends_with("new = 1"), "{said}");
    }

    #[test]
    fn a_file_that_is_not_there_is_made_only_if_there_is_something_to_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        let settings = [advice("wal_flush_depth", "1")];
        ConfigFile::read(&path).unwrap().write(&settings, |_, _| false).unwrap();
        assert!(!path.exists());
        ConfigFile::read(&path).unwrap().write(&settings, |_, _| true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "wal_flush_depth = 1\n");
    }

    #[test]
    fn a_broken_file_is_named_before_anything_is_measured() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evenkeel.toml");
        std::fs::write(&path, "port = ").unwrap();
        let error = ConfigFile::read(&path).err().unwrap().to_string();
        assert!(error.contains("evenkeel.toml"), "{error}");
    }
}
