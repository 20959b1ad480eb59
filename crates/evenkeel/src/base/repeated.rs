//! A trouble that comes again and again, such as a full disk: told when it is met first, and then now and then as long as it goes on. A log that it fills hides what else there is.
//!
//! Must not know: what it is, who is told.

use super::sync::{Instant, Mutex};
use std::time::Duration;

/// How long it is silent about what it has told.
pub const TOLD_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Whether it is to be told now.
#[derive(Default)]
pub struct Repeated {
    told: Mutex<Option<Instant>>,
}

impl Repeated {
    /// It was met. True: it is to be told.
    pub fn is_due(&self) -> bool {
        let mut told = self.told.lock();
        let is_due = told.is_none_or(|told| told.elapsed() >= TOLD_AGAIN_AFTER);
        if is_due {
            *told = Some(Instant::now());
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_and_again_is_told_once_a_minute() {
        let trouble = Repeated::default();
        assert!(trouble.is_due());
        assert!(!(0..1000).any(|_| trouble.is_due()));
        let earlier = Instant::now().checked_sub(TOLD_AGAIN_AFTER);
        if earlier.is_some() {
            *trouble.told.lock() = earlier;
            assert!(trouble.is_due() && !trouble.is_due());
        }
    }
}
