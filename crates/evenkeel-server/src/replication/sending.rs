//! START_REPLICATION: the log as it becomes durable, to one follower, and what that one says of itself.
//!
//! Two threads: this one sends; the other reads, so that what a follower confirms counts at once, also while much is being sent.
//!
//! It must not know what is in the log.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evenkeel::wal::sending::Piece;
use evenkeel::{Feedback, LogStream, Lsn, Position, SlotUse, Upstream};
use evenkeel_sql::{CommandTag, SqlError};
use parking_lot::Mutex;

use super::command::Start;
use super::wire::{self, About, FromFollower, Packer, Status};
use super::{Failed, Replication, use_slot};
use crate::backend::{Backend, StopReason};
use crate::errors::{End, protocol_violation};
use crate::service::Followed;
use crate::settings::Id;
use crate::wire::input::InputBuffer;

/// Records of a message, about.
const PIECE_BYTES: usize = 128 << 10;
/// How often it is looked for an end while there is nothing to send.
const LOOK: Duration = Duration::from_millis(250);
/// Largest message that a follower sends.
const ANSWER_BYTES_MAX: usize = 10_000;

/// What the reading thread has learned.
struct Heard {
    /// When something came last, and how it has ended.
    last: Mutex<(Instant, Option<End>)>,
    is_over: AtomicBool,
    /// The follower wants no more.
    is_done: AtomicBool,
    /// It wants to hear something.
    asks: AtomicBool,
    /// What it has confirmed: an LSN.
    durable: AtomicU64,
}

impl Replication<'_> {
    pub(super) fn stream_log(&mut self, followed: &Followed, start: &Start) -> Result<(), Failed> {
        let Some(life) = start.life else {
            let mut e = SqlError::unsupported("this server's log is not PostgreSQL's");
            e.hint = Some("A server that follows it is made by: evenkeel standby create".into());
            return Err(e.into());
        };
        let up = followed.upstream().by(self.backend.pid);
        let slot = use_slot(up, start.slot.as_deref())?;
        let from = Position { life, lsn: start.at };
        let by_default = self.settings.show(Id::WalSenderImages);
        let images = start.images.as_deref().unwrap_or(&by_default) == "keep";
        let by_default = self.settings.show(Id::WalSenderCompression);
        let packs = start.compression.as_deref().unwrap_or(&by_default) == "zstd";
        let packer = if packs { Some(Packer::new()?) } else { None };
        self.shown.does("catchup", start.slot.as_deref());
        let mut ended = None;
        let sent = up.with_log_stream(from, images, |stream| {
            let done = self.send_while_listening(followed, stream, packer, slot);
            ended = done.err();
            Ok(())
        });
        self.shown.does("startup", None);
        if let Some(end) = ended {
            return Err(end);
        }
        sent?;
        self.out.copy_done();
        self.out.command_complete(&CommandTag::of("START_STREAMING"));
        Ok(())
    }

    fn send_while_listening(
        &mut self,
        followed: &Followed,
        stream: &mut LogStream<'_>,
        mut packer: Option<Packer>,
        slot: Option<SlotUse>,
    ) -> Result<(), Failed> {
        self.out.copy_both_response();
        self.send()?;
        let heard = Heard {
            last: Mutex::new((Instant::now(), None)),
            is_over: AtomicBool::new(false),
            is_done: AtomicBool::new(false),
            asks: AtomicBool::new(false),
            durable: AtomicU64::new(0),
        };
        let input = std::mem::replace(&mut self.input, InputBuffer::new());
        let (backend, shown) = (self.backend.clone(), self.shown.clone());
        let feedback = Mutex::new(None::<Feedback>);
        let up = followed.upstream();
        // Of those who follow a standby nobody waits for what they have.
        let follower = match followed {
            Followed::Primary(database) => Some(self.shown.follow(database)),
            Followed::Standby(_) => None,
        };
        let (backend, shown, heard) = (&backend, &shown, &heard);
        let follower = &follower;
        let sent = std::thread::scope(|scope| {
            let (slot, feedback) = (&slot, &feedback);
            let confirm = move |status: Status| {
                tracing::trace!(?status, "a standby's status");
                shown.confirmed(status);
                if let Some(follower) = follower {
                    follower.confirm(status.written, status.durable, status.applied);
                }
                heard.durable.fetch_max(status.durable.0, Ordering::AcqRel);
                if let Some(slot) = slot {
                    // Whatever it claims.
                    slot.confirm(status.durable.min(up.durable()));
                }
            };
            let want = move |wanted: Option<Lsn>| {
                let mut feedback = feedback.lock();
                match wanted {
                    // Whatever it claims.
                    Some(at) => feedback.get_or_insert_with(|| up.feedback()).heard(at),
                    None => *feedback = None,
                }
                if let Some(slot) = slot {
                    slot.wants(wanted)
                        .unwrap_or_else(|e| tracing::warn!("what readers want is not noted: {e}"));
                }
            };
            let listen = move || listen(backend, input, confirm, want, heard);
            let listening =
                std::thread::Builder::new().name("walsender-in".into()).spawn_scoped(scope, listen)?;
            let sent = self.send_log(up, stream, packer.as_mut(), heard, feedback);
            let was_done = heard.is_done.load(Ordering::Acquire);
            if !(was_done && sent.is_ok()) {
                // Wakes the other thread, which may be in the midst of a read.
                backend.stream.stop_reading();
            }
            match listening.join() {
                Ok(input) => self.input = input,
                Err(panic) => std::panic::resume_unwind(panic),
            }
            sent
        });
        if let Some(slot) = &slot {
            slot.leave(feedback.into_inner().and_then(Feedback::into_hold));
        }
        sent
    }

    /// Sends until the follower wants no more, or is gone, or the server stops.
    fn send_log(
        &mut self,
        up: Upstream<'_>,
        stream: &mut LogStream<'_>,
        mut packer: Option<&mut Packer>,
        heard: &Heard,
        feedback: &Mutex<Option<Feedback>>,
    ) -> Result<(), Failed> {
        let limit = self.settings.time(Id::WalSenderTimeout);
        let mut spoke = Instant::now();
        let mut asked = false;
        // What the follower was told: all but how far the log may be told, and that.
        let (mut said, mut told) = (None, Lsn::ZERO);
        loop {
            self.check_stop()?;
            if heard.is_over.load(Ordering::Acquire) {
                return Err(heard.last.lock().1.take().unwrap_or(End::Terminated).into());
            }
            if heard.is_done.load(Ordering::Acquire) {
                return Ok(());
            }
            if let Some(feedback) = &*feedback.lock() {
                feedback.sample();
            }
            // Before it is looked for log: what was made durable until then is found.
            let is_finishing = self.shown.is_finishing();
            let piece = stream.next(PIECE_BYTES)?;
            let about = About::of(up);
            let news = about.news;
            if said != Some(about.standing()) {
                self.keepalive(&about, false)?;
                (said, told) = (Some(about.standing()), news.told);
            }
            match piece {
                Some(piece) => {
                    let at = self.out.begin(b'd');
                    put_piece(&mut self.out.bytes, &piece, news.told, packer.as_deref_mut())?;
                    told = news.told;
                    self.out.end(at);
                    self.send()?;
                    self.shown.sent(stream.position(), "catchup");
                    spoke = Instant::now();
                    continue;
                }
                None => {
                    self.shown.sent(stream.position(), "streaming");
                    if is_finishing && heard.durable.load(Ordering::Acquire) >= stream.position().0 {
                        return Err(End::Fatal(StopReason::Shutdown.to_error()).into());
                    }
                    if news.told > told {
                        // What follows the log by a trip: readers there wait for it.
                        self.keepalive(&about, false)?;
                        (told, spoke) = (news.told, Instant::now());
                    }
                    stream.wait(&news, if limit.is_zero() { LOOK } else { LOOK.min(limit / 4) });
                }
            }
            let silent = heard.last.lock().0.elapsed();
            if !limit.is_zero() && silent >= limit {
                return Err(End::Disconnected(std::io::ErrorKind::TimedOut.into()).into());
            }
            // Whoever has said nothing for half of its time is asked.
            let asks = !limit.is_zero() && silent >= limit / 2;
            let answers = heard.asks.swap(false, Ordering::AcqRel);
            if answers || (asks && !asked) || (!limit.is_zero() && spoke.elapsed() >= limit / 4) {
                self.keepalive(&About::of(up), asks)?;
                spoke = Instant::now();
            }
            asked = asks;
        }
    }
}

impl Replication<'_> {
    fn keepalive(&mut self, about: &About, asks: bool) -> Result<(), Failed> {
        let at = self.out.begin(b'd');
        wire::put_keepalive(&mut self.out.bytes, about, asks);
        self.out.end(at);
        Ok(self.send()?)
    }
}

fn put_piece(
    out: &mut Vec<u8>,
    piece: &Piece<'_>,
    told: evenkeel::Lsn,
    packer: Option<&mut Packer>,
) -> Result<(), Failed> {
    match (piece, packer) {
        (Piece::Life(header), _) => {
            wire::put_data_head(out, told, told);
            out.push(wire::LIFE);
            out.extend_from_slice(&header.encode()[..evenkeel::wal::segment::HEADER_BYTES]);
        }
        (Piece::Log(at, records), None) => {
            wire::put_data_head(out, *at, told);
            out.push(wire::RECORDS);
            out.extend_from_slice(records);
        }
        (Piece::Log(at, records), Some(packer)) => wire::put_packed(out, packer, *at, records, told)?,
    }
    Ok(())
}

/// Reads what the follower says, to the end of the stream. Gives the input back.
fn listen(
    backend: &Backend,
    mut input: InputBuffer,
    confirm: impl Fn(Status),
    want: impl Fn(Option<Lsn>),
    heard: &Heard,
) -> InputBuffer {
    let end = loop {
        let frame = match input.next_frame(ANSWER_BYTES_MAX) {
            Err(e) => break Some(End::Fatal(e)),
            Ok(Some(frame)) => frame,
            Ok(None) => match input.fill(&backend.stream) {
                Ok(0) => break Some(End::Terminated),
                Ok(_) => continue,
                Err(e) => break Some(e.into()),
            },
        };
        heard.last.lock().0 = Instant::now();
        match frame.kind {
            b'd' => match FromFollower::decode(input.body(&frame).unwrap_or_default()) {
                Some(FromFollower::Status { status, answer }) => {
                    confirm(status);
                    if answer {
                        heard.asks.store(true, Ordering::Release);
                    }
                }
                Some(FromFollower::Feedback(wanted)) => want(wanted),
                None => break Some(End::Fatal(protocol_violation("invalid message of a standby").fatal())),
            },
            b'c' => {
                heard.is_done.store(true, Ordering::Release);
                break None;
            }
            b'X' => break Some(End::Terminated),
            kind => {
                let what = format!("unexpected message type 0x{kind:02X} while a log is sent");
                break Some(End::Fatal(protocol_violation(what).fatal()));
            }
        }
    };
    if end.is_some() {
        heard.last.lock().1 = end;
        heard.is_over.store(true, Ordering::Release);
    }
    input
}
