//! The JSON documents of an archive: what stands in them is checked against a sum that stands with it.
//!
//! The last member, `crc32c`, is the CRC32C of the document without it, written without blanks: eight hexadecimal digits. Documents of the first versions of this program have none.
//!
//! Invariants
//! 1. A digit that is not what was written makes no other document: a position or a number would be another, and fit as well.
//!
//! Must not know: what documents say.

use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Value};

const SUM: &str = "crc32c";

fn sum_of(what: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(what).expect("numbers and strings");
    format!("{:08x}", crc32c::crc32c(&bytes))
}

/// As it stands in its object, for people, too.
pub(super) fn encode(what: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_string_pretty(what).expect("numbers and strings");
    let body = text.strip_suffix("\n}").expect("a document has members");
    format!("{body},\n  \"{SUM}\": \"{}\"\n}}\n", sum_of(what)).into_bytes()
}

/// Reads one.
pub(super) fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let mut value: Value = serde_json::from_slice(bytes)?;
    let sum = value.as_object_mut().and_then(|members| members.remove(SUM));
    let what: T = serde_json::from_value(value)?;
    match sum {
        Some(sum) if sum != sum_of(&what) => Err(Error::custom("its checksum does not match")),
        _ => Ok(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Document {
        number: u64,
        text: String,
        list: Vec<u32>,
    }

    #[test]
    fn a_document_is_what_was_written_or_none() {
        let document = Document { number: u64::MAX, text: "a \"name\"".into(), list: vec![10, 20] };
        let bytes = encode(&document);
        assert_eq!(decode::<Document>(&bytes).unwrap(), document);
        for bit in 0..8 * bytes.len() {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = decode::<Document>(&other) {
                assert_eq!(read, document, "bit {bit} of {}", String::from_utf8_lossy(&bytes));
            }
        }
        assert!((0..bytes.len() - 1).all(|n| decode::<Document>(&bytes[..n]).is_err()));
        // As it was written before there were sums.
        let before = serde_json::to_vec_pretty(&document).unwrap();
        assert_eq!(decode::<Document>(&before).unwrap(), document);
    }
}
