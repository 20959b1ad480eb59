//! Settings from the configuration file and the command line.
//!
//! Duty: read TOML, give each setting to whom it belongs (server, engine, or every session), and name file and key in errors.
//! What ALTER SYSTEM has written goes over the file, and the command line over both.
//!
//! It must not know what settings mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evenkeel::settings::{Line, Shown};
use evenkeel::{Options, Preset};
use evenkeel_server::{ServerSettings, Users};
use evenkeel_sql::session::settings::Settings;
use evenkeel_sql::{Given, SqlError, SqlState};

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
    /// A key is wrong.
    #[error("{place}: {key}: {why}")]
    Key {
        /// The file, or the command line.
        place: String,
        /// The setting.
        key: String,
        /// What is wrong.
        why: String,
    },
    /// A setting does not take its value.
    #[error("{place}: {key}: {}", told(why))]
    Value {
        /// The file, or the command line.
        place: String,
        /// The setting.
        key: String,
        /// What is wrong.
        why: Box<SqlError>,
    },
    /// `--set` without `=`.
    #[error("--set {0}: must be of the form name=value")]
    NotAnAssignment(String),
}

impl ConfigError {
    /// The file, or what else it is of.
    pub fn place(&self) -> String {
        match self {
            ConfigError::Read { file, .. } | ConfigError::Syntax { file, .. } => file.display().to_string(),
            ConfigError::Key { place, .. } | ConfigError::Value { place, .. } => place.clone(),
            ConfigError::NotAnAssignment(_) => COMMAND_LINE.into(),
        }
    }
}

/// Within a line.
fn told(e: &SqlError) -> String {
    match e.detail.as_ref().or(e.hint.as_ref()) {
        Some(more) => format!("{} ({})", e.message, more.trim_end_matches('.')),
        None => e.message.clone(),
    }
}

/// Where a setting came from.
#[derive(Clone, Debug)]
struct Place {
    shown: String,
    /// PostgreSQL's word.
    source: &'static str,
    line: Option<Line>,
}

impl Place {
    fn of(shown: &str) -> Place {
        let is_told = shown == COMMAND_LINE || shown.starts_with("--");
        Place { shown: shown.into(), source: if is_told { COMMAND_LINE } else { "override" }, line: None }
    }
}

const COMMAND_LINE: &str = "command line";

/// What a line of a file says.
#[derive(Clone, Debug)]
pub(crate) struct FileLine {
    pub at: Line,
    /// None: the file is no TOML from here on.
    pub setting: Option<(String, String)>,
    /// Why it is not taken.
    pub error: Option<&'static str>,
}

/// Everything that can be configured.
#[derive(Default)]
pub(crate) struct Config {
    pub engine: Options,
    pub server: ServerSettings,
    pub users: Users,
    /// Settings that every session starts with.
    pub session_defaults: Vec<(String, Given)>,
    /// The preset under the settings, if one was named.
    pub preset: Option<&'static Preset>,
    /// What the files say, in their order.
    pub lines: Vec<FileLine>,
    /// Where each setting came from.
    places: Vec<(String, Place)>,
    mistakes: Vec<ConfigError>,
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
        Config::gather(file, folder, preset, assignments).checked()
    }

    /// The same, with all that is wrong.
    pub fn gather(
        file: Option<&Path>,
        folder: &Path,
        preset: Option<&str>,
        assignments: &[String],
    ) -> Config {
        let mut config = Config::default();
        config.read_first(file, folder);
        if let Some(preset) = preset {
            config.set_preset(&Place::of("--preset"), preset);
        }
        let auto = folder.join(AUTO_FILE_NAME);
        config.read(&auto, true);
        config.assign(assignments);
        if let Err(e) = config.reach_archive() {
            config.mistake(e);
        }
        config
    }

    /// Without a mistake, or the first one.
    pub fn checked(mut self) -> Result<Config, ConfigError> {
        match self.mistakes.is_empty() {
            true => Ok(self),
            false => Err(self.mistakes.swap_remove(0)),
        }
    }

    /// All that is wrong.
    pub fn mistakes(&self) -> &[ConfigError] {
        &self.mistakes
    }

    /// Settings that do not take what they are given.
    pub fn bad(&self) -> impl Iterator<Item = &str> {
        self.mistakes.iter().filter_map(|m| match m {
            ConfigError::Value { key, .. } => Some(&**key),
            _ => None,
        })
    }

    /// Whether it is worse than that: nothing of it is to be taken, as in PostgreSQL.
    pub fn is_refused(&self) -> bool {
        self.bad().count() < self.mistakes.len()
    }

    /// What is bad stays as it is in force.
    pub fn keep_bad(&mut self, in_force: impl Fn(&str) -> Option<String>) {
        let bad: Vec<String> = self.bad().map(str::to_owned).collect();
        for name in bad {
            let place = self.place(&name).cloned().unwrap_or_else(|| Place::of(COMMAND_LINE));
            if let Some(value) = in_force(&name)
                && let Err(e) = self.set_at(&place, &name, &value)
            {
                self.mistake(e);
            }
        }
    }

    /// Hands the engine the store that `archive_url` names. Nothing is sent yet.
    pub fn reach_archive(&mut self) -> Result<(), ConfigError> {
        let url = self.engine.archive_url().to_owned();
        if !url.is_empty() {
            let store = evenkeel_archive::open(&url).map_err(|e| {
                let why = format!("invalid value for parameter \"archive_url\": \"{url}\"");
                let why = SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why).with_detail(e.to_string());
                self.wrong_value("archive_url", why)
            })?;
            self.engine = std::mem::take(&mut self.engine).with_archive_store(store);
        }
        Ok(())
    }

    /// Puts `file` (or the one in `folder`, if there is one), then `--set` assignments over what it has.
    pub fn add(
        &mut self,
        file: Option<&Path>,
        folder: &Path,
        assignments: &[String],
    ) -> Result<(), ConfigError> {
        self.read_first(file, folder);
        self.assign(assignments);
        *self = std::mem::take(self).checked()?;
        Ok(())
    }

    fn read_first(&mut self, file: Option<&Path>, folder: &Path) {
        match file {
            Some(file) => self.read(file, false),
            None => {
                let in_folder = folder.join(FILE_NAME);
                if in_folder.is_file() {
                    self.read(&in_folder, false);
                }
            }
        }
    }

    fn assign(&mut self, assignments: &[String]) {
        for assignment in assignments {
            let set = match assignment.split_once('=') {
                Some((name, value)) => self.set(COMMAND_LINE, name.trim(), value),
                None => Err(ConfigError::NotAnAssignment(assignment.clone())),
            };
            if let Err(e) = set {
                self.mistake(e);
            }
        }
    }

    /// Something is wrong.
    pub fn mistake(&mut self, e: ConfigError) {
        self.mistakes.push(e);
    }

    fn read(&mut self, file: &Path, may_lack: bool) {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(e) if may_lack && e.kind() == std::io::ErrorKind::NotFound => return,
            Err(source) => return self.mistake(ConfigError::Read { file: file.to_path_buf(), source }),
        };
        let shown = file.display().to_string();
        let whole =
            std::path::absolute(file).map_or_else(|_| shown.clone(), |file| file.display().to_string());
        let whole: Arc<str> = whole.into();
        let place = |at: usize| {
            let before = text.as_bytes().get(..at).unwrap_or_default();
            let number = 1 + before.iter().filter(|b| **b == b'\n').count() as u32;
            Place {
                shown: shown.clone(),
                source: "configuration file",
                line: Some(Line { file: whole.clone(), number }),
            }
        };
        let table: BTreeMap<String, toml::Spanned<toml::Value>> = match toml::from_str(&text) {
            Ok(table) => table,
            Err(e) => {
                let place = place(e.span().map_or(0, |span| span.start));
                self.lines.extend(place.line.map(|at| FileLine {
                    at,
                    setting: None,
                    error: Some("syntax error"),
                }));
                return self.mistake(ConfigError::Syntax { file: file.to_path_buf(), source: Box::new(e) });
            }
        };
        let mut entries: Vec<_> = table.into_iter().collect();
        // First a preset, whatever its line: the settings beside it go over it.
        entries.sort_by_key(|(key, value)| (key != "preset", value.span().start));
        for (key, value) in entries {
            let place = place(value.span().start);
            match value.into_inner() {
                toml::Value::Table(users) if key == "users" => self.read_users(&place, &users),
                toml::Value::Table(_) => self.mistake(wrong_key(&place, &key, "unknown section".into())),
                value => self.read_setting(place, &key, &value),
            }
        }
    }

    fn read_users(&mut self, place: &Place, users: &toml::Table) {
        for (user, verifier) in users {
            let added = match verifier.as_str() {
                None => Err(format!("{user}: must be a string")),
                Some(verifier) => self.users.add(user, verifier).map_err(|e| e.to_string()),
            };
            if let Err(why) = added {
                self.mistake(wrong_key(place, "users", why));
            }
        }
    }

    fn read_setting(&mut self, place: Place, key: &str, value: &toml::Value) {
        let text = match (key, value) {
            ("preset", value) => value.as_str().map(str::to_owned).ok_or("must be a string"),
            (_, value) => text_of(value).ok_or("must be text, a number, true or false"),
        };
        let shown = text.as_ref().map_or_else(|_| value.to_string(), Clone::clone);
        let mistakes = self.mistakes.len();
        match text {
            Err(why) => self.mistake(wrong_key(&place, key, why.into())),
            Ok(name) if key == "preset" => self.set_preset(&place, &name),
            Ok(text) => {
                if let Err(e) = self.set_at(&place, key, &text) {
                    self.mistake(e);
                }
            }
        }
        let error = match self.mistakes.get(mistakes) {
            None => None,
            Some(ConfigError::Key { .. }) if !Config::knows(key) => {
                Some("unrecognized configuration parameter")
            }
            Some(_) => Some("setting could not be applied"),
        };
        self.lines.extend(place.line.map(|at| FileLine { at, setting: Some((key.into(), shown)), error }));
    }

    /// Sets a preset's settings.
    fn set_preset(&mut self, place: &Place, name: &str) {
        let preset = match Preset::find(name) {
            Ok(preset) => preset,
            Err(e) => return self.mistake(wrong_key(place, "preset", e.to_string())),
        };
        for (name, value) in preset.settings {
            if let Err(e) = self.set_at(place, name, value) {
                self.mistake(e);
            }
        }
        self.preset = Some(preset);
    }

    /// Gives one setting to whom it belongs.
    pub fn set(&mut self, place: &str, name: &str, value: &str) -> Result<(), ConfigError> {
        self.set_at(&Place::of(place), name, value)
    }

    fn set_at(&mut self, place: &Place, name: &str, value: &str) -> Result<(), ConfigError> {
        let name = name.to_ascii_lowercase();
        self.places.push((name.clone(), place.clone()));
        let set = if ServerSettings::has(&name) {
            self.server.set(&name, value).map_err(SqlError::from).inspect(|()| {
                // What a start finds is told only when they have it.
                self.engine = std::mem::take(&mut self.engine).with_synchronous(self.server.synchronous());
            })
        } else if Options::has(&name) {
            self.engine.set(&name, value).map_err(SqlError::from)
        } else if is_session_setting(&name) {
            Settings::new("").check_value(&name, value).map(|value| {
                let given = Given { value, source: place.source, line: place.line.clone() };
                self.session_defaults.push((name.clone(), given));
            })
        } else {
            self.places.pop();
            let why = "there is no setting of this name (evenkeel settings lists them)";
            return Err(wrong_key(place, &name, why.into()));
        };
        set.map_err(|why| self.wrong_value(&name, why))
    }

    /// Whether there is such a setting.
    pub fn knows(name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        name == "preset" || ServerSettings::has(&name) || Options::has(&name) || is_session_setting(&name)
    }

    /// Whether a setting was given.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<&Place> {
        self.places.iter().rev().find(|(n, _)| n == name).map(|(_, place)| place)
    }

    /// Where settings were given: PostgreSQL's word, and the line of a file; the one that counts last.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &'static str, Option<&Line>)> {
        self.places.iter().map(|(name, place)| (&**name, place.source, place.line.as_ref()))
    }

    /// Settings of the engine and the server.
    pub fn rows(&self) -> impl Iterator<Item = Shown> {
        self.engine.settings().into_iter().chain(self.server.rows(None))
    }

    /// The text of a setting of the engine or the server, or of one that sessions are given.
    pub fn shown(&self, name: &str) -> Option<String> {
        let given = self.session_defaults.iter().rev().find(|(n, _)| n == name).map(|(_, g)| g.value.clone());
        given.or_else(|| self.rows().find(|row| row.name == name).map(|row| row.value))
    }

    /// The value of one that is a size, in bytes.
    pub fn bytes(&self, name: &str) -> Option<u64> {
        self.shown(name).and_then(|text| evenkeel::settings::bytes(&text).ok())
    }

    fn wrong_value(&self, name: &str, why: SqlError) -> ConfigError {
        let place = self.place(name).map(|p| p.shown.clone()).unwrap_or_default();
        ConfigError::Value { place, key: name.to_owned(), why: Box::new(why) }
    }
}

fn wrong_key(place: &Place, key: &str, why: String) -> ConfigError {
    ConfigError::Key { place: place.shown.clone(), key: key.into(), why }
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
