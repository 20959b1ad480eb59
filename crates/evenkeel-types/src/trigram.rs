//! Trigrams of texts, as `pg_trgm` takes them: of each word in small letters, two blanks before it and one behind it, every three characters.
//!
//! Invariants:
//! 1. Of every text that is LIKE a pattern, in any letters, the trigrams are among them that the pattern asks for.
//!
//! Must not know: SQL functions, indexes.

use crate::error::SqlError;
use crate::guard::Pace;

/// Three characters.
pub type Trigram = [char; 3];

/// A trigram that begins a word, ends one, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    begins: bool,
    ends: bool,
}

/// The trigrams of a padded word, in order.
fn of_word(word: &[char], out: &mut Vec<(Trigram, Bounds)>) {
    let windows = word.windows(3);
    let last = windows.len().saturating_sub(1);
    out.extend(
        windows.enumerate().map(|(n, w)| ([w[0], w[1], w[2]], Bounds { begins: n == 0, ends: n == last })),
    );
}

/// All trigrams of a text, in the order of the text.
fn all(text: &str) -> Result<Vec<(Trigram, Bounds)>, SqlError> {
    let (mut out, mut word, mut pace) = (Vec::new(), Vec::new(), Pace::default());
    let mut close = |word: &mut Vec<char>| {
        if !word.is_empty() {
            word.push(' ');
            of_word(word, &mut out);
            word.clear();
        }
    };
    for c in text.chars() {
        pace.bytes(c.len_utf8())?;
        if c.is_alphanumeric() {
            if word.is_empty() {
                word.extend([' ', ' ']);
            }
            word.extend(c.to_lowercase());
        } else {
            close(&mut word);
        }
    }
    close(&mut word);
    Ok(out)
}

/// The trigrams of a text, each once, in order.
pub fn trigrams(text: &str) -> Result<Vec<Trigram>, SqlError> {
    let mut found: Vec<Trigram> = all(text)?.into_iter().map(|t| t.0).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The trigrams that every text has which is LIKE a pattern, each once, in order. (1)
pub fn of_pattern(pattern: &str) -> Vec<Trigram> {
    /// What stands in a pattern.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Part {
        Wild,
        Is(char),
    }
    let (mut parts, mut chars) = (Vec::new(), pattern.chars());
    while let Some(c) = chars.next() {
        match c {
            '%' | '_' => parts.push(Part::Wild),
            '\\' => parts.extend(chars.next().map(Part::Is)),
            c => parts.push(Part::Is(c)),
        }
    }
    let is_word = |p: Option<&Part>| matches!(p, Some(Part::Is(c)) if c.is_alphanumeric());
    let (mut found, mut at) = (Vec::new(), 0);
    while at < parts.len() {
        if !is_word(parts.get(at)) {
            at += 1;
            continue;
        }
        let mut word = Vec::new();
        if at == 0 || parts[at - 1] != Part::Wild {
            word.extend([' ', ' ']);
        }
        while let Some(Part::Is(c)) = parts.get(at).filter(|p| is_word(Some(p))) {
            word.extend(c.to_lowercase());
            at += 1;
        }
        if parts.get(at) != Some(&Part::Wild) {
            word.push(' ');
        }
        of_word(&word, &mut found);
    }
    let mut found: Vec<Trigram> = found.into_iter().map(|t| t.0).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn ratio(common: usize, one: usize, other: usize) -> f32 {
    common as f32 / (one + other - common) as f32
}

/// How alike two texts are: from 0 to 1.
pub fn similarity(a: &str, b: &str) -> Result<f32, SqlError> {
    let (a, b) = (trigrams(a)?, trigrams(b)?);
    if a.is_empty() || b.is_empty() {
        return Ok(0.0);
    }
    let common = a.iter().filter(|t| b.binary_search(t).is_ok()).count();
    Ok(ratio(common, a.len(), b.len()))
}

/// How alike a text is to the part of another that is most like it: to any part, or, `strict`, to whole words.
pub fn word_similarity(wanted: &str, text: &str, strict: bool) -> Result<f32, SqlError> {
    let (wanted, text) = (trigrams(wanted)?, all(text)?);
    let mut pace = Pace::default();
    if wanted.is_empty() || text.is_empty() {
        return Ok(0.0);
    }
    // Each of the text's trigrams by its number among all that are different.
    let mut known: Vec<Trigram> = text.iter().map(|t| t.0).collect();
    known.sort_unstable();
    known.dedup();
    let number = |t: &Trigram| known.binary_search(t).unwrap_or(0);
    let numbers: Vec<usize> = text.iter().map(|t| number(&t.0)).collect();
    let found: Vec<bool> = known.iter().map(|t| wanted.binary_search(t).is_ok()).collect();
    let mut last_place: Vec<Option<usize>> = vec![None; known.len()];
    // The part that is looked at begins at `lower`; so many are in it, and so many of these are wanted.
    let mut lower = strict.then_some(0);
    let (mut inside, mut common, mut best) = (0usize, 0usize, 0f32);
    for (i, &n) in numbers.iter().enumerate() {
        pace.step()?;
        if lower.is_some() || found[n] {
            if last_place[n].is_none() {
                inside += 1;
                common += usize::from(found[n]);
            }
            last_place[n] = Some(i);
        }
        if !(if strict { text[i].1.ends } else { found[n] }) {
            continue;
        }
        let mut from = *lower.get_or_insert_with(|| {
            inside = 1;
            i
        });
        let mut now = ratio(common, wanted.len(), inside);
        let before = from;
        // It may be more alike if it begins later.
        let (mut fewer_common, mut fewer) = (common, inside);
        for (at, &m) in numbers.iter().enumerate().take(i + 1).skip(before) {
            pace.step()?;
            if !strict || text[at].1.begins {
                let then = ratio(fewer_common, wanted.len(), fewer);
                if then > now {
                    (now, inside, from, common) = (then, fewer, at, fewer_common);
                }
            }
            if last_place[m] == Some(at) {
                fewer -= 1;
                fewer_common -= usize::from(found[m]);
            }
        }
        lower = Some(from);
        best = best.max(now);
        for (at, &m) in numbers.iter().enumerate().take(from).skip(before) {
            if last_place[m] == Some(at) {
                last_place[m] = None;
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::like::like_text;

    #[test]
    fn what_is_like_a_pattern_has_its_trigrams() {
        let texts =
            ["Foo bar", "foobar", "a_b 100%", "x foo", "Ärger öl", "", "--", "foo-bar baz", "İstanbul"];
        let patterns =
            ["%foo%", "foo%", "%bar", "foo_bar", "%o b%", "a\\_b%", "%ÖL%", "x foo", "%ist%", "_oo%"];
        let small = |s: &str| s.chars().flat_map(char::to_lowercase).collect::<String>();
        for text in texts {
            let has = trigrams(text).unwrap();
            for pattern in patterns {
                if like_text(&small(text), &small(pattern)).unwrap() {
                    assert!(of_pattern(pattern).iter().all(|t| has.contains(t)), "{text} {pattern}");
                }
            }
        }
        assert!(of_pattern("%ab%").is_empty());
        assert_eq!(of_pattern("%abc%"), [['a', 'b', 'c']]);
        assert_eq!(of_pattern("ab%"), [[' ', ' ', 'a'], [' ', 'a', 'b']]);
    }
}
