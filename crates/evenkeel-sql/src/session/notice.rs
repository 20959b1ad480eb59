//! What clients are told besides answers: notices, as far as `client_min_messages` lets them through.
//!
//! Invariants
//! 1. A notice goes by the level that holds when it arises.
//!
//! Must not know: how they are sent.

use super::settings::Settings;
use super::{Notice, Session};
use evenkeel_types::error::SqlState;

/// Whether clients want what is as severe as that. INFO they always get; ERROR and what is above are no notices.
pub(super) fn is_wanted(settings: &Settings, severity: &str) -> bool {
    let rank = |level: &str| match level {
        "debug5" | "debug4" | "debug3" | "debug2" => 0,
        "debug1" | "DEBUG" => 1,
        "log" => 2,
        "notice" | "NOTICE" => 3,
        "warning" | "WARNING" => 4,
        _ => 5,
    };
    rank(severity) >= rank(settings.get("client_min_messages").unwrap_or("notice"))
}

impl Session {
    /// A notice.
    pub(crate) fn notice(&mut self, severity: &'static str, code: SqlState, message: impl Into<String>) {
        self.tell(Notice { severity, code, message: message.into(), detail: None, hint: None });
    }

    /// A notice with particulars.
    pub(crate) fn notice_with_detail(&mut self, message: String, detail: String) {
        let (severity, code) = ("NOTICE", SqlState::SUCCESSFUL_COMPLETION);
        self.tell(Notice { severity, code, message, detail: Some(detail), hint: None });
    }

    /// A warning that says what to do.
    pub(crate) fn warn(&mut self, code: SqlState, message: String, hint: &str) {
        self.tell(Notice { severity: "WARNING", code, message, detail: None, hint: Some(hint.into()) });
    }

    fn tell(&mut self, notice: Notice) {
        self.log_notice(&notice);
        if is_wanted(&self.settings, notice.severity) {
            self.notices.push(notice);
        }
    }

    /// What is told at level debug1.
    pub(crate) fn debug(&mut self, message: impl FnOnce() -> String) {
        if is_wanted(&self.settings, "DEBUG") {
            self.notice("DEBUG", SqlState::SUCCESSFUL_COMPLETION, message());
        }
    }
}
