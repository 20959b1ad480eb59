//! Random values of every type, from a printed seed.

use evenkeel_types::{ArrayDatum, Datum, Dim, Interval, Numeric, Type};
use std::sync::Arc;

/// The types that columns can have.
pub fn column_types() -> Vec<Type> {
    Type::ALL.into_iter().filter(|t| !t.is_pseudo()).collect()
}

/// Runs a test with a fresh seed, printed if it fails; `EVENKEEL_SEED` repeats one.
pub fn seeded(test: impl FnOnce(&mut fastrand::Rng) + std::panic::UnwindSafe) {
    let seed = match std::env::var("EVENKEEL_SEED") {
        Ok(s) => s.parse().expect("EVENKEEL_SEED is a number"),
        Err(_) => fastrand::u64(..),
    };
    let result = std::panic::catch_unwind(|| test(&mut fastrand::Rng::with_seed(seed)));
    if let Err(panic) = result {
        eprintln!("failed with EVENKEEL_SEED={seed}");
        std::panic::resume_unwind(panic);
    }
}

fn int(r: &mut fastrand::Rng) -> i64 {
    match r.u8(0..6) {
        0 => 0,
        1 => i64::MAX,
        2 => i64::MIN,
        3 => r.i64(-10..10),
        4 => r.i64(..) >> r.u32(0..64),
        _ => r.i64(..),
    }
}

fn float(r: &mut fastrand::Rng) -> f64 {
    match r.u8(0..8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        4 => f64::NAN,
        5 => r.i32(-1000..1000).into(),
        6 => (r.f64() - 0.5) * 10f64.powi(r.i32(-300..300)),
        _ => match f64::from_bits(r.u64(..)) {
            v if v.is_nan() => 1.5,
            v => v,
        },
    }
}

/// A numeric, small or of many digits, sometimes a special one.
pub fn numeric(r: &mut fastrand::Rng) -> Numeric {
    match r.u8(0..12) {
        0 => return Numeric::NAN,
        1 => return Numeric::INFINITY,
        2 => return Numeric::NEG_INFINITY,
        3 => return Numeric::ZERO,
        _ => {}
    }
    let digits = [1, 3, 10, 19, 30, 38, 39, 60][r.usize(0..8)];
    let mut s = String::from(if r.bool() { "-" } else { "" });
    for _ in 0..r.usize(1..=digits) {
        s.push(char::from(b'0' + if r.u8(0..4) == 0 { 0 } else { r.u8(0..10) }));
    }
    if r.bool() {
        s.push('.');
        let most = [2, 5, 25][r.usize(0..3)];
        for _ in 0..r.usize(1..=most) {
            s.push(char::from(b'0' + r.u8(0..10)));
        }
    }
    if r.u8(0..5) == 0 {
        s.push_str(&format!("e{}", r.i32(-40..40)));
    }
    s.parse().unwrap()
}

fn string(r: &mut fastrand::Rng) -> String {
    let alphabet = [
        'a',
        'b',
        'Z',
        ' ',
        '"',
        '\\',
        ',',
        '{',
        '}',
        '\'',
        'é',
        '日',
        '\n',
        '\u{1}',
        '\u{10FFFF}',
        '%',
        '_',
    ];
    (0..r.usize(0..12)).map(|_| alphabet[r.usize(0..alphabet.len())]).collect()
}

fn timestamp(r: &mut fastrand::Rng) -> i64 {
    match r.u8(0..6) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => 0,
        3 => r.i64(-1_000_000_000_000_000..1_000_000_000_000_000),
        4 => r.i64(-211_813_488_000_000_000..9_223_371_331_200_000_000),
        _ => r.i64(-20_000..20_000) * 86_400_000_000,
    }
}

/// A JSON text.
fn json(r: &mut fastrand::Rng, depth: u32) -> String {
    let quoted = |r: &mut fastrand::Rng| {
        let mut out = Vec::new();
        evenkeel_types::json::output::write_string(&string(r), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    match r.u8(0..if depth < 3 { 8 } else { 5 }) {
        0 => "null".into(),
        1 => r.bool().to_string(),
        2 => ["0", "1", "1.0", "-2.50", "1e3", "12345678901234567890", "-0"][r.usize(0..7)].to_string(),
        3 | 4 => quoted(r),
        5 => {
            let items: Vec<String> = (0..r.usize(0..4)).map(|_| json(r, depth + 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let pair = |r: &mut fastrand::Rng| {
                let key =
                    if r.bool() { format!("\"{}\"", ["a", "b", "aa", ""][r.usize(0..4)]) } else { quoted(r) };
                format!("{key}: {}", json(r, depth + 1))
            };
            let pairs: Vec<String> = (0..r.usize(0..4)).map(|_| pair(r)).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

/// A value of a type, never NULL.
pub fn value(r: &mut fastrand::Rng, ty: Type) -> Datum {
    match ty {
        Type::Bool => Datum::Bool(r.bool()),
        Type::Int2 => Datum::Int2(int(r) as i16),
        Type::Int4 => Datum::Int4(int(r) as i32),
        Type::Int8 => Datum::Int8(int(r)),
        Type::Float4 => Datum::Float4(match float(r) as f32 {
            v if v.is_infinite() && r.bool() => 1.5,
            v => v,
        }),
        Type::Float8 => Datum::Float8(float(r)),
        Type::Numeric => Datum::Numeric(numeric(r)),
        Type::Citext => {
            let text = string(r);
            Datum::Citext(if r.bool() { text.to_uppercase().into() } else { text.into() })
        }
        Type::Bpchar => Datum::Bpchar(format!("{}{}", string(r), " ".repeat(r.usize(..4))).into()),
        Type::Char => match r.u8(..) {
            0 => Datum::text(""),
            c => Datum::text(char::from(c).to_string()),
        },
        Type::Text | Type::Varchar | Type::Name => Datum::text(string(r)),
        Type::Bytea => {
            Datum::bytes((0..r.usize(0..10)).map(|_| if r.bool() { 0 } else { r.u8(..) }).collect::<Vec<_>>())
        }
        Type::Date => Datum::Date(match r.u8(0..5) {
            0 => i32::MAX,
            1 => i32::MIN,
            2 => r.i32(-2_451_545..2_145_031_949),
            _ => r.i32(-20_000..20_000),
        }),
        Type::Timestamp => Datum::Timestamp(timestamp(r)),
        Type::Timestamptz => Datum::Timestamptz(timestamp(r)),
        Type::Interval => Datum::Interval(match r.u8(0..6) {
            0 => Interval::INFINITY,
            1 => Interval::NEG_INFINITY,
            2 => Interval::new(r.i32(..), r.i32(..), int(r)),
            _ => Interval::new(r.i32(-30..30), r.i32(-40..40), r.i64(-90_000_000_000..90_000_000_000)),
        }),
        Type::Int2Vector | Type::OidVector => {
            let element = ty.element().unwrap();
            Datum::vector(element, (0..r.usize(0..4)).map(|_| value(r, element)).collect())
        }
        t if t.is_oid_like() => Datum::Oid(int(r) as u32),
        Type::PgLsn => Datum::Lsn(int(r) as u64),
        Type::Time => Datum::Time(r.i64(0..=86_400_000_000)),
        Type::Timetz => Datum::Timetz(
            r.i64(0..=24) * 3_600_000_000,
            if r.bool() { r.i32(-57_599..57_600) } else { 3600 * r.i32(-12..12) },
        ),
        Type::Macaddr => Datum::Macaddr([r.u8(..), 0, 0, r.u8(..), 0, r.u8(0..2)]),
        Type::Inet | Type::Cidr => {
            let n = if r.bool() { 4 } else { 16 };
            let mut address: Vec<u8> = (0..n).map(|_| if r.bool() { 0 } else { r.u8(0..4) << 6 }).collect();
            address[0] |= 10;
            let all = evenkeel_types::Inet::new(&address, r.u8(0..=8 * n)).unwrap();
            Datum::Inet(if ty == Type::Cidr { all.network() } else { all })
        }
        Type::Hstore => {
            let pair = |r: &mut fastrand::Rng| {
                let part = |r: &mut fastrand::Rng| {
                    let text =
                        if r.bool() { ["a", "b", "ab", ""][r.usize(0..4)].to_owned() } else { string(r) };
                    std::borrow::Cow::Owned(text.into_bytes())
                };
                (part(r), r.bool().then(|| part(r)))
            };
            evenkeel_types::hstore::made((0..r.usize(0..4)).map(|_| pair(r)).collect()).unwrap()
        }
        Type::Json | Type::Jsonb => {
            evenkeel_types::input_text(&json(r, 0), ty, -1, &Default::default()).unwrap()
        }
        Type::Macaddr8 => Datum::Macaddr8([r.u8(..), 0, 0, r.u8(..), 0, r.u8(0..2), 1, r.u8(..)]),
        Type::Bit | Type::Varbit => {
            let text: String = (0..r.usize(0..20)).map(|_| if r.bool() { '1' } else { '0' }).collect();
            evenkeel_types::bits::parse(&text).unwrap()
        }
        Type::Jsonpath => {
            let steps = [
                ".a",
                "[*]",
                "[0 to last]",
                ".**{1 to 2}",
                ".size()",
                "?(@ > 1)",
                ".keyvalue()",
                ".datetime()",
            ];
            let mut path = ["$", "strict $", "(1.5)", "$x"][r.usize(0..4)].to_owned();
            (0..r.usize(0..4)).for_each(|_| path += steps[r.usize(0..steps.len())]);
            path += ["", " + 1", " == \"a\"", " like_regex \"^a\" flag \"i\""][r.usize(0..4)];
            evenkeel_types::input_text(&path, ty, -1, &Default::default()).unwrap()
        }
        Type::Tid => Datum::Tid(if r.bool() { r.u64(..1 << 48) } else { r.u64(0..5) }),
        Type::Money => Datum::Money(if r.bool() { int(r) } else { r.i64(-200..200) }),
        Type::Xid8 => Datum::Xid8(if r.bool() { r.u64(..) } else { r.u64(0..5) }),
        Type::PgSnapshot | Type::TxidSnapshot => {
            let (xmin, len) = (r.u64(1..4), r.u64(0..8));
            let xip = (xmin..xmin + len).filter(|_| r.bool()).collect();
            Datum::Snapshot(std::sync::Arc::new(evenkeel_types::xact::XactSnapshot {
                xmin,
                xmax: xmin + len,
                xip,
            }))
        }
        Type::Uuid => {
            Datum::Uuid(if r.bool() { r.u128(..).to_be_bytes() } else { r.u128(0..3).to_be_bytes() })
        }
        t => {
            let element = t.element().unwrap();
            let dims: Vec<Dim> = match r.u8(0..4) {
                0 => vec![],
                1 => vec![Dim { len: r.i32(1..3), lower: r.i32(-3..3) }, Dim { len: r.i32(1..3), lower: 1 }],
                _ => vec![Dim { len: r.i32(1..4), lower: 1 }],
            };
            let n = if dims.is_empty() { 0 } else { dims.iter().map(|d| d.len).product() };
            let values =
                (0..n).map(|_| if r.u8(0..5) == 0 { Datum::Null } else { value(r, element) }).collect();
            Datum::Array(Arc::new(ArrayDatum { element, dims, values }))
        }
    }
}
