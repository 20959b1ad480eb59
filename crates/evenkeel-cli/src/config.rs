//! Settings from the configuration file and the command line.
//!
//! Duty: read TOML, give each setting to whom it belongs (server, engine, or every session), and name file and key in errors.
//! What ALTER SYSTEM has written goes over the file, and the command line over both.
//!
//! It must not know what settings mean.

use std::path::{Path, PathBuf};

use evenkeel::{Options, Preset};
use evenkeel_server::{ServerSettings, Users};
use evenkeel_sql::session::settings::Settings;

/// The file looked for in the database's folder.
pub(crate) const FILE_NAME: &str = "evenkeel.toml";
/// The file in the database's folder that ALTER SYSTEM writes: it goes over the other.
pub(crate) const AUTO_FILE_NAME: &str = "evenkeel.auto.toml";

/// What is wrong with the configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// It cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not TOML.
    #[error("{}: {source}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A key or its value is wrong.
    #[error("{place}: {key}: {why}")]
    Key {
        /// The file, or the command line.
        place: String,
        /// The setting.
        key: String,
        /// What is wrong.
        why: String,
    },
    /// `--set` without `=`.
    #[error("--set {0}: must be of the form name=value")]
    NotAnAssignment(String),
}

/// Everything that can be configured.
#[derive(Default)]
pub(crate) struct Config {
    pub engine: Options,
    pub server: ServerSettings,
    pub users: Users,
    /// Settings that every session starts with.
    pub session_defaults: Vec<(String, String)>,
    /// The preset under the settings, if one was named.
    pub preset: Option<&'static Preset>,
    /// Where each setting came from, for errors that are found later.
    places: Vec<(String, String)>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config").field("places", &self.places).finish_non_exhaustive()
    }
}

impl Config {
    /// Reads `file` (or the one in `folder`, if there is one), then the preset, then `--set` assignments.
    pub fn load(
        file: Option<&Path>,
        folder: &Path,
        preset: Option<&str>,
        assignments: &[String],
    ) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        config.add(file, folder, &[])?;
        if let Some(preset) = preset {
            config.set_preset("--preset", preset)?;
        }
        config.add_auto(folder)?;
        config.assign(assignments)?;
        config.reach_archive()?;
        Ok(config)
    }

    /// Hands the engine the store that `archive_url` names. Nothing is sent yet.
    fn reach_archive(&mut self) -> Result<(), ConfigError> {
        let url = self.engine.archive_url().to_owned();
        if !url.is_empty() {
            let store =
                evenkeel_archive::open(&url).map_err(|e| self.error("archive_url", &e.to_string()))?;
            self.engine = std::mem::take(&mut self.engine).with_archive_store(store);
        }
        Ok(())
    }

    fn add_auto(&mut self, folder: &Path) -> Result<(), ConfigError> {
        let file = folder.join(AUTO_FILE_NAME);
        match std::fs::read_to_string(&file) {
            Ok(text) => self.read(&file, &text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(ConfigError::Read { file, source }),
        }
    }

    /// Puts `file` (or the one in `folder`, if there is one), then `--set` assignments over what it has.
    pub fn add(
        &mut self,
        file: Option<&Path>,
        folder: &Path,
        assignments: &[String],
    ) -> Result<(), ConfigError> {
        let in_folder = folder.join(FILE_NAME);
        let file = match file {
            Some(file) => Some(file),
            None => in_folder.is_file().then_some(in_folder.as_path()),
        };
        if let Some(file) = file {
            let text = std::fs::read_to_string(file)
                .map_err(|source| ConfigError::Read { file: file.to_path_buf(), source })?;
            self.read(file, &text)?;
        }
        self.assign(assignments)
    }

    fn assign(&mut self, assignments: &[String]) -> Result<(), ConfigError> {
        for assignment in assignments {
            let Some((name, value)) = assignment.split_once('=') else {
                return Err(ConfigError::NotAnAssignment(assignment.clone()));
            };
            self.set("command line", name.trim(), value)?;
        }
        Ok(())
    }

    fn read(&mut self, file: &Path, text: &str) -> Result<(), ConfigError> {
        let table: toml::Table = text
            .parse()
            .map_err(|e| ConfigError::Syntax { file: file.to_path_buf(), source: Box::new(e) })?;
        let place = file.display().to_string();
        // First, whatever its line: the settings beside it go over it.
        if let Some(preset) = table.get("preset") {
            let wrong = || ConfigError::Key {
                place: place.clone(),
                key: "preset".into(),
                why: "must be a string".into(),
            };
            self.set_preset(&place, preset.as_str().ok_or_else(wrong)?)?;
        }
        for (key, value) in table.iter().filter(|(key, _)| *key != "preset") {
            let wrong = |why: String| ConfigError::Key { place: place.clone(), key: key.clone(), why };
            match value {
                toml::Value::Table(users) if key == "users" => {
                    for (user, verifier) in users {
                        let verifier =
                            verifier.as_str().ok_or_else(|| wrong(format!("{user}: must be a string")))?;
                        self.users.add(user, verifier).map_err(|e| wrong(e.to_string()))?;
                    }
                }
                toml::Value::Table(_) => return Err(wrong("unknown section".into())),
                value => {
                    let text = text_of(value)
                        .ok_or_else(|| wrong("must be text, a number, true or false".into()))?;
                    self.set(&place, key, &text)?;
                }
            }
        }
        Ok(())
    }

    /// Sets a preset's settings.
    fn set_preset(&mut self, place: &str, name: &str) -> Result<(), ConfigError> {
        let preset = Preset::find(name).map_err(|e| ConfigError::Key {
            place: place.into(),
            key: "preset".into(),
            why: e.to_string(),
        })?;
        for (name, value) in preset.settings {
            self.set(place, name, value)?;
        }
        self.preset = Some(preset);
        Ok(())
    }

    /// Gives one setting to whom it belongs.
    pub fn set(&mut self, place: &str, name: &str, value: &str) -> Result<(), ConfigError> {
        let name = name.to_ascii_lowercase();
        let wrong = |why: String| ConfigError::Key { place: place.into(), key: name.clone(), why };
        if ServerSettings::has(&name) {
            self.server.set(&name, value).map_err(|e| wrong(e.to_string()))?;
            // What a start finds is told only when they have it.
            self.engine = std::mem::take(&mut self.engine).with_synchronous(self.server.synchronous());
        } else if Options::has(&name) {
            self.engine.set(&name, value).map_err(|e| wrong(e.to_string()))?;
        } else if is_session_setting(&name) {
            self.session_defaults.push((name.clone(), value.to_string()));
        } else {
            return Err(wrong("there is no setting of this name (evenkeel settings lists them)".into()));
        }
        self.places.push((name, place.to_string()));
        Ok(())
    }

    /// Whether there is such a setting.
    pub fn knows(name: &str) -> bool {
        ServerSettings::has(name) || Options::has(name) || is_session_setting(name)
    }

    /// Whether a setting was given.
    pub fn has(&self, name: &str) -> bool {
        self.places.iter().any(|(n, _)| n == name)
    }

    /// The text of a setting of the engine or the server, or of one that sessions are given.
    pub fn shown(&self, name: &str) -> Option<String> {
        let given =
            self.session_defaults.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        let rows = || self.engine.settings().into_iter().chain(self.server.rows(None));
        given.or_else(|| rows().find(|row| row.name == name).map(|row| row.value))
    }

    /// The value of one that is a size, in bytes.
    pub fn bytes(&self, name: &str) -> Option<u64> {
        self.shown(name).and_then(|text| evenkeel::settings::bytes(&text).ok())
    }

    /// Checks the sessions' defaults, which only a session can, by starting one.
    pub fn check_session_defaults(
        &self,
        instance: &std::sync::Arc<evenkeel_sql::Instance>,
    ) -> Result<(), ConfigError> {
        for pair in &self.session_defaults {
            if let Err(e) = instance.session(crate::sql::session_params(vec![pair.clone()])) {
                return Err(self.error(&pair.0, &e.message));
            }
        }
        Ok(())
    }

    /// An error in a setting's value that was found after it was read.
    pub fn error(&self, name: &str, why: &str) -> ConfigError {
        let place = self.places.iter().rev().find(|(n, _)| n == name).map(|(_, p)| p.clone());
        ConfigError::Key { place: place.unwrap_or_default(), key: name.to_owned(), why: why.to_owned() }
    }
}

/// A value as the text of a setting; lists with commas.
fn text_of(value: &toml::Value) -> Option<String> {
    Some(match value {
        toml::Value::String(s) => s.clone(),
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::Boolean(b) => if *b { "on" } else { "off" }.to_string(),
        toml::Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(text_of).collect();
            items?.join(",")
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => return None,
    })
}

/// Settings with a dot belong to the applications.
fn is_session_setting(name: &str) -> bool {
    name.contains('.') || Settings::new("").exists(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, assignments: &[&str]) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), text).unwrap();
        let assignments: Vec<String> = assignments.iter().map(|a| a.to_string()).collect();
        Config::load(None, dir.path(), None, &assignments)
    }

    #[test]
    fn the_command_line_goes_over_the_file() {
        let c = load(
            "port = 6000\nlisten_addresses = [\"127.0.0.1\", \"::1\"]\nlog_connections = true",
            &["port=7000"],
        );
        let c = c.unwrap();
        assert_eq!(c.server.show(evenkeel_server::settings::Id::Port), "7000");
        assert_eq!(c.server.show(evenkeel_server::settings::Id::ListenAddresses), "127.0.0.1,::1");
        assert_eq!(c.server.show(evenkeel_server::settings::Id::LogConnections), "on");
    }

    #[test]
    fn errors_name_file_and_key() {
        let message = |text: &str| load(text, &[]).unwrap_err().to_string();
        for (text, key) in [
            ("max_connections = \"lots\"", "max_connections"),
            ("shared_buffers = \"lots\"", "shared_buffers"),
            ("nonsense = 1", "nonsense"),
            ("[nonsense]\na = 1", "nonsense"),
            ("[users]\nann = \"secret\"", "ann"),
            ("port = 1979-05-27", "port"),
            ("port = ", "evenkeel.toml"),
        ] {
            let message = message(text);
            assert!(message.contains(key) && message.contains(FILE_NAME), "{message}");
        }
        assert!(load("", &["port"]).unwrap_err().to_string().contains("name=value"));
        assert!(load("", &["port=x"]).unwrap_err().to_string().contains("command line: port"));
    }

    #[test]
    fn a_missing_file_is_an_error_only_when_it_was_named() {
        let dir = tempfile::tempdir().unwrap();
        Config::load(None, dir.path(), None, &[]).unwrap();
        assert!(Config::load(Some(&dir.path().join("x.toml")), dir.path(), None, &[]).is_err());
    }
}
