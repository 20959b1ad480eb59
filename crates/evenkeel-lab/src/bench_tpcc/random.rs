//! The specification's random choices (2.1.6, 4.3.2, 4.3.3).
//!
//! It must not know tables.

use fastrand::Rng;

/// Items in the catalogue.
pub const ITEMS: u32 = 100_000;
/// Districts of a warehouse.
pub const DISTRICTS: u32 = 10;
/// Customers of a district, and its orders at the beginning.
pub const CUSTOMERS: u32 = 3_000;
/// Last names that there are.
const NAMES: u32 = 1000;
/// The constants C of NURand; for names the difference of the two is in 65..=119 and neither 96 nor 112 (2.1.6.1).
const C_NAME_LOAD: u32 = 157;
const C_NAME_RUN: u32 = 223;
const C_CUSTOMER: u32 = 123;
const C_ITEM: u32 = 4_711;

const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
/// In a tenth of the strings of data (4.3.3.1).
const ORIGINAL: &str = "ORIGINAL";

fn uneven(rng: &mut Rng, a: u32, c: u32, from: u32, to: u32) -> u32 {
    ((rng.u32(0..=a) | rng.u32(from..=to)) + c) % (to - from + 1) + from
}

/// A customer's number.
pub fn customer(rng: &mut Rng) -> u32 {
    uneven(rng, 1023, C_CUSTOMER, 1, CUSTOMERS)
}

/// An item's number.
pub fn item(rng: &mut Rng) -> u32 {
    uneven(rng, 8191, C_ITEM, 1, ITEMS)
}

/// The last name that a customer is asked for by.
pub fn name_to_ask(rng: &mut Rng) -> String {
    name(uneven(rng, 255, C_NAME_RUN, 0, NAMES - 1))
}

/// The last name of a customer when the tables are filled: the first thousand of a district have one each.
pub fn name_of(rng: &mut Rng, customer: u32) -> String {
    let n = if customer <= NAMES { customer - 1 } else { uneven(rng, 255, C_NAME_LOAD, 0, NAMES - 1) };
    name(n)
}

fn name(n: u32) -> String {
    [n / 100, n / 10 % 10, n % 10].map(|digit| SYLLABLES[digit as usize]).concat()
}

/// Letters and digits.
pub fn letters(rng: &mut Rng, from: usize, to: usize) -> String {
    let len = rng.usize(from..=to);
    (0..len).map(|_| rng.alphanumeric()).collect()
}

/// Digits.
pub fn digits(rng: &mut Rng, len: usize) -> String {
    (0..len).map(|_| rng.digit(10)).collect()
}

/// Nine digits, of which the last five are ones (4.3.2.7).
pub fn zip(rng: &mut Rng) -> String {
    digits(rng, 4) + "11111"
}

/// Data of an item or of stock, of which a tenth has a certain word in it.
pub fn data(rng: &mut Rng) -> String {
    let mut text = letters(rng, 26, 50);
    if rng.u32(0..10) == 0 {
        let at = rng.usize(0..=text.len() - ORIGINAL.len());
        text.replace_range(at..at + ORIGINAL.len(), ORIGINAL);
    }
    text
}

/// An amount of money with two digits behind the point, between two of cents.
pub fn money(rng: &mut Rng, from_cents: i64, to_cents: i64) -> String {
    hundredths(rng.i64(from_cents..=to_cents))
}

/// A number of hundredths.
pub fn hundredths(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", n.abs() / 100, n.abs() % 100)
}

/// A share of up to so many ten-thousandths.
pub fn share(rng: &mut Rng, most: u32) -> String {
    format!("0.{:04}", rng.u32(0..=most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_specifications() {
        assert_eq!(name(371), "PRICALLYOUGHT");
        assert_eq!(name(40), "BARPRESBAR");
    }

    #[test]
    fn choices_are_within_their_bounds_and_uneven() {
        let mut rng = Rng::with_seed(7);
        let mut often = vec![0; CUSTOMERS as usize + 1];
        for _ in 0..100_000 {
            often[customer(&mut rng) as usize] += 1;
            assert!((1..=ITEMS).contains(&item(&mut rng)));
        }
        assert_eq!(often[0], 0);
        let most = often.iter().max().unwrap();
        assert!(*most > 3 * 100_000 / CUSTOMERS, "{most}");
        assert!((65..=119).contains(&(C_NAME_RUN - C_NAME_LOAD)));
    }

    #[test]
    fn texts_have_the_lengths_and_words_asked_for() {
        let mut rng = Rng::with_seed(7);
        let original = (0..10_000).filter(|_| data(&mut rng).contains(ORIGINAL)).count();
        assert!((800..1200).contains(&original), "{original}");
        assert!((26..=50).contains(&data(&mut rng).len()));
        assert_eq!(hundredths(-5), "-0.05");
        assert_eq!(hundredths(12_345), "123.45");
        assert_eq!(zip(&mut rng).len(), 9);
    }
}
