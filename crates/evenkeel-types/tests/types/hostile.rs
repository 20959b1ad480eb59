//! Hostile input: every decoder gives a value or an error, never a panic.

use evenkeel_types::{
    Datum, EvalCtx, FormatOptions, Missing, NoEnv, Type, all_functions, all_operators, decode_columns,
    decode_key, decode_row, decode_rowid, encode_key, encode_row, input_binary, input_text, key_passes,
    output_binary, pass_key, to_text,
};

use crate::eval::run;
use crate::random::{column_types, seeded, value};

const ROUNDS: usize = 3000;

fn bytes(r: &mut fastrand::Rng) -> Vec<u8> {
    let n = r.usize(0..60);
    (0..n).map(|_| if r.bool() { [0, 1, 0xFF, 0x80, 0x7F, 2][r.usize(0..6)] } else { r.u8(..) }).collect()
}

/// Changes a few bytes, or cuts, or grows.
fn mutate(r: &mut fastrand::Rng, b: &mut Vec<u8>) {
    for _ in 0..r.usize(1..4) {
        match r.u8(0..4) {
            0 if !b.is_empty() => b.truncate(r.usize(0..b.len())),
            1 => b.push(r.u8(..)),
            _ if !b.is_empty() => {
                let i = r.usize(0..b.len());
                b[i] = r.u8(..);
            }
            _ => {}
        }
    }
}

#[test]
fn binary_input_survives_anything() {
    seeded(|r| {
        for ty in column_types().into_iter().chain([Type::Record]) {
            for _ in 0..ROUNDS {
                let mut b = bytes(r);
                if ty != Type::Record && r.bool() {
                    b.clear();
                    output_binary(&value(r, ty), ty, -1, &FormatOptions::default(), &mut b);
                    mutate(r, &mut b);
                }
                if let Ok(v) = input_binary(&b, ty, -1, &FormatOptions::default()) {
                    to_text(&v, ty, -1, &FormatOptions::default()).unwrap();
                }
            }
        }
    });
}

#[test]
fn stored_rows_survive_anything() {
    seeded(|r| {
        let types = column_types();
        for _ in 0..ROUNDS * 10 {
            let some: Vec<Type> = (0..r.usize(1..6)).map(|_| types[r.usize(0..types.len())]).collect();
            let mut b = bytes(r);
            if r.bool() {
                let row: Vec<Datum> = some.iter().map(|t| value(r, *t)).collect();
                b.clear();
                encode_row(&row, &some, &mut b);
                mutate(r, &mut b);
            }
            let _ = decode_row(&b, &some, &mut Vec::new());
            let mut out = vec![Datum::Null; some.len()];
            let _ = decode_columns(&b, &some, &Missing::default(), &[some.len() - 1], &mut out);
            let _ = decode_rowid(&b);
            for ty in some.iter().filter(|t| key_passes(**t)) {
                let desc = r.bool();
                if r.bool() {
                    b.clear();
                    encode_key(&value(r, *ty), *ty, desc, false, &mut b);
                    mutate(r, &mut b);
                }
                let _ = pass_key(*ty, desc, &mut &b[..]);
                let _ = decode_key(*ty, desc, &mut &b[..]);
            }
        }
    });
}

#[test]
fn text_input_survives_anything() {
    seeded(|r| {
        let o = FormatOptions::default();
        for ty in column_types() {
            for _ in 0..ROUNDS {
                let mut b = if r.bool() {
                    to_text(&value(r, ty), ty, -1, &o).unwrap().into_bytes()
                } else {
                    let alphabet = b"0123456789.:-+/ eETZJPadmywinf{}[]=,\"\\()xXoObB_'\xc3\xa9";
                    (0..r.usize(0..30)).map(|_| alphabet[r.usize(0..alphabet.len())]).collect()
                };
                if r.bool() {
                    mutate(r, &mut b);
                }
                if let Ok(v) = input_text(&String::from_utf8_lossy(&b), ty, -1, &o) {
                    to_text(&v, ty, -1, &o).unwrap();
                }
            }
        }
    });
}

/// Functions whose effect or duration makes them no subject of random calls.
fn is_harmless(name: &str) -> bool {
    !name.starts_with("pg_sleep") && name != "setseed"
}

#[test]
fn functions_and_operators_survive_any_arguments() {
    seeded(|r| {
        let o = FormatOptions::default();
        let ctx = EvalCtx {
            format: &o,
            txn_timestamp: 0,
            stmt_timestamp: 0,
            max_value_bytes: 1 << 20,
            env: &NoEnv,
        };
        for f in all_functions().into_iter().chain(all_operators()).filter(|f| is_harmless(f.name)) {
            for _ in 0..200 {
                let pick = |r: &mut fastrand::Rng, t: Type| match t {
                    Type::Any | Type::AnyElement => value(r, Type::Int4),
                    Type::AnyToText | Type::Unknown => value(r, Type::Text),
                    Type::AnyArray => value(r, Type::Int4Array),
                    Type::Record => Datum::Null,
                    Type::AnyEnum => Datum::Enum(16384, r.u64(..)),
                    t => value(r, t),
                };
                let args: Vec<Datum> = f
                    .args
                    .iter()
                    .map(|t| if !f.strict && r.u8(0..4) == 0 { Datum::Null } else { pick(r, *t) })
                    .collect();
                if f.strict && args.iter().any(Datum::is_null) {
                    continue;
                }
                if let Ok(v) = (f.call)(&args, &ctx) {
                    to_text(&v, f.ret, -1, &o).unwrap();
                }
            }
        }
    });
}

#[test]
fn no_value_grows_beyond_the_statements_memory() {
    let o = FormatOptions::default();
    for sql in [
        "repeat('x', 100000000)",
        "lpad('x', 100000000, 'y')",
        "rpad('x', 100000000)",
        "replace(repeat('x', 20000), 'x', repeat('y', 20000))",
        "array_fill(1, array[10000000])",
        "format('%100000000s', 'x')",
    ] {
        assert!(run(sql, &o).starts_with("ERROR: 53200"), "{sql}: {:.60}", run(sql, &o));
    }
}
