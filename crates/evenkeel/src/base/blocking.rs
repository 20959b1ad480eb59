//! Telling whoever runs many sessions on few threads that this thread is about to wait.
//!
//! Duty: a server that serves sessions by turns must not lose a core while one of them waits for a row lock, the log or the disk. The
//! engine says so just before it waits; the server lets another thread go on in its place. Where nobody asked to be told it costs a look at a
//! thread-local variable.
//!
//! Must not know: who is told, what is waited for.

use std::cell::RefCell;

thread_local! {
    static HOOK: RefCell<Option<Box<dyn Fn()>>> = const { RefCell::new(None) };
}

/// From now on `hook` is called on this thread before each wait that may take long: for locks, log flushes, page reads, space in a buffer. It
/// must not block for long itself, nor call the engine or this function. None: nobody is told any more.
pub fn set_hook(hook: Option<Box<dyn Fn()>>) {
    HOOK.with_borrow_mut(|h| *h = hook);
}

/// Called before a wait.
pub fn about_to_block() {
    HOOK.with_borrow(|hook| {
        if let Some(hook) = hook {
            hook();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn the_hook_is_called_on_its_thread_only() {
        let calls = Rc::new(Cell::new(0));
        let counted = calls.clone();
        set_hook(Some(Box::new(move || counted.set(counted.get() + 1))));
        about_to_block();
        std::thread::spawn(about_to_block).join().unwrap();
        assert_eq!(calls.get(), 1);
        set_hook(None);
        about_to_block();
        assert_eq!(calls.get(), 1);
    }
}
