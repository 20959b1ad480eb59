//! Alternations whose branches are of fixed lengths, the longest first: PostgreSQL takes the longest match, the library the first branch that matches.
//!
//! Invariants:
//! 1. Groups keep their numbers: branches with groups stay where they are. So do all of an expression that asks for short matches.
//!
//! Must not know: PostgreSQL's syntax.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};

/// Expressions longer than this stay as they are.
const BYTES_MAX: usize = 16 << 10;

/// The expression with the longest branches first; None: it needs nothing.
pub(super) fn longest_first(pattern: &str, configure: impl FnOnce(&mut ParserBuilder)) -> Option<String> {
    if !pattern.contains('|') || pattern.len() > BYTES_MAX {
        return None;
    }
    let mut parser = ParserBuilder::new();
    configure(&mut parser);
    let hir = parser.build().parse(pattern).ok()?;
    if is_lazy(&hir) {
        return None;
    }
    let mut has_changed = false;
    let sorted = sorted(hir, &mut has_changed);
    has_changed.then(|| sorted.to_string())
}

/// Whether something in it is repeated as seldom as can be.
fn is_lazy(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Repetition(r) => !r.greedy || is_lazy(&r.sub),
        HirKind::Capture(c) => is_lazy(&c.sub),
        HirKind::Concat(l) | HirKind::Alternation(l) => l.iter().any(is_lazy),
        _ => false,
    }
}

/// How many characters it matches, if that is always the same.
fn chars(hir: &Hir) -> Option<u64> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(0),
        HirKind::Literal(l) => std::str::from_utf8(&l.0).ok().map(|s| s.chars().count() as u64),
        HirKind::Class(_) => Some(1),
        HirKind::Repetition(r) if r.max == Some(r.min) => chars(&r.sub)?.checked_mul(u64::from(r.min)),
        HirKind::Repetition(_) => None,
        HirKind::Capture(c) => chars(&c.sub),
        HirKind::Concat(l) => l.iter().try_fold(0u64, |sum, h| sum.checked_add(chars(h)?)),
        HirKind::Alternation(l) => {
            let first = chars(l.first()?)?;
            l.iter().all(|h| chars(h) == Some(first)).then_some(first)
        }
    }
}

fn sorted(hir: Hir, has_changed: &mut bool) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(l) => Hir::literal(l.0),
        HirKind::Class(c) => Hir::class(c),
        HirKind::Look(l) => Hir::look(l),
        HirKind::Repetition(r) => {
            Hir::repetition(Repetition { sub: Box::new(sorted(*r.sub, has_changed)), ..r })
        }
        HirKind::Capture(c) => Hir::capture(Capture { sub: Box::new(sorted(*c.sub, has_changed)), ..c }),
        HirKind::Concat(l) => Hir::concat(l.into_iter().map(|h| sorted(h, has_changed)).collect()),
        HirKind::Alternation(l) => {
            let mut l: Vec<Hir> = l.into_iter().map(|h| sorted(h, has_changed)).collect();
            let lengths: Option<Vec<u64>> = l.iter().map(chars).collect();
            let may_move = l.iter().all(|h| h.properties().explicit_captures_len() == 0);
            if let Some(lengths) = lengths.filter(|l| may_move && !l.is_sorted_by(|a, b| a >= b)) {
                let mut keyed: Vec<(u64, Hir)> = lengths.into_iter().zip(l).collect();
                keyed.sort_by_key(|(len, _)| std::cmp::Reverse(*len));
                l = keyed.into_iter().map(|(_, h)| h).collect();
                *has_changed = true;
            }
            Hir::alternation(l)
        }
    }
}
