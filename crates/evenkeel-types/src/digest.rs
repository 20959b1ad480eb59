//! MD5 (RFC 1321), for the function `md5`. Not for security.

use crate::error::SqlError;
use crate::guard::Pace;

const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// `floor(2^32 * |sin(i + 1)|)`: the round constants by their definition.
fn constants() -> [u32; 64] {
    std::array::from_fn(|i| ((i as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32)
}

/// The digest as 32 hexadecimal digits.
pub fn md5_hex(data: &[u8]) -> Result<String, SqlError> {
    Ok(md5(data)?.iter().map(|b| format!("{b:02x}")).collect())
}

/// The digest.
pub fn md5(data: &[u8]) -> Result<[u8; 16], SqlError> {
    let k = constants();
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut chunks = data.chunks_exact(64);
    let mut pace = Pace::default();
    for block in &mut chunks {
        round(&mut state, block, &k);
        pace.bytes(64)?;
    }
    // The rest, a one bit, zeros, and the length in bits.
    let mut tail = chunks.remainder().to_vec();
    tail.push(0x80);
    while tail.len() % 64 != 56 {
        tail.push(0);
    }
    tail.extend_from_slice(&((data.len() as u64) << 3).to_le_bytes());
    for block in tail.chunks_exact(64) {
        round(&mut state, block, &k);
    }
    let mut out = [0; 16];
    for (slot, word) in out.chunks_exact_mut(4).zip(state) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    Ok(out)
}

fn round(state: &mut [u32; 4], block: &[u8], k: &[u32; 64]) {
    let mut m = [0u32; 16];
    for (word, b) in m.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for i in 0..64 {
        let (f, g) = match i / 16 {
            0 => (b & c | !b & d, i),
            1 => (d & b | !d & c, (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), 7 * i % 16),
        };
        let sum = a.wrapping_add(f).wrapping_add(k[i]).wrapping_add(m[g]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d]) {
        *s = s.wrapping_add(v);
    }
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
