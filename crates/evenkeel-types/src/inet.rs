//! `inet`, `cidr` and `macaddr`: addresses of networks and of machines.
//!
//! Invariants:
//! 1. The bits of a network are no more than its address has; what is behind a version-4 address is zero.
//!
//! Must not know: functions and operators.

use crate::error::{SqlError, SqlState};
use std::cmp::Ordering;
use std::net::Ipv6Addr;

/// An address with the number of bits that its network has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inet {
    is_v6: bool,
    /// Bits of the network.
    pub bits: u8,
    bytes: [u8; 16],
}

fn syntax(s: &str, ty: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {ty}: \"{s}\""),
    )
}

fn decimal(s: &str, most: u32) -> Option<u8> {
    let digits = !s.is_empty() && s.len() <= 10 && s.bytes().all(|b| b.is_ascii_digit());
    u8::try_from(s.parse::<u64>().ok().filter(|n| digits && *n <= u64::from(most))?).ok()
}

impl Inet {
    /// An address of 4 or 16 bytes; nothing if there is no such one. (1)
    pub fn new(address: &[u8], bits: u8) -> Option<Inet> {
        if !matches!(address.len(), 4 | 16) || usize::from(bits) > 8 * address.len() {
            return None;
        }
        let mut bytes = [0; 16];
        bytes[..address.len()].copy_from_slice(address);
        Some(Inet { is_v6: address.len() == 16, bits, bytes })
    }

    /// The address's bytes: 4 or 16.
    pub fn address(&self) -> &[u8] {
        if self.is_v6 { &self.bytes } else { &self.bytes[..4] }
    }

    /// All the bits of an address.
    pub fn width(&self) -> u8 {
        if self.is_v6 { 128 } else { 32 }
    }

    /// It is of version 6.
    pub fn is_v6(&self) -> bool {
        self.is_v6
    }

    /// The same address in a network of so many bits, no more than there are.
    pub fn with_bits(&self, bits: u8) -> Inet {
        Inet { bits: bits.min(self.width()), ..*self }
    }

    /// Another with each byte of the address made from the old one and the mask of the network.
    pub fn mapped(&self, f: impl Fn(u8, u8) -> u8) -> Inet {
        let mut out = *self;
        for i in 0..self.address().len() {
            let within = usize::from(self.bits).saturating_sub(8 * i).min(8);
            let mask = !(0xFFu16 >> within) as u8;
            out.bytes[i] = f(self.bytes[i], mask);
        }
        out
    }

    /// Without the bits right of the network's.
    pub fn network(&self) -> Inet {
        self.mapped(|byte, mask| byte & mask)
    }

    /// Whether the first `bits` of two addresses of one version are the same.
    pub fn agrees(&self, other: &Inet, bits: u8) -> bool {
        let cut = |a: &Inet| Inet { bits, ..*a }.network().bytes;
        self.is_v6 == other.is_v6 && cut(self) == cut(other)
    }

    /// Reads an `inet`, or a `cidr`.
    pub fn parse(s: &str, is_cidr: bool) -> Result<Inet, SqlError> {
        let ty = if is_cidr { "cidr" } else { "inet" };
        let read = if s.contains(':') { v6(s) } else { v4(s, is_cidr) };
        let value = read.ok_or_else(|| syntax(s, ty))?;
        if is_cidr && value != value.network() {
            return Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid cidr value: \"{s}\""),
            )
            .with_detail("Value has bits set to right of mask."));
        }
        Ok(value)
    }

    /// Appends the text form. A `cidr`, and whatever is not the whole address, shows the bits.
    pub fn write(&self, is_cidr: bool, out: &mut Vec<u8>) {
        self.write_host(out);
        if is_cidr || self.bits != self.width() {
            out.extend_from_slice(format!("/{}", self.bits).as_bytes());
        }
    }

    /// Appends the address alone.
    pub fn write_host(&self, out: &mut Vec<u8>) {
        let b = &self.bytes;
        let dotted = |b: &[u8]| format!("{}.{}.{}.{}", b[0], b[1], b[2], b[3]);
        if !self.is_v6 {
            return out.extend_from_slice(dotted(b).as_bytes());
        }
        let word = |i: usize| u16::from_be_bytes([b[2 * i], b[2 * i + 1]]);
        // The longest run of zeros, of two at least.
        let (mut at, mut len) = (8, 1);
        let mut i = 0;
        while i < 8 {
            let run = (i..8).take_while(|n| word(*n) == 0).count();
            if run > len {
                (at, len) = (i, run);
            }
            i += run.max(1);
        }
        let holds_v4 = at == 0 && (len == 6 || len == 7 && word(7) != 1 || len == 5 && word(5) == 0xFFFF);
        let mut text = String::new();
        let mut i = 0;
        while i < 8 {
            if i == at {
                text.push(':');
                i += len;
                if i == 8 {
                    text.push(':');
                }
                continue;
            }
            if i > 0 {
                text.push(':');
            }
            if i == 6 && holds_v4 {
                text += &dotted(&b[12..]);
                break;
            }
            text += &format!("{:x}", word(i));
            i += 1;
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// Appends the binary form.
    pub fn write_binary(&self, is_cidr: bool, out: &mut Vec<u8>) {
        let family = if self.is_v6 { 3 } else { 2 };
        out.extend_from_slice(&[family, self.bits, u8::from(is_cidr), self.address().len() as u8]);
        out.extend_from_slice(self.address());
    }

    /// Reads the binary form.
    pub fn read_binary(b: &[u8], is_cidr: bool) -> Result<Inet, SqlError> {
        let name = if is_cidr { "cidr" } else { "inet" };
        let wrong = |what: &str| {
            let message = format!("invalid {what} in external \"{name}\" value");
            SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, message)
        };
        let [family, bits, _, len, address @ ..] = b else {
            return Err(SqlError::new(SqlState::PROTOCOL_VIOLATION, "insufficient data left in message"));
        };
        let wanted = match family {
            2 => 4,
            3 => 16,
            _ => return Err(wrong("address family")),
        };
        if usize::from(*bits) > 8 * wanted {
            return Err(wrong("bits"));
        }
        if usize::from(*len) != wanted || address.len() != wanted {
            return Err(wrong("length"));
        }
        let value = Inet::new(address, *bits).ok_or_else(|| wrong("bits"))?;
        if is_cidr && value != value.network() {
            return Err(SqlError::new(
                SqlState::INVALID_BINARY_REPRESENTATION,
                "invalid external \"cidr\" value",
            )
            .with_detail("Value has bits set to right of mask."));
        }
        Ok(value)
    }
}

impl PartialOrd for Inet {
    fn partial_cmp(&self, other: &Inet) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Inet {
    /// By network, then by its bits, then by address; version 4 first.
    fn cmp(&self, other: &Inet) -> Ordering {
        let key = |a: &Inet| (a.is_v6, a.network().bytes, a.bits, a.bytes);
        key(self).cmp(&key(other))
    }
}

/// One to four numbers, and the bits. Without those, an `inet` has all four, and a `cidr` the bits that its class had.
fn v4(s: &str, is_cidr: bool) -> Option<Inet> {
    let (numbers, bits) = match s.split_once('/') {
        Some((numbers, bits)) => (numbers, Some(decimal(bits, 32)?)),
        None => (s, None),
    };
    let mut bytes = [0; 4];
    let mut count = 0;
    // An inet's last point may have nothing behind it.
    let numbers = if is_cidr { numbers } else { numbers.strip_suffix('.').unwrap_or(numbers) };
    for part in numbers.split('.') {
        *bytes.get_mut(count)? = decimal(part, 255)?;
        count += 1;
    }
    let bits = match bits {
        Some(bits) if !is_cidr && usize::from(bits) / 8 > count => return None,
        Some(bits) => bits,
        None if is_cidr => {
            let of_class = match bytes[0] {
                240.. => 32,
                224.. => 8,
                192.. => 24,
                128.. => 16,
                _ => 8,
            };
            let bits = of_class.max(8 * count as u8);
            if bits == 8 && bytes[0] == 224 { 4 } else { bits }
        }
        None if count == 4 => 32,
        None => return None,
    };
    Inet::new(&bytes, bits)
}

fn v6(s: &str) -> Option<Inet> {
    let (address, bits) = match s.split_once('/') {
        Some((_, bits)) if bits.len() > 1 && bits.starts_with('0') => return None,
        Some((address, bits)) => (address, decimal(bits, 128)?),
        None => (s, 128),
    };
    Inet::new(&address.parse::<Ipv6Addr>().ok()?.octets(), bits)
}

/// Reads a `macaddr`: six numbers, or twelve digits in one, two or three groups.
pub fn parse_macaddr(s: &str) -> Result<[u8; 6], SqlError> {
    let text = s.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let is_hex = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_hexdigit());
    let read = || {
        for separator in [':', '-', '.'] {
            let parts: Vec<&str> = text.split(separator).collect();
            match (separator, parts.len()) {
                (':' | '-', 6) if parts.iter().all(|p| is_hex(p)) => {
                    let numbers: Option<Vec<u64>> =
                        parts.iter().map(|p| u64::from_str_radix(p, 16).ok()).collect();
                    return numbers;
                }
                (_, 1) | (':' | '-', 2) | ('-' | '.', 3) => {
                    let width = 12 / parts.len();
                    if parts.iter().all(|p| p.len() == width && is_hex(p)) {
                        let all = parts.concat();
                        return (0..6)
                            .map(|i| u64::from_str_radix(&all[2 * i..2 * i + 2], 16).ok())
                            .collect();
                    }
                }
                _ => {}
            }
        }
        None
    };
    let numbers: Vec<u64> = read().ok_or_else(|| syntax(s, "macaddr"))?;
    let mut out = [0; 6];
    for (byte, n) in out.iter_mut().zip(numbers) {
        *byte = u8::try_from(n).map_err(|_| {
            SqlError::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("invalid octet value in \"macaddr\" value: \"{s}\""),
            )
        })?;
    }
    Ok(out)
}

/// Appends a `macaddr`.
pub fn write_macaddr(b: &[u8; 6], out: &mut Vec<u8>) {
    let parts: Vec<String> = b.iter().map(|b| format!("{b:02x}")).collect();
    out.extend_from_slice(parts.join(":").as_bytes());
}
