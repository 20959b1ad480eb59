//! MD5, for the function `md5`. Not for security.

use crate::error::SqlError;
use crate::guard::Pace;
use md5::{Digest, Md5};

/// So much is read between two looks whether the statement may go on.
const PART_BYTES: usize = 64 << 10;

/// The digest as 32 hexadecimal digits.
pub fn md5_hex(data: &[u8]) -> Result<String, SqlError> {
    let (mut md5, mut pace) = (Md5::new(), Pace::default());
    for part in data.chunks(PART_BYTES) {
        md5.update(part);
        pace.bytes(part.len())?;
    }
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    Ok(md5.finalize().iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_of_rfc_1321() {
        assert_eq!(md5_hex(b"").unwrap(), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(md5_hex(b"abc").unwrap(), "900150983cd24fb0d6963f7d28e17f72");
        let digits = b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(md5_hex(digits).unwrap(), "57edf4a22be3c955ac49da2e2107b67a");
    }
}
