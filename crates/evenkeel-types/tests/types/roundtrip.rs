//! What is written is read back: text, binary, rows; and keys sort as values compare.

use evenkeel_types::{
    Datum, FormatOptions, Missing, Numeric, Type, compare, decode_columns, decode_key, decode_row,
    decode_rowid, decode_table_row, encode_key, encode_row, encode_rowid, hash, input_binary, input_text,
    key_has, key_passes, not_distinct, output_binary, parse_timezone, pass_key, to_text,
};
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher};

use crate::random::{column_types, numeric, seeded, value};

const ROUNDS: usize = 400;

/// Equal in value and, where it shows, in form.
fn same(a: &Datum, b: &Datum, ty: Type) -> bool {
    let o = FormatOptions::default();
    not_distinct(a, b) && to_text(a, ty, -1, &o).unwrap() == to_text(b, ty, -1, &o).unwrap()
}

#[test]
fn text_reads_back_what_it_wrote() {
    seeded(|r| {
        let zones = ["UTC", "Europe/Berlin", "America/St_Johns", "-8", "Asia/Kathmandu"];
        for ty in column_types() {
            for _ in 0..ROUNDS {
                let zone = zones[r.usize(0..zones.len())];
                let o = FormatOptions {
                    timezone: parse_timezone(zone).unwrap().0,
                    bytea_hex: r.bool(),
                    ..FormatOptions::default()
                };
                let v = value(r, ty);
                let text = to_text(&v, ty, -1, &o).unwrap();
                let back = input_text(&text, ty, -1, &o).unwrap_or_else(|e| panic!("{ty:?} {text:?}: {e}"));
                assert!(same(&v, &back, ty), "{ty:?} {text:?} became {back:?}");
            }
        }
    });
}

#[test]
fn binary_reads_back_what_it_wrote() {
    seeded(|r| {
        for ty in column_types() {
            for _ in 0..ROUNDS {
                let v = value(r, ty);
                let mut bytes = Vec::new();
                output_binary(&v, ty, -1, &FormatOptions::default(), &mut bytes);
                let back = input_binary(&bytes, ty, -1, &FormatOptions::default())
                    .unwrap_or_else(|e| panic!("{ty:?} {v:?}: {e}"));
                assert!(same(&v, &back, ty), "{ty:?} {v:?} became {back:?}");
            }
        }
    });
}

#[test]
fn rows_read_back_what_they_stored() {
    seeded(|r| {
        let all = column_types();
        for _ in 0..ROUNDS {
            let types: Vec<Type> = (0..r.usize(0..20)).map(|_| all[r.usize(0..all.len())]).collect();
            let row: Vec<Datum> =
                types.iter().map(|t| if r.u8(0..4) == 0 { Datum::Null } else { value(r, *t) }).collect();
            let mut bytes = Vec::new();
            encode_row(&row, &types, &mut bytes);
            // The table may have got more columns since.
            let mut wider = types.clone();
            wider.extend((0..r.usize(0..3)).map(|_| all[r.usize(0..all.len())]));
            let mut missing = Missing::default();
            for (n, ty) in wider.iter().enumerate().skip(types.len()) {
                missing.set(n, if r.bool() { Datum::Null } else { value(r, *ty) });
            }
            let mut back = vec![Datum::Bool(true)];
            decode_table_row(&bytes, &wider, &missing, &mut back).unwrap();
            assert_eq!(back.len(), wider.len());
            for (i, v) in back.iter().enumerate() {
                match row.get(i) {
                    Some(stored) => assert!(same(stored, v, wider[i]), "{stored:?} became {v:?}"),
                    None => assert!(not_distinct(&missing.value(i), v), "column {i} became {v:?}"),
                }
            }
            let wanted: Vec<usize> = (0..wider.len()).filter(|_| r.bool()).collect();
            let mut out = vec![Datum::Int4(-1); wider.len()];
            decode_columns(&bytes, &wider, &missing, &wanted, &mut out).unwrap();
            for (i, v) in out.iter().enumerate() {
                let expected = if wanted.contains(&i) { &back[i] } else { &Datum::Int4(-1) };
                assert!(not_distinct(expected, v), "column {i} became {v:?}");
            }
        }
    });
}

#[test]
fn a_row_with_more_columns_than_its_table_is_corrupt() {
    let mut bytes = Vec::new();
    encode_row(&[Datum::Int4(1), Datum::Int4(2)], &[Type::Int4, Type::Int4], &mut bytes);
    assert_eq!(decode_row(&bytes, &[Type::Int4], &mut Vec::new()).unwrap_err().code, "XX001");
}

#[test]
fn a_pgbench_account_is_small() {
    let mut bytes = Vec::new();
    let types = [Type::Int4, Type::Int4, Type::Int4, Type::Bpchar];
    encode_row(
        &[Datum::Int4(1), Datum::Int4(1), Datum::Int4(-4999), Datum::Bpchar(" ".repeat(84).into())],
        &types,
        &mut bytes,
    );
    assert_eq!(bytes.len(), 19);
}

fn key(d: &Datum, ty: Type, desc: bool, nulls_first: bool) -> Vec<u8> {
    let mut out = Vec::new();
    encode_key(d, ty, desc, nulls_first, &mut out);
    out
}

#[test]
fn keys_sort_as_values_compare() {
    seeded(|r| {
        for ty in column_types() {
            for _ in 0..ROUNDS * 4 {
                let a = value(r, ty);
                let b = if r.u8(0..8) == 0 { a.clone() } else { value(r, ty) };
                let order = compare(&a, &b);
                let ascending = key(&a, ty, false, false).cmp(&key(&b, ty, false, false));
                assert_eq!(ascending, order, "{ty:?} {a:?} {b:?}");
                assert_eq!(
                    key(&a, ty, true, true).cmp(&key(&b, ty, true, true)),
                    order.reverse(),
                    "{ty:?} {a:?} {b:?}"
                );
                if order == Ordering::Equal {
                    let digest = |d: &Datum| {
                        let mut h = DefaultHasher::new();
                        hash(d, &mut h);
                        h.finish()
                    };
                    assert_eq!(digest(&a), digest(&b), "{ty:?} {a:?} {b:?}");
                }
            }
        }
    });
}

#[test]
fn values_are_read_from_keys_of_several_columns() {
    let passable: Vec<Type> = column_types().into_iter().filter(|t| key_passes(*t)).collect();
    assert!(
        passable.len() > 15 && !key_has(Type::Numeric) && !key_has(Type::Float8) && !key_has(Type::Bpchar)
    );
    seeded(|r| {
        for _ in 0..ROUNDS * 20 {
            let columns: Vec<(Type, bool, Datum)> = (0..r.usize(1..6))
                .map(|_| {
                    let ty = passable[r.usize(0..passable.len())];
                    let v = if r.u8(0..5) == 0 { Datum::Null } else { value(r, ty) };
                    (ty, r.bool(), v)
                })
                .collect();
            let mut bytes = Vec::new();
            columns.iter().for_each(|(ty, desc, v)| encode_key(v, *ty, *desc, r.bool(), &mut bytes));
            encode_rowid(r.u64(..), &mut bytes);
            let mut rest = &bytes[..];
            for (ty, desc, v) in &columns {
                let before = rest;
                pass_key(*ty, *desc, &mut rest).unwrap();
                if key_has(*ty) {
                    let (passed, mut again) = (rest, before);
                    let read = decode_key(*ty, *desc, &mut again).unwrap();
                    assert!(same(v, &read, *ty), "{v:?} of {ty:?} became {read:?}");
                    assert_eq!(again, passed);
                }
            }
            decode_rowid(rest).unwrap();
        }
    });
}

#[test]
fn rounding_moves_a_numeric_by_at_most_half_a_place() {
    // The largest coefficient that is kept as an i128, one place below the rounded one: half of that place does not fit into an i128.
    let wide: Numeric = "0.170141183460469231731687303715884105727".parse().unwrap();
    assert!(wide.round(0).unwrap().is_zero());
    seeded(|r| {
        for _ in 0..ROUNDS * 4 {
            let (a, places) = (numeric(r), r.i64(-45..45));
            if !a.is_finite() {
                continue;
            }
            let Ok(rounded) = a.round(places) else { continue };
            let moved = a.sub(&rounded).unwrap().abs();
            let place: Numeric = format!("1e{}", -places).parse().unwrap();
            let twice = moved.add(&moved).unwrap();
            assert!(twice <= place, "{a} rounded to {places} places is {rounded}");
            let cut = a.trunc(places).unwrap();
            assert!(a.sub(&cut).unwrap().abs() < place, "{a} cut to {places} places is {cut}");
        }
    });
}

#[test]
fn equal_numerics_of_different_scale_share_key_and_hash() {
    seeded(|r| {
        for _ in 0..ROUNDS * 4 {
            let a = numeric(r);
            if !a.is_finite() {
                continue;
            }
            let b = a.round(i64::from(a.scale()) + r.i64(1..30)).unwrap();
            let (a, b) = (Datum::Numeric(a), Datum::Numeric(b));
            assert_eq!(compare(&a, &b), Ordering::Equal, "{a:?} {b:?}");
            assert_eq!(key(&a, Type::Numeric, false, false), key(&b, Type::Numeric, false, false));
            let digest = |d: &Datum| {
                let mut h = DefaultHasher::new();
                hash(d, &mut h);
                h.finish()
            };
            assert_eq!(digest(&a), digest(&b), "{a:?} {b:?}");
        }
    });
}

#[test]
fn keys_of_several_columns_compare_column_by_column() {
    seeded(|r| {
        let all = column_types();
        for _ in 0..ROUNDS * 10 {
            let (t1, t2) = (all[r.usize(0..all.len())], all[r.usize(0..all.len())]);
            let (desc, nulls_first) = (r.bool(), r.bool());
            let pick = |r: &mut fastrand::Rng, t| if r.u8(0..4) == 0 { Datum::Null } else { value(r, t) };
            let (a1, a2) = (pick(r, t1), pick(r, t2));
            let b1 = if r.bool() { a1.clone() } else { pick(r, t1) };
            let b2 = pick(r, t2);
            let both = |x: &Datum, y: &Datum| {
                let mut k = key(x, t1, desc, nulls_first);
                encode_key(y, t2, false, false, &mut k);
                k
            };
            let order = |x: &Datum, y: &Datum, desc: bool, nulls_first: bool| match (x.is_null(), y.is_null())
            {
                (true, true) => Ordering::Equal,
                (true, false) => {
                    if nulls_first {
                        Ordering::Less
                    } else {
                        Ordering::Greater
                    }
                }
                (false, true) => {
                    if nulls_first {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    }
                }
                _ if desc => compare(x, y).reverse(),
                _ => compare(x, y),
            };
            let want = order(&a1, &b1, desc, nulls_first).then(order(&a2, &b2, false, false));
            assert_eq!(
                both(&a1, &a2).cmp(&both(&b1, &b2)),
                want,
                "{t1:?} {t2:?} {a1:?} {a2:?} {b1:?} {b2:?}"
            );
            // No key is a proper prefix of another.
            let (ka, kb) = (key(&a1, t1, desc, nulls_first), key(&b1, t1, desc, nulls_first));
            assert!(ka == kb || !ka.starts_with(&kb) && !kb.starts_with(&ka), "{t1:?} {a1:?} {b1:?}");
        }
    });
}

#[test]
fn row_ids_keep_their_order() {
    let edges: Vec<u64> =
        (0..64).flat_map(|b| [(1u64 << b).wrapping_sub(1), 1 << b, (1 << b) + 1]).chain([u64::MAX]).collect();
    let encode = |id: u64| {
        let mut out = Vec::new();
        encode_rowid(id, &mut out);
        out
    };
    for &a in &edges {
        let bytes = encode(a);
        assert!(bytes.len() <= 9);
        assert_eq!(decode_rowid(&bytes).unwrap(), a);
        for &b in &edges {
            assert_eq!(encode(a).cmp(&encode(b)), a.cmp(&b), "{a} {b}");
        }
    }
    assert_eq!(encode(5).len(), 1);
}

#[test]
fn numeric_arithmetic_agrees_with_itself() {
    seeded(|r| {
        for _ in 0..ROUNDS * 10 {
            let (a, b) = (numeric(r), numeric(r));
            if !a.is_finite() || !b.is_finite() {
                continue;
            }
            let sum = a.add(&b).unwrap();
            assert_eq!(sum.sub(&b).unwrap(), a, "{a} + {b}");
            let product = a.mul(&b).unwrap();
            assert_eq!(product.scale(), a.scale() + b.scale());
            if !b.is_zero() {
                assert_eq!(product.div_trunc(&b).unwrap(), a.trunc(0).unwrap(), "{a} * {b}");
                let q = a.div_trunc(&b).unwrap();
                assert_eq!(q.mul(&b).unwrap().add(&a.rem(&b).unwrap()).unwrap(), a, "{a} % {b}");
            }
            assert_eq!(a.to_string().parse::<evenkeel_types::Numeric>().unwrap().to_string(), a.to_string());
        }
    });
}

/// Rows of before blanks were counted have none: they are there again when the value is shown.
#[test]
fn a_bpchar_stored_without_its_blanks_is_read() {
    let types = [Type::Bpchar, Type::Int4];
    let old = [4, 2, b'a', b'b', 7, 0, 0, 0];
    let (mut row, mut again) = (Vec::new(), Vec::new());
    decode_row(&old, &types, &mut row).unwrap();
    assert_eq!(row[1].as_i64(), Some(7));
    let typmod = evenkeel_types::typmod_from_args(Type::Bpchar, &[4]).unwrap();
    let shown =
        |d: &Datum| evenkeel_types::to_text(d, Type::Bpchar, typmod, &FormatOptions::default()).unwrap();
    assert_eq!(shown(&row[0]), "ab  ");
    let mut new = Vec::new();
    encode_row(&[Datum::Bpchar("ab  ".into()), Datum::Int4(7)], &types, &mut new);
    decode_row(&new, &types, &mut again).unwrap();
    assert_eq!(shown(&again[0]), "ab  ");
    assert!(evenkeel_types::equal(&row[0], &again[0]));
}
