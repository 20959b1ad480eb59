//! BASE_BACKUP: the files of the database, for a standby that is being made. Messages inside CopyData: `l`, the bytes of pages to come (8), the label; `v`, zero (8), the lives of the log; `p`, the bytes of
//! the pages as they lie in their file (8), the pages, packed; `e`, where the copy is whole (8), and in which life of the log (8), last of all.
//!
//! It must not know what is in the pieces.

use evenkeel::{CopyOptions, CopyPiece, Have};
use evenkeel_sql::{CommandTag, SqlError};

use super::command::BaseBackup;
use super::{Failed, Replication};
use crate::errors::{End, protocol_violation};
use crate::service::Followed;

impl Replication<'_> {
    pub(super) fn copy_files(&mut self, followed: &Followed, wanted: &BaseBackup) -> Result<(), Failed> {
        let Some(slot) = &wanted.slot else {
            let mut e = SqlError::unsupported("this server's files are not PostgreSQL's");
            e.hint = Some("A standby is made by: evenkeel standby create".into());
            return Err(e.into());
        };
        let options =
            CopyOptions { rate_bytes_per_s: wanted.rate, level: wanted.level, fast_checkpoint: wanted.fast };
        let have = match wanted.have.as_deref().map(Have::decode) {
            None => None,
            Some(Some(have)) => Some(have),
            Some(None) => return Err(protocol_violation("what the other server has cannot be read").into()),
        };
        if have.is_some() && matches!(followed, Followed::Standby(_)) {
            let mut e = SqlError::unsupported("the server is a standby: no other server rejoins it");
            e.hint = Some("Rejoin the primary, and let primary_conninfo name this server then.".into());
            return Err(e.into());
        }
        self.shown.does("backup", Some(slot));
        let mut ended = None;
        let mut began = false;
        let copied = followed.upstream().copy_base(slot, &options, have.as_ref(), &mut |piece| {
            if !std::mem::replace(&mut began, true) {
                self.out.copy_out_response(0, false);
            }
            self.piece(&piece).map_err(|end| {
                ended = Some(end);
                evenkeel::Error::Canceled
            })
        });
        self.shown.does("startup", None);
        match (ended, copied) {
            (Some(end), _) => return Err(end.into()),
            (None, Err(e)) => {
                let mut e = SqlError::from(e);
                // Whoever makes a copy shows the message alone.
                if let Some(hint) = e.hint.take() {
                    e.message = format!("{}. {}", e.message, hint.trim_end_matches('.'));
                }
                return Err(e.into());
            }
            (None, Ok(())) => {}
        }
        self.out.copy_done();
        self.out.command_complete(&CommandTag::of("BASE_BACKUP"));
        Ok(())
    }

    fn piece(&mut self, piece: &CopyPiece<'_>) -> Result<(), End> {
        self.check_stop()?;
        let life;
        let (kind, number, bytes): (u8, u64, &[u8]) = match piece {
            CopyPiece::Label(label, total) => (b'l', *total, label),
            CopyPiece::Lives(text) => (b'v', 0, text.as_bytes()),
            CopyPiece::Pages(packed, bytes) => (b'p', *bytes, packed),
            CopyPiece::End(at) => {
                life = at.life.to_be_bytes();
                (b'e', at.lsn.0, &life)
            }
        };
        let at = self.out.begin(b'd');
        self.out.bytes.push(kind);
        self.out.bytes.extend_from_slice(&number.to_be_bytes());
        self.out.bytes.extend_from_slice(bytes);
        self.out.end(at);
        self.send()
    }
}
