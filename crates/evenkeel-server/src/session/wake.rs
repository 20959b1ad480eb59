//! Waiting for a client's data so that a cancel ends the wait.
//!
//! A blocking read is not ended by a cancel, and need not be where a statement's end is what the client waits for. While a COPY takes the client's
//! data, the statement waits for the client: there the session waits for the socket or for this.
//!
//! It must not know the protocol.

use std::io;
use std::os::fd::OwnedFd;

use evenkeel::Interrupt;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::stream::Stream;

/// What a cancel writes to.
pub(super) struct Wake(OwnedFd);

impl Wake {
    pub fn new() -> io::Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Ends the wait that is, or the next.
    pub fn wake(&self) {
        // It fails only when it is raised already, by as much as it can be.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Blocks until the socket can be read or is at its end: true, or the interrupt is raised: false. Its `on_cancel` must be `wake`.
    pub fn wait(&self, stream: &Stream, interrupt: &Interrupt) -> io::Result<bool> {
        loop {
            if interrupt.is_canceled() {
                return Ok(false);
            }
            let mut fds =
                [PollFd::from_borrowed_fd(stream.fd(), PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
            let (socket, woken) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
            if woken {
                let _ = rustix::io::read(&self.0, &mut [0; 8]);
            } else if socket {
                return Ok(true);
            }
        }
    }
}
