//! Comparisons of columns with values, on a row as it is stored: most of what a scan looks at is not asked for, and need not be copied or decoded to be known.
//!
//! Invariants:
//! 1. A row is refused only if one of the comparisons is certain not to hold: it gives false or NULL for the value that [`super::decode_columns`] would give. What is
//!    not stored, or not understood, is not refused; whoever decodes it says what is wrong with it. That a text is one is not looked at.
//! 2. Nothing is allocated, nothing fails, and a row takes no longer than its columns up to the last that is looked at.
//!
//! Must not know: the catalog, expressions.

use crate::compare::{compare, unpadded};
use crate::datum::Datum;
use crate::numeric::Numeric;
use crate::row::{Read, Reader, Width, header, is_null, width};
use crate::ty::Type;
use std::cmp::Ordering;

/// Which orders of the column's value to another satisfy a comparison: less, equal, greater.
pub type Orders = [bool; 3];

/// What is asked of a column's value. No value in it is NULL.
#[derive(Clone, Debug)]
pub enum Asked {
    /// How it is to compare with a value.
    Order(Orders, Datum),
    /// That it is equal to one of some.
    OneOf(Vec<Datum>),
}

/// What is asked of one column.
struct Test {
    column: usize,
    /// Bytes of the columns before it, if all have fixed widths.
    before: Option<usize>,
    asked: Vec<Wanted>,
}

enum Wanted {
    Order(Orders, With),
    /// One of these, which are sorted.
    IntOf(Vec<i64>),
    OneOf(Vec<With>),
}

impl Wanted {
    /// `None`: it is not known here.
    fn new(ty: Type, asked: Asked) -> Option<Wanted> {
        match asked {
            Asked::Order(orders, with) => is_known(ty, &with).then(|| Wanted::Order(orders, With::new(with))),
            Asked::OneOf(list) => {
                if !list.iter().all(|with| is_known(ty, with)) {
                    return None;
                }
                let list: Vec<With> = list.into_iter().map(With::new).collect();
                let int = |with: &With| if let With::Int(n) = with { Some(*n) } else { None };
                if let Some(mut ints) =
                    list.iter().map(int).collect::<Option<Vec<i64>>>().filter(|l| !l.is_empty())
                {
                    ints.sort_unstable();
                    return Some(Wanted::IntOf(ints));
                }
                (list.len() <= LIST_MAX).then_some(Wanted::OneOf(list))
            }
        }
    }

    /// Whether a value is what is asked for; also if that is not known.
    #[inline]
    fn holds(&self, value: &Stored<'_>) -> bool {
        match self {
            Wanted::Order(orders, with) => {
                order(value, with).is_none_or(|order| orders[(order as i8 + 1) as usize])
            }
            Wanted::IntOf(list) => match value {
                Stored::Int(value) => list.binary_search(value).is_ok(),
                _ => true,
            },
            Wanted::OneOf(list) => list.iter().any(|with| order(value, with).is_none_or(Ordering::is_eq)),
        }
    }
}

/// Longer lists of what is no integer are looked for elsewhere.
const LIST_MAX: usize = 16;

/// What a value is compared with.
enum With {
    /// Of types that are stored as integers.
    Int(i64),
    Value(Datum),
}

impl With {
    fn new(d: Datum) -> With {
        match d {
            Datum::Date(v) => With::Int(v.into()),
            Datum::Timestamp(v) | Datum::Timestamptz(v) | Datum::Time(v) | Datum::Money(v) => With::Int(v),
            Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => d.as_i64().map_or(With::Value(d), With::Int),
            other => With::Value(other),
        }
    }
}

/// What is asked of rows of a table; all of it has to hold.
pub struct RowTest {
    types: Vec<Type>,
    /// In the order of columns.
    tests: Vec<Test>,
}

/// A stored value, as far as it has to be known.
enum Stored<'a> {
    Int(i64),
    Value(Datum),
    Bytes(&'a [u8]),
    /// It would have to be allocated.
    Large,
}

/// A stored number that is longer may not fit into what is kept in place.
const SMALL_NUMERIC_BYTES: usize = 16;

fn is_bytes(ty: Type) -> bool {
    matches!(ty, Type::Text | Type::Varchar | Type::Name | Type::Char | Type::Bpchar | Type::Bytea)
}

/// Whether values of a type are compared here with one that is represented so.
fn is_known(ty: Type, with: &Datum) -> bool {
    match with {
        Datum::Null => false,
        Datum::Int2(_) | Datum::Int4(_) | Datum::Int8(_) => {
            matches!(ty, Type::Int2 | Type::Int4 | Type::Int8)
        }
        Datum::Text(_) => is_bytes(ty) && !matches!(ty, Type::Bpchar | Type::Bytea),
        Datum::Numeric(_) => ty == Type::Numeric,
        Datum::Bpchar(_) => ty == Type::Bpchar,
        Datum::Bytes(_) => ty == Type::Bytea,
        Datum::Oid(_) => ty.is_oid_like(),
        _ => matches!(width(ty), Width::Fixed(_)) && with.natural_type() == ty,
    }
}

impl RowTest {
    /// Of what is asked of columns. `None` if none of it is known here: such is left out.
    pub fn new(types: &[Type], asked: Vec<(usize, Asked)>) -> Option<RowTest> {
        let mut tests: Vec<Test> = Vec::new();
        for (column, asked) in asked {
            let Some(wanted) = types.get(column).and_then(|ty| Wanted::new(*ty, asked)) else { continue };
            match tests.iter_mut().find(|t| t.column == column) {
                Some(test) => test.asked.push(wanted),
                None => {
                    let fixed = types[..column].iter().map(|ty| match width(*ty) {
                        Width::Fixed(n) => Some(n),
                        Width::Prefixed => None,
                    });
                    tests.push(Test { column, before: fixed.sum(), asked: vec![wanted] });
                }
            }
        }
        tests.sort_unstable_by_key(|t| t.column);
        (!tests.is_empty()).then(|| RowTest { types: types.to_vec(), tests })
    }

    /// False: a comparison does not hold for certain (invariant 1).
    pub fn may_pass(&self, row: &[u8]) -> bool {
        let Ok((stored, bitmap, mut r)) = header(row, &self.types) else { return true };
        let mut at = 0;
        for test in &self.tests {
            if test.column >= stored {
                return true;
            }
            if is_null(bitmap, test.column) {
                return false;
            }
            match (test.before, at) {
                (Some(bytes), 0) if bitmap.is_empty() => {
                    if r.take(bytes).is_err() {
                        return true;
                    }
                }
                _ => {
                    for column in at..test.column {
                        if !is_null(bitmap, column) && r.skip(self.types[column]).is_err() {
                            return true;
                        }
                    }
                }
            }
            at = test.column + 1;
            match read(&mut r, self.types[test.column]) {
                Ok(value) if !test.holds(&value) => return false,
                Ok(_) => {}
                Err(_) => return true,
            }
        }
        true
    }
}

#[inline]
fn read<'a>(r: &mut Reader<'a>, ty: Type) -> Read<Stored<'a>> {
    Ok(match ty {
        Type::Int4 | Type::Date => Stored::Int(i32::from_le_bytes(r.array()?).into()),
        Type::Int8 | Type::Timestamp | Type::Timestamptz | Type::Time | Type::Money => {
            Stored::Int(i64::from_le_bytes(r.array()?))
        }
        Type::Int2 => Stored::Int(i16::from_le_bytes(r.array()?).into()),
        Type::Bpchar => Stored::Bytes(r.blanked()?.0),
        ty if is_bytes(ty) => Stored::Bytes(r.prefixed()?),
        Type::Numeric => {
            let small = Some(r.prefixed()?).filter(|bytes| bytes.len() <= SMALL_NUMERIC_BYTES);
            small.and_then(Numeric::read_stored).map_or(Stored::Large, |n| Stored::Value(Datum::Numeric(n)))
        }
        ty => Stored::Value(r.value(ty, 0)?),
    })
}

impl Test {
    #[inline]
    fn holds(&self, value: &Stored<'_>) -> bool {
        self.asked.iter().all(|wanted| wanted.holds(value))
    }
}

/// How a stored value compares; `None`: it would have to be decoded.
#[inline]
fn order(value: &Stored<'_>, with: &With) -> Option<Ordering> {
    Some(match (value, with) {
        (Stored::Int(value), With::Int(with)) => value.cmp(with),
        (Stored::Value(value), With::Value(with)) => compare(value, with),
        (Stored::Bytes(value), With::Value(with)) => match with {
            Datum::Text(with) => (*value).cmp(with.as_bytes()),
            Datum::Bpchar(with) => (*value).cmp(unpadded(with).as_bytes()),
            Datum::Bytes(with) => (*value).cmp(with),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Missing, decode_columns, encode_row};
    use std::sync::Arc;

    const TYPES: [Type; 9] = [
        Type::Int4,
        Type::Int2,
        Type::Float8,
        Type::Date,
        Type::Bpchar,
        Type::Int8,
        Type::Numeric,
        Type::Text,
        Type::Bytea,
    ];

    fn value(ty: Type, rng: &mut fastrand::Rng) -> Datum {
        let small = rng.i32(-3..4);
        let text = |rng: &mut fastrand::Rng| ["", "a", "a ", "ab", "b", "\u{1F600}"][rng.usize(0..6)];
        match ty {
            _ if rng.u8(0..6) == 0 => Datum::Null,
            Type::Int2 => Datum::Int2(small as i16),
            Type::Int4 => Datum::Int4(small),
            Type::Int8 => Datum::Int8(i64::from(small)),
            Type::Float8 => Datum::Float8([f64::NAN, -0.0, 0.0, f64::INFINITY, 1.5][rng.usize(0..5)]),
            Type::Date => Datum::Date(small),
            Type::Numeric => {
                let spelled =
                    ["1", "1.0", "-0.5", "NaN", "Infinity", "123456789012345678901234567890123456789012345"];
                Datum::Numeric(spelled[rng.usize(0..6)].parse().unwrap())
            }
            Type::Bpchar => Datum::Bpchar(Arc::from(format!("{:<3}", text(rng)))),
            Type::Bytea => Datum::Bytes(Arc::from(text(rng).as_bytes())),
            _ => Datum::Text(Arc::from(text(rng))),
        }
    }

    /// Only numbers of 16 bytes and more, and what rows are without, are left to be decoded.
    #[test]
    fn it_refuses_what_does_not_hold_and_nothing_else() {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut refused, mut passed) = (0, 0);
        for turn in 0..20_000 {
            let columns = rng.usize(1..=TYPES.len());
            let row: Vec<Datum> = TYPES[..columns].iter().map(|ty| value(*ty, &mut rng)).collect();
            let mut stored = Vec::new();
            encode_row(&row, &TYPES[..columns], &mut stored);
            let asked: Vec<(usize, Asked)> = (0..rng.usize(1..4))
                .map(|_| {
                    let column = rng.usize(..TYPES.len());
                    let ints = [Type::Int2, Type::Int4, Type::Int8];
                    let ty = if ints.contains(&TYPES[column]) { ints[rng.usize(..3)] } else { TYPES[column] };
                    let mut values = (0..rng.usize(1..4)).map(|_| value(ty, &mut rng)).collect::<Vec<_>>();
                    values.retain(|v| !v.is_null());
                    let orders = [rng.bool(), rng.bool(), rng.bool()];
                    let one = if rng.bool() { values.pop() } else { None };
                    (column, one.map_or(Asked::OneOf(values), |with| Asked::Order(orders, with)))
                })
                .collect();
            let Some(test) = RowTest::new(&TYPES, asked.clone()) else { continue };
            let mut decoded = vec![Datum::Null; TYPES.len()];
            let all: Vec<usize> = (0..TYPES.len()).collect();
            decode_columns(&stored, &TYPES, &Missing::default(), &all, &mut decoded).unwrap();
            let is_left = |column: usize, asked: &Asked| {
                let is_large = || matches!(&decoded[column], Datum::Numeric(n) if n.to_string().len() > 20);
                column >= columns || is_large() && !matches!(asked, Asked::OneOf(list) if list.is_empty())
            };
            // Nothing behind a column that is not stored is looked at.
            let holds = asked.iter().all(|(column, asked)| {
                let own = &decoded[*column];
                let is_it = || match asked {
                    Asked::Order(orders, with) => orders[(compare(own, with) as i8 + 1) as usize],
                    Asked::OneOf(list) => list.iter().any(|with| compare(own, with).is_eq()),
                };
                is_left(*column, asked) || !own.is_null() && is_it()
            });
            assert_eq!(test.may_pass(&stored), holds, "seed {seed}, turn {turn}: {decoded:?} {asked:?}");
            if holds {
                passed += 1
            } else {
                refused += 1
            }
            for cut in 0..stored.len() {
                test.may_pass(&stored[..cut]);
            }
        }
        assert!(passed > 1_000 && refused > 1_000, "{passed} {refused}");
    }
}
