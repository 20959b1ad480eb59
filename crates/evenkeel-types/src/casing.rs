//! Large and small letters by the rules of a language, as a collation that is not bytewise has them: `ß` in large letters is `SS`.
//!
//! Without such a collation each character is changed by itself (`funcs/strings.rs`), as PostgreSQL's builtin provider does.
//!
//! Must not know: collations' orders.

use crate::error::SqlError;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Casing {
    /// `lower`
    Lower,
    /// `upper`
    Upper,
    /// `initcap`
    Title,
}

impl Casing {
    /// By the name of its function.
    pub fn named(function: &str) -> Option<Casing> {
        Some(match function {
            "lower" => Casing::Lower,
            "upper" => Casing::Upper,
            "initcap" => Casing::Title,
            _ => return None,
        })
    }

    /// Fails for a language whose rules are not known here.
    ///
    /// # Errors
    /// 0A000
    pub fn check(self, locale: &str) -> Result<(), SqlError> {
        let refused = match self {
            Casing::Lower => ["lt"].contains(&language(locale)),
            Casing::Upper => ["lt", "el", "hy"].contains(&language(locale)),
            Casing::Title => ["lt", "el", "hy", "nl"].contains(&language(locale)),
        };
        if !refused {
            return Ok(());
        }
        let what = match self {
            Casing::Lower => "lower()",
            Casing::Upper => "upper()",
            Casing::Title => "initcap()",
        };
        let why = format!("{what} by the rules of locale \"{locale}\" is not supported");
        Err(SqlError::unsupported(why)
            .with_hint("Choose another collation by COLLATE, such as \"und-x-icu\"."))
    }

    /// A text as it is asked for.
    pub fn of(self, text: &str, locale: &str) -> String {
        let is_turkic = matches!(language(locale), "tr" | "az");
        match self {
            Casing::Lower => lower(text, is_turkic),
            Casing::Upper => upper(text, is_turkic),
            Casing::Title => title(text, is_turkic),
        }
    }
}

fn language(locale: &str) -> &str {
    locale.split(['-', '_']).next().unwrap_or_default()
}

fn lower(text: &str, is_turkic: bool) -> String {
    match is_turkic {
        // A dot above that follows I is what makes it i.
        true => text.replace("I\u{307}", "i").replace('İ', "i").replace('I', "ı").to_lowercase(),
        false => text.to_lowercase(),
    }
}

fn upper(text: &str, is_turkic: bool) -> String {
    if is_turkic { text.replace('i', "İ").to_uppercase() } else { text.to_uppercase() }
}

/// A word's first letter large and the others small. An apostrophe between letters, or a low line, ends no word (UAX #29).
fn title(text: &str, is_turkic: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_in_word = c.is_alphanumeric() || c == '_' || is_mark(c);
        let joins = matches!(c, '\'' | '’' | '·')
            && word.chars().next_back().is_some_and(char::is_alphabetic)
            && chars.peek().is_some_and(|n| n.is_alphabetic());
        if is_in_word || joins {
            word.push(c);
            continue;
        }
        push_word(&word, is_turkic, &mut out);
        word.clear();
        out.push(c);
    }
    push_word(&word, is_turkic, &mut out);
    out
}

/// Marks that stand above or below the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn push_word(word: &str, is_turkic: bool, out: &mut String) {
    let first = word.char_indices().find(|(_, c)| c.is_alphanumeric());
    let Some((at, c)) = first else { return out.push_str(word) };
    let (before, rest) = (&word[..at], &word[at + c.len_utf8()..]);
    out.push_str(before);
    match c {
        // Letters of two, of which only the first is large at the beginning of a word.
        'Ǆ' | 'ǅ' | 'ǆ' => out.push('ǅ'),
        'Ǉ' | 'ǈ' | 'ǉ' => out.push('ǈ'),
        'Ǌ' | 'ǋ' | 'ǌ' => out.push('ǋ'),
        'Ǳ' | 'ǲ' | 'ǳ' => out.push('ǲ'),
        'ß' => out.push_str("Ss"),
        'i' if is_turkic => out.push('İ'),
        c => out.extend(c.to_uppercase()),
    }
    out.push_str(&lower(rest, is_turkic));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_follow_the_language() {
        assert_eq!(Casing::Upper.of("straße i", "de-AT"), "STRASSE I");
        assert_eq!(Casing::Upper.of("ıi", "tr"), "Iİ");
        assert_eq!(Casing::Lower.of("Iİ", "tr-TR"), "ıi");
        assert_eq!(Casing::Lower.of("ΟΔΟΣ", "und"), "οδος");
        assert_eq!(
            Casing::Title.of("o'neil ÀB-cd x_y 3rd ǆABC ßa", "en-US"),
            "O'neil Àb-Cd X_y 3rd ǅabc Ssa"
        );
        assert!(Casing::Upper.check("el-GR").is_err());
        assert!(Casing::Title.check("nl").is_err());
        assert!(Casing::Upper.check("nl").is_ok());
    }
}
