//! Background duties: threads that are to go on until they are told to end.
//!
//! Duty: start them, and tell if one ends otherwise, by a panic or without a reason: nobody else would notice.
//!
//! Must not know: what they do, what comes of the news.

use super::poison::panic_text;
use super::sync::{Builder, JoinHandle};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Starts a thread that runs `run`. `failed` is told why if that panics, or returns while `is_wanted` says that it is to go on.
pub fn spawn(
    name: &str,
    run: impl FnOnce() + Send + 'static,
    is_wanted: impl FnOnce() -> bool + Send + 'static,
    failed: impl FnOnce(String) + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    start(Builder::new(), name, run, is_wanted, failed)
}

/// As [`spawn`], with a stack of so many bytes.
pub fn spawn_with_stack(
    stack_bytes: usize,
    name: &str,
    run: impl FnOnce() + Send + 'static,
    is_wanted: impl FnOnce() -> bool + Send + 'static,
    failed: impl FnOnce(String) + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    start(Builder::new().stack_size(stack_bytes), name, run, is_wanted, failed)
}

fn start(
    builder: Builder,
    name: &str,
    run: impl FnOnce() + Send + 'static,
    is_wanted: impl FnOnce() -> bool + Send + 'static,
    failed: impl FnOnce(String) + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let what = name.to_owned();
    builder.name(name.into()).spawn(move || match catch_unwind(AssertUnwindSafe(run)) {
        Err(panic) => failed(format!("the thread \"{what}\" panicked: {}", panic_text(&*panic))),
        Ok(()) if is_wanted() => failed(format!("the thread \"{what}\" has ended")),
        Ok(()) => {}
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn news(run: fn(), is_wanted: bool) -> Option<String> {
        let (send, receive) = mpsc::channel();
        let tell = move |why| _ = send.send(why);
        spawn("duty", run, move || is_wanted, tell).unwrap().join().unwrap();
        receive.recv().ok()
    }

    #[test]
    fn only_an_end_that_was_asked_for_is_no_news() {
        assert_eq!(news(|| (), false), None);
        assert!(news(|| (), true).unwrap().contains("\"duty\" has ended"));
        assert!(news(|| panic!("why {}", 7), false).unwrap().contains("panicked: why 7"));
    }
}
