//! Unicode: normal forms, `normalize` and `x IS NFC NORMALIZED`; which characters it has, and in which version.
//!
//! Must not know: that the grammar has these calls with a form that is a word.

use super::{Eval, f, str_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::guard;
use crate::guard::build::Text;
use crate::ty::Type as T;
use regex_syntax::hir::{Class, HirKind};
use std::cmp::Ordering;
use std::sync::LazyLock;
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

/// Characters between two looks whether the statement goes on.
const CHARS_A_CHECK: usize = 1 << 14;

#[derive(Clone, Copy)]
enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

impl Form {
    fn of(a: &[Datum]) -> Result<Form, SqlError> {
        let name = if a.len() > 1 { str_arg(a, 1) } else { "NFC" };
        match name.to_ascii_lowercase().as_str() {
            "nfc" => Ok(Form::Nfc),
            "nfd" => Ok(Form::Nfd),
            "nfkc" => Ok(Form::Nfkc),
            "nfkd" => Ok(Form::Nfkd),
            _ => Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("invalid normalization form: {name}"),
            )),
        }
    }

    fn of_text(self, text: &str) -> Box<dyn Iterator<Item = char> + '_> {
        match self {
            Form::Nfc => Box::new(text.nfc()),
            Form::Nfd => Box::new(text.nfd()),
            Form::Nfkc => Box::new(text.nfkc()),
            Form::Nfkd => Box::new(text.nfkd()),
        }
    }

    /// What a look at each character alone tells.
    fn quick(self, text: &str) -> IsNormalized {
        match self {
            Form::Nfc => is_nfc_quick(text.chars()),
            Form::Nfd => is_nfd_quick(text.chars()),
            Form::Nfkc => is_nfkc_quick(text.chars()),
            Form::Nfkd => is_nfkd_quick(text.chars()),
        }
    }
}

fn normalize(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let (text, form) = (str_arg(a, 0), Form::of(a)?);
    let mut out = Text::with_capacity(text.len())?;
    let (mut buffer, mut len) = ([0; 4], 0);
    for (n, c) in form.of_text(text).enumerate() {
        if n % CHARS_A_CHECK == 0 {
            guard::check()?;
        }
        len += c.len_utf8();
        ctx.check_len(len)?;
        out.push_str(c.encode_utf8(&mut buffer))?;
    }
    Ok(Datum::from(out.finish()?))
}

fn is_normalized(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let (text, form) = (str_arg(a, 0), Form::of(a)?);
    Ok(Datum::Bool(match form.quick(text) {
        IsNormalized::Yes => true,
        IsNormalized::No => false,
        IsNormalized::Maybe => {
            let mut rest = text.chars();
            let mut chars = 0;
            for c in form.of_text(text) {
                chars += 1;
                if chars % CHARS_A_CHECK == 0 {
                    guard::check()?;
                }
                if rest.next() != Some(c) {
                    return Ok(Datum::Bool(false));
                }
            }
            rest.next().is_none()
        }
    }))
}

/// Characters that Unicode has given nothing to, as ranges in their order.
static UNASSIGNED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let parsed = regex_syntax::parse(r"\p{Cn}").map(regex_syntax::hir::Hir::into_kind);
    match parsed {
        Ok(HirKind::Class(Class::Unicode(c))) => c.iter().map(|r| (r.start(), r.end())).collect(),
        _ => Vec::new(),
    }
});

fn unicode_assigned(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let is_unassigned = |c: char| {
        !c.is_ascii()
            && UNASSIGNED
                .binary_search_by(|(from, to)| match () {
                    () if *to < c => Ordering::Less,
                    () if *from > c => Ordering::Greater,
                    () => Ordering::Equal,
                })
                .is_ok()
    };
    for (n, c) in str_arg(a, 0).chars().enumerate() {
        if n % CHARS_A_CHECK == 0 {
            guard::check()?;
        }
        if is_unassigned(c) {
            return Ok(Datum::Bool(false));
        }
    }
    Ok(Datum::Bool(true))
}

/// The version of the tables that tell what a character is: those of `regex-syntax`.
const UNICODE_VERSION: &str = "16.0";

fn unicode_version(_: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::text(UNICODE_VERSION))
}

pub(super) static TABLE: &[ScalarFn] = &[
    f("normalize", &[T::Text], T::Text, normalize),
    f("normalize", &[T::Text, T::Text], T::Text, normalize),
    f("is_normalized", &[T::Text], T::Bool, is_normalized),
    f("is_normalized", &[T::Text, T::Text], T::Bool, is_normalized),
    f("unicode_assigned", &[T::Text], T::Bool, unicode_assigned),
    f("unicode_version", &[], T::Text, unicode_version),
];
