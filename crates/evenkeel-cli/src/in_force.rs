//! What the configuration said when it was last taken over, and what of the files is not in force: `pg_settings` and `pg_file_settings` tell.
//!
//! Invariants
//! 1. A setting that takes a restart is in force as it was at the start.
//!
//! Must not know: what settings mean.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use evenkeel::settings::Context;
use evenkeel_sql::{FileSettingShown, SettingPlace, SettingPlaces};

use crate::config::Config;

pub(crate) struct InForce {
    /// Values of settings that take a restart.
    started: HashMap<String, String>,
    places: Mutex<Arc<SettingPlaces>>,
}

fn places(config: &Config) -> SettingPlaces {
    let place = |(name, source, line): (&str, _, Option<&_>)| {
        (name.to_owned(), SettingPlace { source, line: line.cloned(), pending_restart: false })
    };
    config.sources().map(place).collect()
}

fn restarted(config: &Config) -> HashMap<String, String> {
    let rows = config.rows().filter(|row| row.context == Context::Postmaster);
    rows.map(|row| (row.name, row.value)).collect()
}

impl InForce {
    /// Of a start.
    pub(crate) fn new(config: &Config) -> Arc<InForce> {
        let places = Mutex::new(Arc::new(places(config)));
        Arc::new(InForce { started: restarted(config), places })
    }

    pub(crate) fn places(&self) -> Arc<SettingPlaces> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It was taken over.
    pub(crate) fn take(&self, config: &Config) {
        let (before, wanted) = (self.places(), restarted(config));
        let mut now = places(config);
        let is_of_file = |place: &SettingPlace| place.line.is_some();
        // What is in force comes from where it came from. (1)
        for (name, value) in &self.started {
            let was = before.get(name);
            if wanted.get(name) != Some(value) && (now.contains_key(name) || was.is_some_and(is_of_file)) {
                let was = was.cloned().unwrap_or_default();
                now.insert(name.clone(), SettingPlace { pending_restart: true, ..was });
            }
        }
        for name in config.bad() {
            if now.get(name).is_some_and(|place| place.pending_restart) {
                continue;
            }
            match before.get(name) {
                Some(was) => _ = now.insert(name.to_owned(), was.clone()),
                None => _ = now.remove(name),
            }
        }
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
    }

    /// The lines of the files as a reload would find them.
    pub(crate) fn lines(&self, config: &Config) -> Vec<FileSettingShown> {
        let wanted = restarted(config);
        let bad: Vec<&str> = config.bad().collect();
        let counts = |n: usize, name: &str| {
            let same = |other: &crate::config::FileLine| {
                other.setting.as_ref().is_some_and(|(other, _)| other.eq_ignore_ascii_case(name))
            };
            !config.lines[n + 1..].iter().any(same)
        };
        let shown = |(n, line): (usize, &crate::config::FileLine)| {
            let name = line.setting.as_ref().map(|(name, _)| name.to_ascii_lowercase()).unwrap_or_default();
            let counts = counts(n, &name);
            let waits = self.started.get(&name).is_some_and(|value| wanted.get(&name) != Some(value));
            let fails = counts && !config.is_refused() && (waits || bad.contains(&&*name));
            let error = line.error.or_else(|| fails.then_some("setting could not be applied"));
            let (name, setting) = line.setting.clone().unzip();
            FileSettingShown {
                line: line.at.clone(),
                name,
                setting,
                applied: counts && error.is_none() && !config.is_refused(),
                error,
            }
        };
        config.lines.iter().enumerate().map(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AUTO_FILE_NAME, FILE_NAME};

    fn config(dir: &std::path::Path, text: &str, auto: &str) -> Config {
        std::fs::write(dir.join(FILE_NAME), text).unwrap();
        std::fs::write(dir.join(AUTO_FILE_NAME), auto).unwrap();
        Config::gather(None, dir, None, &["port=7000".into()])
    }

    fn told(lines: &[FileSettingShown]) -> Vec<(u32, &str, bool, Option<&'static str>)> {
        lines.iter().map(|l| (l.line.number, l.name.as_deref().unwrap_or(""), l.applied, l.error)).collect()
    }

    #[test]
    fn lines_say_whether_they_would_be_applied() {
        let dir = tempfile::tempdir().unwrap();
        let started = InForce::new(&config(dir.path(), "work_mem = '5MB'\n", ""));
        let failed = Some("setting could not be applied");
        let now = config(
            dir.path(),
            "\nwork_mem = '6MB'\nshared_buffers = '64MB'\nlog_statement = 'x'\n",
            "work_mem = '7MB'\n",
        );
        let expected = [
            (2, "work_mem", false, None),
            (3, "shared_buffers", false, failed),
            (4, "log_statement", false, failed),
            (1, "work_mem", true, None),
        ];
        assert_eq!(told(&started.lines(&now)), expected);
        let now = config(dir.path(), "work_mem = '6MB'\nno_such = 1\n", "");
        let expected = [
            (1, "work_mem", false, None),
            (2, "no_such", false, Some("unrecognized configuration parameter")),
        ];
        assert_eq!(told(&started.lines(&now)), expected);
        let now = config(dir.path(), "work_mem = '6MB'\nport = \n", "");
        assert_eq!(told(&started.lines(&now)), [(2, "", false, Some("syntax error"))]);
    }

    #[test]
    fn what_waits_for_a_restart_comes_from_where_it_came_from() {
        let dir = tempfile::tempdir().unwrap();
        let in_force = InForce::new(&config(dir.path(), "shared_buffers = '64MB'\nwork_mem = '5MB'\n", ""));
        let told = |name: &str| {
            let place = in_force.places().get(name).cloned();
            place.map(|p| (p.source, p.line.map(|l| l.number), p.pending_restart))
        };
        assert_eq!(told("port"), Some(("command line", None, false)));
        assert_eq!(told("work_mem"), Some(("configuration file", Some(2), false)));
        in_force.take(&config(dir.path(), "\nshared_buffers = '65MB'\nlog_statement = 'x'\nport = 5\n", ""));
        assert_eq!(told("shared_buffers"), Some(("configuration file", Some(1), true)));
        assert_eq!(told("work_mem"), None);
        assert_eq!(told("log_statement"), None);
        assert_eq!(told("port"), Some(("command line", None, false)));
        in_force.take(&config(dir.path(), "", ""));
        assert_eq!(told("shared_buffers"), Some(("configuration file", Some(1), true)));
        in_force.take(&config(dir.path(), "\n\nshared_buffers = '64MB'\n", ""));
        assert_eq!(told("shared_buffers"), Some(("configuration file", Some(3), false)));
    }
}
