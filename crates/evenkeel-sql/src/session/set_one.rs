//! SET, RESET and `set_config()` of one setting, whatever it is.
//!
//! Must not know: how settings are kept, and when what follows from them is read anew.

use super::Session;
use super::modes::is_mode;
use super::settings::Settings;
use evenkeel::settings::{Context, Mistake, Shown};
use evenkeel_types::Env;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::funcs::random::Generator;
use std::sync::Arc;

/// The setting by which `setseed()` is spelled as SET; its value is not told.
pub(super) const SEED: &str = "seed";
pub(super) const SEED_SHOWN: &str = "unavailable";

/// What `set_config` is to change once its statement is done.
pub(crate) struct PendingSetting {
    pub name: String,
    pub value: Arc<str>,
    pub is_default: bool,
    pub local: bool,
}

/// A value of a setting as it is shown once it is set, beside those that there are. What it cannot have is refused only then.
pub(super) fn shown_as(
    name: &str,
    value: &str,
    beside: &[(String, String)],
    pending: &[PendingSetting],
) -> String {
    let mut settings = Settings::new("");
    // A part of it may be left as it is.
    const STYLE: &str = "datestyle";
    let own = pending.iter().rev().find(|p| p.name == STYLE).map(|p| &*p.value);
    if let Some(style) = own.or_else(|| beside.iter().find(|s| s.0 == STYLE).map(|s| s.1.as_str())) {
        let _ = settings.set(STYLE, Some(style), false);
    }
    settings.check_value(name, value).unwrap_or_else(|_| value.to_owned())
}

impl Session {
    /// Without a value: its default. What follows from the settings is to be read anew then.
    pub(super) fn set_one(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<(), SqlError> {
        match value {
            Some(value) if name == SEED => return self.seed(value),
            Some(value) if self.set_mode(name, value)? => return Ok(()),
            None if is_mode(name) || name == SEED => {
                let why = format!("parameter \"{name}\" cannot be reset");
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, why));
            }
            None if Settings::is_fixed(name) => {
                return Err(Mistake::Fixed { name: name.into(), context: Context::Internal }.into());
            }
            _ => {}
        }
        if !self.settings.exists(name) {
            self.instance.check_settable(name)?;
        }
        self.check_authority_setting(name, value)?;
        self.settings.set(name, value, local)?;
        self.authority.is_said_anew(name);
        if name == "session_authorization" {
            self.settings.set("role", Some("none"), local)?;
        }
        Ok(())
    }

    /// Refuses ALTER SYSTEM what nobody changes, and what is one session's alone.
    pub(super) fn check_is_for_all(&self, name: &str) -> Result<(), SqlError> {
        let is_fixed =
            |s: Shown| s.name == name && (s.context == Context::Internal || s.source == "override");
        let is_own = is_mode(name) || matches!(name, "role" | "session_authorization" | SEED);
        if is_own || Settings::is_fixed(name) || self.instance.outer_settings().into_iter().any(is_fixed) {
            return Err(Mistake::Fixed { name: name.into(), context: Context::Internal }.into());
        }
        Ok(())
    }

    fn seed(&self, text: &str) -> Result<(), SqlError> {
        let why = match text.trim().parse::<f64>() {
            Ok(seed) if (-1.0..=1.0).contains(&seed) => {
                if let Some(generator) = self.env.generator() {
                    generator.set(Generator::of_seed(seed));
                }
                return Ok(());
            }
            Ok(seed) if !seed.is_nan() => {
                format!("{seed} is outside the valid range for parameter \"{SEED}\" (-1 .. 1)")
            }
            _ => format!("invalid value for parameter \"{SEED}\": \"{text}\""),
        };
        Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why))
    }
}
