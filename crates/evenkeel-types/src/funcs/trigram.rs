//! Functions and operators of the extension `pg_trgm`.
//!
//! Must not know: whether the extension was asked for.

use super::{Eval, f, float_arg, stable, str_arg, volatile};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::ops::{op, stable_op};
use crate::trigram::{Trigram, trigrams, word_similarity};
use crate::ty::Type as T;

/// The setting that says how alike texts are, and what it is if nobody says.
struct Limit(&'static str, f32);

const SIMILAR: Limit = Limit("pg_trgm.similarity_threshold", 0.3);
const WORD_SIMILAR: Limit = Limit("pg_trgm.word_similarity_threshold", 0.6);
const STRICTLY_SIMILAR: Limit = Limit("pg_trgm.strict_word_similarity_threshold", 0.5);

impl Limit {
    fn now(&self, ctx: &EvalCtx<'_>) -> Result<f32, SqlError> {
        let Some(set) = ctx.env.setting(self.0) else { return Ok(self.1) };
        set.parse().ok().filter(|v| (0.0..=1.0).contains(v)).ok_or_else(|| {
            let why = format!("invalid value for parameter \"{}\": \"{set}\"", self.0);
            SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
        })
    }
}

fn alike(a: &[Datum]) -> Result<f32, SqlError> {
    crate::trigram::similarity(str_arg(a, 0), str_arg(a, 1))
}

/// The first text in the second, or the other way round.
fn inside(a: &[Datum], turned: bool, strict: bool) -> Result<f32, SqlError> {
    let (wanted, text) = if turned { (1, 0) } else { (0, 1) };
    word_similarity(str_arg(a, wanted), str_arg(a, text), strict)
}

macro_rules! similarities {
    ($($degree:ident $is:ident $distance:ident $limit:ident $of:expr;)*) => {
        $(
            fn $degree(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
                let of: fn(&[Datum]) -> Result<f32, SqlError> = $of;
                Ok(Datum::Float4(of(a)?))
            }
            fn $is(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
                let of: fn(&[Datum]) -> Result<f32, SqlError> = $of;
                Ok(Datum::Bool(of(a)? >= $limit.now(ctx)?))
            }
            fn $distance(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
                let of: fn(&[Datum]) -> Result<f32, SqlError> = $of;
                Ok(Datum::Float4(1.0 - of(a)?))
            }
        )*
    };
}

similarities! {
    similarity is_similar distance SIMILAR alike;
    in_words is_in_words word_distance WORD_SIMILAR |a| inside(a, false, false);
    _of_words is_of_words turned_distance WORD_SIMILAR |a| inside(a, true, false);
    in_whole is_in_whole whole_distance STRICTLY_SIMILAR |a| inside(a, false, true);
    _of_whole is_of_whole turned_whole STRICTLY_SIMILAR |a| inside(a, true, true);
}

/// Three characters as they are shown; of more than three bytes PostgreSQL keeps a checksum.
fn shown(t: &Trigram) -> Vec<u8> {
    let text: String = t.iter().collect();
    if text.len() == 3 {
        return text.into_bytes();
    }
    let crc = text.bytes().fold(u32::MAX, |crc, b| {
        let n = ((crc >> 24) ^ u32::from(b)) & 0xFF;
        let entry = (0..8).fold(n, |c, _| if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 });
        entry ^ (crc << 8)
    });
    (!crc).to_le_bytes()[..3].to_vec()
}

fn show_trgm(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let mut all: Vec<Vec<u8>> = trigrams(str_arg(a, 0))?.iter().map(shown).collect();
    all.sort_unstable_by_key(|t| t.iter().map(|b| *b as i8).collect::<Vec<_>>());
    all.dedup();
    let text = |t: &Vec<u8>| match t.iter().all(|b| (0x20..0x7F).contains(b)) {
        true => String::from_utf8_lossy(t).into_owned(),
        false => format!("0x{}", t.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    };
    Ok(Datum::array(T::Text, all.iter().map(|t| Datum::from(text(t))).collect()))
}

fn show_limit(_: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    Ok(Datum::Float4(SIMILAR.now(ctx)?))
}

fn set_limit(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let limit = float_arg(a, 0);
    ctx.env.set_setting(SIMILAR.0, Some(&limit.to_string()), false)?;
    show_limit(&[], ctx)
}

const TT: &[T] = &[T::Text, T::Text];

pub(super) const TABLE: &[ScalarFn] = &[
    f("similarity", TT, T::Float4, similarity),
    f("similarity_dist", TT, T::Float4, distance),
    stable("similarity_op", TT, T::Bool, is_similar),
    f("word_similarity", TT, T::Float4, in_words),
    stable("word_similarity_op", TT, T::Bool, is_in_words),
    stable("word_similarity_commutator_op", TT, T::Bool, is_of_words),
    f("word_similarity_dist_op", TT, T::Float4, word_distance),
    f("word_similarity_dist_commutator_op", TT, T::Float4, turned_distance),
    f("strict_word_similarity", TT, T::Float4, in_whole),
    stable("strict_word_similarity_op", TT, T::Bool, is_in_whole),
    stable("strict_word_similarity_commutator_op", TT, T::Bool, is_of_whole),
    f("strict_word_similarity_dist_op", TT, T::Float4, whole_distance),
    f("strict_word_similarity_dist_commutator_op", TT, T::Float4, turned_whole),
    f("show_trgm", &[T::Text], T::TextArray, show_trgm),
    stable("show_limit", &[], T::Float4, show_limit),
    volatile("set_limit", &[T::Float4], T::Float4, set_limit),
];

pub(crate) const OPERATORS: &[ScalarFn] = &[
    stable_op("%", TT, T::Bool, is_similar),
    stable_op("<%", TT, T::Bool, is_in_words),
    stable_op("%>", TT, T::Bool, is_of_words),
    stable_op("<<%", TT, T::Bool, is_in_whole),
    stable_op("%>>", TT, T::Bool, is_of_whole),
    op("<->", TT, T::Float4, distance),
    op("<<->", TT, T::Float4, word_distance),
    op("<->>", TT, T::Float4, turned_distance),
    op("<<<->", TT, T::Float4, whole_distance),
    op("<->>>", TT, T::Float4, turned_whole),
];

/// Whether a function or an operator is the extension's.
pub(super) fn has(f: &ScalarFn) -> bool {
    TABLE.iter().chain(OPERATORS).any(|own| own.name == f.name && own.args == f.args)
}
