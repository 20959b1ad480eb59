//! What follows the name of a command: flags, and options with a value each.

use std::str::FromStr;

/// The value of an option.
pub struct Value<'a> {
    of: &'a str,
    /// As it was given; nothing for a flag.
    pub text: &'a str,
}

impl Value<'_> {
    /// As a number.
    pub fn number<T: FromStr>(&self) -> Result<T, String> {
        self.text.parse().map_err(|_| format!("{} needs a number", self.of))
    }
}

/// Hands each option to `take`; those among `flags` have no value.
pub fn each(
    args: &[String],
    flags: &[&str],
    mut take: impl FnMut(&str, Value) -> Result<(), String>,
) -> Result<(), String> {
    let mut args = args.iter();
    while let Some(of) = args.next() {
        let text = match flags.contains(&of.as_str()) {
            true => "",
            false => args.next().ok_or_else(|| format!("{of} needs a value"))?,
        };
        take(of, Value { of, text })?;
    }
    Ok(())
}

/// There is no such option.
pub fn unknown(name: &str) -> Result<(), String> {
    Err(format!("unknown option {name}"))
}
