//! Collations: in which order texts stand.
//!
//! A collation is bytewise ("C" and its like), or that of a locale, by the rules and data of CLDR (crate `icu_collator`). Nearly all are deterministic, as
//! PostgreSQL's are unless asked otherwise: texts are equal if their bytes are, and those that a locale's rules do not tell apart stand by their bytes.
//! So equality, hashing and unique keys know nothing of collations; only what asks for an order does, and it asks for sort keys. In one that is not
//! deterministic, texts are equal if the rules do not tell them apart: whoever asks for equality compares sort keys, too.
//!
//! Invariants:
//! 1. The order of two texts in a collation is the bytewise order of their sort keys; equal keys mean equal texts.
//! 2. A sort key of a deterministic one is the locale's, a zero byte, and the text: the text can be read from it. Of another it is the locale's alone, which
//!    has no zero byte, so that nobody reads a text from it.
//! 3. A locale's sort keys may change with the crate's data (`VERSION`): whatever keeps them remembers by which they were made.
//!
//! Must not know: the catalog, columns.

use crate::collation_rows::Fields;
use crate::datum::{ArrayDatum, Datum, RecordDatum};
use crate::error::{SqlError, SqlState};
use crate::ty::Type;
use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use icu_locale_core::extensions::unicode::Key;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// Of the data that sort keys are made by: CLDR's, as `icu_collator_data` has them.
pub const VERSION: &str = "49.0";

/// OID of `"default"`: the database's.
pub const DEFAULT_OID: u32 = 100;
/// OID of `"C"`.
pub const C_OID: u32 = 950;
/// OID of `"POSIX"`.
const POSIX_OID: u32 = 951;
/// OID of `ucs_basic`.
const UCS_BASIC_OID: u32 = 962;
/// OID of `pg_unicode_fast`.
const UNICODE_FAST_OID: u32 = 6411;

/// Collations by bytes: their names and OIDs. Names of the C library's are not told apart by case where it does not.
pub const BYTEWISE: [(&str, u32); 6] = [
    ("C", C_OID),
    ("POSIX", POSIX_OID),
    ("ucs_basic", UCS_BASIC_OID),
    ("pg_c_utf8", 811),
    ("C.utf8", 12_359),
    ("pg_unicode_fast", UNICODE_FAST_OID),
];

/// OID of `unicode`, the root's order.
const UNICODE_OID: u32 = 963;
/// OIDs of the locales' collations begin here, in the order of the list, which grows at its end only.
const FIRST_LOCALE_OID: u32 = 12_400;
/// OIDs of the collations that are named as the C library's are.
const FIRST_LIBC_OID: u32 = 13_400;

/// Locales that have a collation of their own, `de-AT-x-icu`.
static LOCALES: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("collation_locales.txt").lines().collect());

/// Languages and regions that have collations named as the C library's are, `en_US` and `en_US.utf8`. CLDR's rules are theirs, too.
const LIBC: [&str; 40] = [
    "bg_BG", "ca_ES", "cs_CZ", "da_DK", "de_AT", "de_CH", "de_DE", "el_GR", "en_AU", "en_CA", "en_GB",
    "en_IE", "en_IN", "en_NZ", "en_US", "en_ZA", "es_AR", "es_ES", "es_MX", "et_EE", "fi_FI", "fr_BE",
    "fr_CA", "fr_CH", "fr_FR", "hu_HU", "it_IT", "ja_JP", "ko_KR", "lt_LT", "nb_NO", "nl_BE", "nl_NL",
    "pl_PL", "pt_BR", "pt_PT", "ru_RU", "sv_SE", "tr_TR", "uk_UA",
];

/// Most locales that a process knows: each stays in memory.
const LOCALES_MAX: usize = 4096;

/// The rules of a locale.
#[derive(Debug)]
pub struct Rules {
    locale: String,
    is_deterministic: bool,
    collator: CollatorBorrowed<'static>,
}

/// Which large and small letters a collation by bytes knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Those of ASCII alone: `C`.
    Ascii,
    /// All, each with what it is by itself: `C.UTF-8`.
    Simple,
    /// All, and ß becomes SS: `PG_UNICODE_FAST`.
    Full,
}

impl Letters {
    /// By the name of a locale in which texts are ordered by their bytes.
    pub fn of_locale(name: &str) -> Letters {
        match name.to_ascii_lowercase().as_str() {
            "c" | "posix" => Letters::Ascii,
            "pg_unicode_fast" => Letters::Full,
            _ => Letters::Simple,
        }
    }
}

/// A collation. Whoever compares asks for its sort keys, if it is not bytewise.
#[derive(Clone, Copy, Debug)]
pub struct Collation {
    /// Its OID; `DEFAULT_OID`: the database's.
    pub oid: u32,
    rules: Option<&'static Rules>,
    /// Which large and small letters it knows, unless it has a locale's rules.
    letters: Letters,
    /// Of rows: what their fields are compared in.
    fields: Option<&'static Fields>,
}

impl PartialEq for Collation {
    fn eq(&self, other: &Collation) -> bool {
        self.oid == other.oid && self.has_order_of(other)
    }
}

impl Eq for Collation {}

impl Default for Collation {
    fn default() -> Collation {
        Collation::bytewise(DEFAULT_OID)
    }
}

impl Collation {
    /// One by bytes.
    pub const fn bytewise(oid: u32) -> Collation {
        let letters = match oid {
            C_OID | POSIX_OID | UCS_BASIC_OID => Letters::Ascii,
            UNICODE_FAST_OID => Letters::Full,
            _ => Letters::Simple,
        };
        Collation { oid, rules: None, letters, fields: None }
    }

    /// One by bytes with these letters.
    pub const fn with_letters(oid: u32, letters: Letters) -> Collation {
        Collation { oid, rules: None, letters, fields: None }
    }

    /// Which large and small letters it knows, unless it has a locale's rules.
    #[inline]
    pub const fn letters(&self) -> Letters {
        self.letters
    }

    /// One by the rules of a locale, `de-AT`, `und-u-kn`.
    ///
    /// # Errors
    /// 22023 if it is none; 0A000 if it asks for rules that are not there.
    pub fn of_locale(oid: u32, locale: &str) -> Result<Collation, SqlError> {
        Ok(Collation { oid, rules: Some(rules(locale, true)?), letters: Letters::Full, fields: None })
    }

    /// One by the rules of a locale in which texts are equal that these do not tell apart.
    ///
    /// # Errors
    /// As of a locale's.
    pub fn nondeterministic(oid: u32, locale: &str) -> Result<Collation, SqlError> {
        Ok(Collation { oid, rules: Some(rules(locale, false)?), letters: Letters::Full, fields: None })
    }

    /// A predefined one.
    pub fn predefined(oid: u32) -> Option<Collation> {
        if oid == DEFAULT_OID || BYTEWISE.iter().any(|b| b.1 == oid) {
            return Some(Collation::bytewise(oid));
        }
        Collation::of_locale(oid, predefined_locale(oid)?).ok()
    }

    /// The same order under another OID.
    pub const fn named(self, oid: u32) -> Collation {
        Collation { oid, ..self }
    }

    /// Its order is that of bytes.
    #[inline]
    pub fn is_bytewise(&self) -> bool {
        self.rules.is_none() && self.fields.is_none_or(|f| f.is_bytewise)
    }

    /// That of rows, whose other values have this one.
    pub fn with_fields(self, fields: &'static Fields) -> Collation {
        Collation { fields: Some(fields), ..self }
    }

    /// Those of the fields of rows.
    pub fn fields(&self) -> Option<&'static Fields> {
        self.fields
    }

    /// Texts are equal only if their bytes are.
    #[inline]
    pub fn is_deterministic(&self) -> bool {
        self.rules.is_none_or(|r| r.is_deterministic)
    }

    /// The same order with texts that it does not tell apart by their bytes: its sort keys tell their texts.
    pub fn telling(self) -> Collation {
        let same = |r: &'static Rules| rules(&r.locale, true).ok().or(Some(r));
        if self.is_deterministic() { self } else { Collation { rules: self.rules.and_then(same), ..self } }
    }

    /// The locale whose rules it has.
    pub fn locale(&self) -> Option<&'static str> {
        self.rules.map(|r| r.locale.as_str())
    }

    /// Both order alike.
    #[inline]
    pub fn has_order_of(&self, other: &Collation) -> bool {
        let has_same_rules = match (self.rules, other.rules) {
            (None, None) => true,
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => false,
        };
        has_same_rules && Fields::order_alike(self.fields, other.fields)
    }

    /// The sort key of a text (invariants 1 and 2); of a bytewise collation the text itself.
    pub fn append_key(&self, text: &str, out: &mut Vec<u8>) {
        if let Some(rules) = self.rules {
            let Ok(()) = rules.collator.write_sort_key_to(text, out);
            if !rules.is_deterministic {
                return;
            }
            out.push(0);
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// What stands for a value in an order: of texts, and of arrays of them, their sort keys, unless the collation is bytewise.
    pub fn sort_key(&self, d: Datum) -> Datum {
        if self.is_bytewise() {
            return d;
        }
        let key = |s: &str| {
            let mut out = Vec::with_capacity(s.len() * 4 + 8);
            self.append_key(s, &mut out);
            Datum::Bytes(out.into())
        };
        match d {
            Datum::Text(s) => key(&s),
            Datum::Bpchar(s) => key(crate::compare::unpadded(&s)),
            Datum::Citext(s) => key(&crate::chars::lower(&s)),
            Datum::Array(a) if a.values.iter().any(|v| matches!(v, Datum::Record(_))) => {
                let values = a.values.iter().map(|v| self.sort_key(v.clone())).collect();
                let (element, dims) = (a.element, a.dims.clone());
                Datum::Array(Arc::new(ArrayDatum { element, dims, values }))
            }
            Datum::Array(a) if a.values.iter().any(is_text) => {
                let values = a.values.iter().map(|v| self.sort_key(v.clone())).collect();
                let (element, dims) = (Type::Bytea, a.dims.clone());
                Datum::Array(Arc::new(ArrayDatum { element, dims, values }))
            }
            Datum::Record(r) => {
                let values = r.values.iter().zip(&r.types).enumerate();
                let values = values.map(|(n, (v, ty))| self.of_field(n, *ty).sort_key(v.clone())).collect();
                Datum::Record(Arc::new(RecordDatum { values, ..(*r).clone() }))
            }
            other => other,
        }
    }
}

impl Collation {
    /// What a field of a row is compared in.
    fn of_field(&self, n: usize, ty: Type) -> Collation {
        match self.fields.and_then(|f| f.list.get(n)) {
            Some(own) => *own,
            // Some types that are no texts have such values.
            None if matches!(ty, Type::Name | Type::Char) => Collation::bytewise(C_OID),
            None => Collation { fields: None, ..*self },
        }
    }
}

/// Whether a value has a sort key of its own.
fn is_text(d: &Datum) -> bool {
    matches!(d, Datum::Text(_) | Datum::Bpchar(_) | Datum::Citext(_))
}

/// The text of a sort key of a collation that is not bytewise.
pub fn text_of_key(key: &[u8]) -> Option<&[u8]> {
    memchr::memchr(0, key).map(|zero| &key[zero + 1..])
}

/// The text of a sort key, as a value; NULL as it is.
///
/// # Errors
/// XX001 if it is no sort key.
pub fn text_of(key: Datum) -> Result<Datum, SqlError> {
    let corrupt = || SqlError::new(SqlState::DATA_CORRUPTED, "a text's sort key is corrupt");
    match key {
        Datum::Bytes(b) => {
            let text = text_of_key(&b).and_then(|t| std::str::from_utf8(t).ok());
            text.map(Datum::text).ok_or_else(corrupt)
        }
        other => Ok(other),
    }
}

/// The same of an array of them, too, which is of a type.
pub fn texts_of(keys: Datum, ty: Type) -> Result<Datum, SqlError> {
    match keys {
        Datum::Array(a) if a.values.iter().any(|v| matches!(v, Datum::Bytes(_))) => {
            let element = ty.element().unwrap_or(ty);
            let values = a.values.iter().map(|v| texts_of(v.clone(), element)).collect::<Result<_, _>>()?;
            Ok(Datum::Array(Arc::new(ArrayDatum { element, dims: a.dims.clone(), values })))
        }
        other => match text_of(other)? {
            Datum::Text(s) if ty == Type::Bpchar => Ok(Datum::Bpchar(s)),
            text => Ok(text),
        },
    }
}

/// Whether values of a type have a collation that may be chosen. That of `name` is "C" where none is.
pub fn is_collatable(ty: Type) -> bool {
    let ty = ty.element().unwrap_or(ty);
    matches!(ty, Type::Text | Type::Varchar | Type::Bpchar | Type::Name | Type::Citext)
}

/// The locale of a predefined collation.
pub fn predefined_locale(oid: u32) -> Option<&'static str> {
    if oid == UNICODE_OID {
        return Some("und");
    }
    if oid >= FIRST_LIBC_OID {
        static AS_LOCALES: OnceLock<Vec<String>> = OnceLock::new();
        let all = AS_LOCALES.get_or_init(|| LIBC.iter().map(|name| name.replace('_', "-")).collect());
        return all.get((oid - FIRST_LIBC_OID) as usize / 2).map(String::as_str);
    }
    LOCALES.get(oid.checked_sub(FIRST_LOCALE_OID)? as usize).copied()
}

/// Who made a predefined collation's rules, as `pg_collation.collprovider` says it.
pub fn predefined_provider(oid: u32) -> char {
    match oid {
        DEFAULT_OID => 'd',
        811 | 962 | 6411 => 'b',
        C_OID | 951 | 12_359 => 'c',
        oid if oid >= FIRST_LIBC_OID => 'c',
        _ => 'i',
    }
}

/// All predefined ones: names and OIDs, but for the default.
pub fn all_predefined() -> impl Iterator<Item = (String, u32)> {
    let bytewise = BYTEWISE.iter().map(|(name, oid)| ((*name).to_owned(), *oid));
    let by_locale = LOCALES.iter().enumerate();
    let by_locale = by_locale.map(|(n, l)| (format!("{l}-x-icu"), FIRST_LOCALE_OID + n as u32));
    let libc = LIBC.iter().enumerate().flat_map(|(n, l)| {
        let oid = FIRST_LIBC_OID + 2 * n as u32;
        [((*l).to_owned(), oid), (format!("{l}.utf8"), oid + 1)]
    });
    bytewise.chain([("unicode".to_owned(), UNICODE_OID)]).chain(by_locale).chain(libc)
}

/// Names and OIDs both ways.
struct Names {
    oids: HashMap<String, u32>,
    names: HashMap<u32, String>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    oids: all_predefined().collect(),
    names: all_predefined().map(|(name, oid)| (oid, name)).collect(),
});

/// OID of a predefined collation, by its name.
pub fn predefined_oid(name: &str) -> Option<u32> {
    if name == "default" { Some(DEFAULT_OID) } else { NAMES.oids.get(name).copied() }
}

/// Name of a predefined collation.
pub fn predefined_name(oid: u32) -> Option<&'static str> {
    if oid == DEFAULT_OID { Some("default") } else { NAMES.names.get(&oid).map(String::as_str) }
}

/// The locale that a name of the C library's means, `de_DE.UTF-8@euro`; `None`: the order of bytes.
///
/// # Errors
/// 22023 if it is of no language that is known, or of another encoding.
pub fn locale_of_libc(name: &str) -> Result<Option<String>, SqlError> {
    let refused = || SqlError::new(SqlState::WRONG_OBJECT_TYPE, format!("invalid locale name: \"{name}\""));
    let (place, encoding) = name.split_once('.').unwrap_or((name, "utf8"));
    let encoding = encoding.split('@').next().unwrap_or_default().to_ascii_lowercase();
    let place = place.split('@').next().unwrap_or_default();
    if !matches!(encoding.as_str(), "utf8" | "utf-8") {
        return Err(refused());
    }
    if matches!(place, "C" | "POSIX" | "c" | "posix") {
        return Ok(None);
    }
    let locale = place.replace('_', "-");
    rules(&locale, true).map_err(|_| refused())?;
    Ok(Some(locale))
}

/// The rules of a locale, made once, as a deterministic collation has them or as another.
fn rules(locale: &str, is_deterministic: bool) -> Result<&'static Rules, SqlError> {
    type Known = HashMap<String, &'static Rules>;
    static KNOWN: LazyLock<[RwLock<Known>; 2]> = LazyLock::new(Default::default);
    let known = &KNOWN[usize::from(is_deterministic)];
    if let Some(known) = known.read().get(locale) {
        return Ok(known);
    }
    let made = Rules { locale: locale.to_owned(), is_deterministic, collator: collator(locale)? };
    let mut known = known.write();
    if let Some(found) = known.get(locale) {
        return Ok(found);
    }
    if known.len() >= LOCALES_MAX {
        let why = format!("no more than {LOCALES_MAX} locales can be used by one server");
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why));
    }
    let made: &'static Rules = Box::leak(Box::new(made));
    known.insert(locale.to_owned(), made);
    Ok(made)
}

fn collator(name: &str) -> Result<CollatorBorrowed<'static>, SqlError> {
    let locale: Locale = name.parse().map_err(|_| {
        let why =
            format!("could not convert locale name \"{name}\" to language tag: U_ILLEGAL_ARGUMENT_ERROR");
        SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why)
    })?;
    let language = locale.id.language.as_str();
    let is_known = |l: &&str| l.split('-').next() == Some(language);
    if language != "und" && !LOCALES.iter().any(is_known) {
        let why = format!("ICU locale \"{name}\" has unknown language \"{language}\"");
        return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why));
    }
    let mut options = CollatorOptions::default();
    for (key, value) in locale.extensions.unicode.keywords.iter() {
        set_option(&mut options, *key, &value.to_string(), name)?;
    }
    let refused = || SqlError::unsupported(format!("there are no rules for locale \"{name}\""));
    Collator::try_new(CollatorPreferences::from(&locale), options).map_err(|_| refused())
}

/// A keyword of a locale, `-u-ks-level2`. An empty value is "true".
fn set_option(options: &mut CollatorOptions, key: Key, value: &str, name: &str) -> Result<(), SqlError> {
    const TYPES: [&str; 13] = [
        "standard", "compat", "dict", "emoji", "eor", "phonebk", "phonetic", "pinyin", "stroke", "trad",
        "unihan", "zhuyin", "search",
    ];
    let unsupported =
        || Err(SqlError::unsupported(format!("\"{key}-{value}\" of locale \"{name}\" is not supported")));
    match (key.as_str(), value) {
        ("ks", v) => {
            options.strength = Some(match v {
                "level1" => Strength::Primary,
                "level2" => Strength::Secondary,
                "level3" => Strength::Tertiary,
                "level4" => Strength::Quaternary,
                "identic" => Strength::Identical,
                _ => return unsupported(),
            });
        }
        ("ka", "shifted") => options.alternate_handling = Some(AlternateHandling::Shifted),
        ("ka", "noignore") => options.alternate_handling = Some(AlternateHandling::NonIgnorable),
        ("kc", "" | "true") => options.case_level = Some(CaseLevel::On),
        ("kc", "false") => options.case_level = Some(CaseLevel::Off),
        ("kv", v) => {
            options.max_variable = Some(match v {
                "space" => MaxVariable::Space,
                "punct" => MaxVariable::Punctuation,
                "symbol" => MaxVariable::Symbol,
                "currency" => MaxVariable::Currency,
                _ => return unsupported(),
            });
        }
        // These two are taken from the locale itself; whatever is compared is normalised.
        ("kn", "" | "true" | "false") | ("kf", "upper" | "lower" | "false") | ("kk" | "kb", "false") => {}
        ("kk", "" | "true") => {}
        ("co", v) if TYPES.contains(&v) && v != "search" => {}
        ("co" | "kn" | "kf" | "kb" | "kk" | "ka" | "kc" | "kr" | "vt" | "kh" | "va", _) => {
            return unsupported();
        }
        // Calendars, currencies and the like.
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(locale: &str, words: &[&str]) -> Vec<String> {
        let c = Collation::of_locale(1, locale).unwrap();
        let mut keys: Vec<(Vec<u8>, &str)> = words
            .iter()
            .map(|w| match c.sort_key(Datum::text(*w)) {
                Datum::Bytes(b) => (b.to_vec(), *w),
                other => panic!("{other:?}"),
            })
            .collect();
        keys.sort();
        keys.iter().map(|k| k.1.to_owned()).collect()
    }

    #[test]
    fn locales_have_their_rules() {
        assert_eq!(ordered("und", &["b", "A", "a", "B", "ä", "z"]), ["a", "A", "ä", "b", "B", "z"]);
        assert_eq!(ordered("sv", &["z", "ä", "a", "ö", "å"]), ["a", "z", "å", "ä", "ö"]);
        assert_eq!(ordered("de-u-co-phonebk", &["Ad", "Ä", "Af"]), ["Ad", "Ä", "Af"]);
        assert_eq!(ordered("und-u-kn", &["a10", "a9", "a1"]), ["a1", "a9", "a10"]);
        assert_eq!(ordered("en-u-kf-upper", &["a", "A"]), ["A", "a"]);
        assert_eq!(ordered("und-u-ka-shifted", &["de luge", "deluge", "de-luge"])[0], "de luge");
    }

    /// Invariants 1 and 2.
    #[test]
    fn keys_are_of_their_texts() {
        let c = Collation::of_locale(1, "und-u-ks-level1").unwrap();
        let mut rng = fastrand::Rng::with_seed(11);
        let mut seen = HashMap::new();
        for _ in 0..20_000 {
            let text: String = (0..rng.usize(0..6)).map(|_| rng.char('\u{1}'..'\u{2ff}')).collect();
            let Datum::Bytes(key) = c.sort_key(Datum::text(text.as_str())) else { panic!("no key") };
            assert_eq!(text_of_key(&key), Some(text.as_bytes()));
            assert_eq!(*seen.entry(key).or_insert_with(|| text.clone()), text);
        }
    }

    #[test]
    fn names_lead_to_collations_and_back() {
        for (name, oid) in all_predefined() {
            assert_eq!(predefined_oid(&name), Some(oid), "{name}");
            assert_eq!(predefined_name(oid), Some(name.as_str()), "{oid}");
            assert!(Collation::predefined(oid).is_some(), "{name}");
        }
        assert_eq!(predefined_oid("de-AT-x-icu").and_then(predefined_locale), Some("de-AT"));
        assert_eq!(predefined_oid("tr_TR.utf8").and_then(predefined_locale), Some("tr-TR"));
        assert_eq!(locale_of_libc("C.UTF-8").unwrap(), None);
        assert_eq!(locale_of_libc("en_US.UTF-8").unwrap().as_deref(), Some("en-US"));
        for wrong in ["xx_YY.UTF-8", "de_DE.ISO-8859-1", "", "nonsense!"] {
            assert!(locale_of_libc(wrong).is_err(), "{wrong}");
        }
        for (wrong, why) in
            [("xx-YY", "unknown language"), ("not a locale", "language tag"), ("und-u-kr-latn", "kr-latn")]
        {
            let e = Collation::of_locale(1, wrong).unwrap_err();
            assert!(e.message.contains(why), "{e:?}");
        }
    }
}
