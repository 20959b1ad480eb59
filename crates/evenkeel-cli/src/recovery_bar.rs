//! How far a recovery has come, as a bar on a terminal. Elsewhere the log has lines.

use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex, PoisonError};

use evenkeel::{Options, RecoveryProgress};
use indicatif::{ProgressBar, ProgressStyle};

const BAR_STEPS: u64 = 1000;

/// The options with a bar for the recovery, if there is one to be seen.
pub(crate) fn show_recovery(options: Options) -> Options {
    if !stderr().is_terminal() {
        return options;
    }
    let bar: Mutex<Option<ProgressBar>> = Mutex::default();
    options.on_recovery_progress(Arc::new(move |p: RecoveryProgress| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        if p.finished {
            if let Some(bar) = bar.take() {
                bar.finish_and_clear();
            }
            return;
        }
        let bar = bar.get_or_insert_with(new_bar);
        bar.set_message(message(&p));
        bar.set_position(p.share().map_or(0, |share| (share * BAR_STEPS as f64) as u64));
    }))
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(BAR_STEPS);
    match ProgressStyle::with_template("recovering {bar:30} {percent:>3} %  {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn message(p: &RecoveryProgress) -> String {
    let seconds = p.elapsed.as_secs_f64().max(1e-3);
    let rate = format!(
        "{:.0} MB/s, {:.0} records/s",
        p.log_bytes() as f64 / 1e6 / seconds,
        p.records as f64 / seconds
    );
    match p.time_left() {
        Some(left) => format!("{rate}, at most {} s left", left.as_secs_f64().ceil()),
        None => rate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::Lsn;
    use std::time::Duration;

    #[test]
    fn rate_and_time_left_are_short_to_read() {
        let p = RecoveryProgress {
            from: Lsn(0),
            at: Lsn(50_000_000),
            end_estimate: Some(Lsn(200_000_000)),
            records: 1_000_000,
            elapsed: Duration::from_secs(2),
            finished: false,
        };
        assert_eq!(message(&p), "25 MB/s, 500000 records/s, at most 6 s left");
        let unknown = RecoveryProgress { end_estimate: None, ..p };
        assert_eq!(message(&unknown), "25 MB/s, 500000 records/s");
    }
}
