//! What is asked: the texts, with the parameters for validation (2.4.n.4) and the row limits.
//!
//! It must not know which server it is.

use tpchgen::q_and_a::queries;

/// How many there are.
pub const QUERIES: usize = 22;

/// A view would be made and dropped each time.
const FIFTEEN: &str = "WITH revenue (supplier_no, total_revenue) AS (
    SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) FROM lineitem
    WHERE l_shipdate >= date ':1' AND l_shipdate < date ':1' + interval '3' month GROUP BY l_suppkey)
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue FROM supplier, revenue
WHERE s_suppkey = supplier_no AND total_revenue = (SELECT max(total_revenue) FROM revenue) ORDER BY s_suppkey";

/// Of each, in turn; of the eleventh the second is a share of the scale.
const PARAMETERS: [&[&str]; QUERIES] = [
    &["90"],
    &["15", "BRASS", "EUROPE"],
    &["BUILDING", "1995-03-15"],
    &["1993-07-01"],
    &["ASIA", "1994-01-01"],
    &["1994-01-01", "0.06", "24"],
    &["FRANCE", "GERMANY"],
    &["BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"],
    &["green"],
    &["1993-10-01"],
    &["GERMANY", "0.0001"],
    &["MAIL", "SHIP", "1994-01-01"],
    &["special", "requests"],
    &["1995-09-01"],
    &["1996-01-01"],
    &["Brand#45", "MEDIUM POLISHED", "49", "14", "23", "45", "19", "3", "36", "9"],
    &["Brand#23", "MED BOX"],
    &["300"],
    &["Brand#12", "Brand#23", "Brand#34", "1", "10", "20"],
    &["forest", "1994-01-01", "CANADA"],
    &["SAUDI ARABIA"],
    &["13", "31", "23", "29", "30", "18", "17"],
];

/// The queries of which only so many rows are wanted.
const LIMITS: [(usize, u32); 5] = [(2, 100), (3, 10), (10, 20), (18, 100), (21, 100)];

/// The text of a query, numbered from 1, for a database of some scale.
pub fn query(n: usize, scale: f64) -> String {
    let text = if n == 15 { Some(FIFTEEN) } else { queries::query(n as i32) };
    // SQL has no precision of days without seconds here; the texts end with a semicolon.
    let mut text = text.unwrap_or_default().trim().trim_end_matches(';').replace(" day (3)", " day");
    for (at, value) in PARAMETERS[n - 1].iter().enumerate().rev() {
        let value = match (n, at) {
            (11, 1) => format!("{:.10}", 0.0001 / scale),
            _ => (*value).to_owned(),
        };
        text = text.replace(&format!(":{}", at + 1), &value);
    }
    if let Some((_, limit)) = LIMITS.iter().find(|l| l.0 == n) {
        text.push_str(&format!(" LIMIT {limit}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_has_its_parameters() {
        for n in 1..=QUERIES {
            let text = query(n, 0.1);
            let left = text
                .match_indices(':')
                .find(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()));
            assert_eq!(left, None, "query {n}: {text}");
            assert!(text.to_lowercase().contains("select") && !text.contains(';'), "query {n}");
            let first = PARAMETERS[n - 1][0];
            assert!(text.contains(first), "query {n}: {text}");
        }
        assert!(query(11, 0.1).contains("* 0.0010000000"));
        assert!(query(16, 1.0).contains("in (49, 14, 23, 45, 19, 3, 36, 9)"));
    }
}
