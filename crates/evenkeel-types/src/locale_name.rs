//! Names of locales in their standard form, that of BCP 47.
//!
//! ICU takes other spellings, too: `de_AT`, `de@collation=phonebook`, `en-u-ks-primary`. PostgreSQL keeps the standard form and says so.
//!
//! Must not know: what rules a locale has.

use icu_locale_core::Locale;

/// Keywords as they were spelled before: name, and name in the standard form.
const KEYWORDS: [(&str, &str); 10] = [
    ("collation", "co"),
    ("colstrength", "ks"),
    ("colalternate", "ka"),
    ("colcaselevel", "kc"),
    ("colcasefirst", "kf"),
    ("colnumeric", "kn"),
    ("colnormalization", "kk"),
    ("colbackwards", "kb"),
    ("colreorder", "kr"),
    ("kv", "kv"),
];

/// Values in the standard form: of a keyword, another spelling, the standard one.
const VALUES: [(&str, &str, &str); 12] = [
    ("ks", "primary", "level1"),
    ("ks", "secondary", "level2"),
    ("ks", "tertiary", "level3"),
    ("ks", "quaternary", "level4"),
    ("ks", "quarternary", "level4"),
    ("ks", "identical", "identic"),
    ("ka", "non-ignorable", "noignore"),
    ("kf", "no", "false"),
    ("co", "phonebook", "phonebk"),
    ("co", "traditional", "trad"),
    ("co", "dictionary", "dict"),
    ("co", "gb2312han", "gb2312"),
];

/// A keyword with its value, `ks-level1`; "yes" is no value.
fn keyword(name: &str, value: &str) -> String {
    let standard = VALUES.iter().find(|v| v.0 == name && v.1 == value).map_or(value, |v| v.2);
    match standard {
        "" | "yes" => format!("{name}-true"),
        "no" => format!("{name}-false"),
        value => format!("{name}-{value}"),
    }
}

/// The standard form of a locale's name; `None` if it is none.
pub fn standard_locale(name: &str) -> Option<String> {
    let (place, old) = name.split_once('@').unwrap_or((name, ""));
    let place = place.split('.').next().unwrap_or_default().replace('_', "-").to_ascii_lowercase();
    let (place, new) = place.split_once("-u-").unwrap_or((&place, ""));
    let mut keywords = Vec::new();
    for pair in old.split(';').filter(|p| !p.is_empty()) {
        let (key, value) = pair.split_once('=')?;
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        keywords.push(keyword(KEYWORDS.iter().find(|k| k.0 == key)?.1, &value));
    }
    let mut parts = new.split('-').peekable();
    while let Some(key) = parts.next().filter(|k| !k.is_empty()) {
        let mut value = Vec::new();
        while let Some(part) = parts.next_if(|p| p.len() > 2) {
            value.push(part);
        }
        keywords.push(keyword(key, &value.join("-")));
    }
    keywords.sort();
    let place = match place {
        "" | "root" => "und",
        place => place,
    };
    let place = place.parse::<Locale>().ok()?.to_string();
    if keywords.is_empty() {
        return Some(place);
    }
    // With its values written out, which the crate's own form leaves away.
    let all = format!("{place}-u-{}", keywords.join("-"));
    all.parse::<Locale>().ok().map(|_| all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_have_a_standard_form() {
        let forms = [
            ("de", "de"),
            ("de_AT", "de-AT"),
            ("EN-us", "en-US"),
            ("", "und"),
            ("@colStrength=secondary", "und-u-ks-level2"),
            ("de@collation=phonebook", "de-u-co-phonebk"),
            ("en-u-ks-primary", "en-u-ks-level1"),
            ("und-u-kn-true", "und-u-kn-true"),
            ("und-u-ks-level1-kc-true", "und-u-kc-true-ks-level1"),
            ("en@colNumeric=yes;colReorder=latn-digit", "en-u-kn-true-kr-latn-digit"),
            ("sr-latn-rs", "sr-Latn-RS"),
        ];
        for (name, form) in forms {
            assert_eq!(standard_locale(name).as_deref(), Some(form), "{name}");
            assert_eq!(standard_locale(form).as_deref(), Some(form));
        }
        for wrong in ["nonsense!", "de@nothing", "de@x=y"] {
            assert_eq!(standard_locale(wrong), None, "{wrong}");
        }
    }
}
