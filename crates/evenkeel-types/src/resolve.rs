//! Chooses the function, operator or aggregate that a call means, by PostgreSQL's rules: an exact match, else the candidate with the
//! most exact matches, then with the most preferred types, then by the category that untyped literals can be of.
//!
//! Must not know: expressions; it sees types only.

use super::cast::{CastContext, can_cast_in};
use super::function::{AggFn, ScalarFn};
use super::sets::SetFn;
use super::ty::Type;
use crate::error::{SqlError, SqlState};

/// Why no candidate was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResolveError {
    /// None fits.
    NotFound,
    /// Several fit equally well.
    Ambiguous,
    /// One fits, but nothing tells the type that it is to work on.
    Undetermined,
}

const UNDETERMINED: &str = "could not determine polymorphic type because input has type unknown";

/// What is wrong with a call of a function that takes any type if only literals without one are given.
pub fn undetermined() -> SqlError {
    SqlError::new(SqlState::DATATYPE_MISMATCH, UNDETERMINED)
}

/// Whether an error is that, of which PostgreSQL tells no place.
pub fn is_undetermined(e: &SqlError) -> bool {
    e.code == SqlState::DATATYPE_MISMATCH && e.message == UNDETERMINED
}

/// The chosen function or operator.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The entry.
    pub f: &'static ScalarFn,
    /// The type that each argument must be cast to.
    pub args: Vec<Type>,
    /// The result's type, never polymorphic.
    pub ret: Type,
}

/// The chosen aggregate.
#[derive(Clone, Debug)]
pub struct ResolvedAgg {
    /// The entry.
    pub f: &'static AggFn,
    /// The type that each argument must be cast to.
    pub args: Vec<Type>,
    /// The result's type, never polymorphic.
    pub ret: Type,
}

trait Signature {
    fn args(&self) -> &'static [Type];
    fn variadic(&self) -> bool;
    fn ret(&self) -> Type;
    /// Whether arguments of different types may be brought to a common one (`anycompatible`); else they have to be of one type (`anyelement`).
    fn is_compatible(&self) -> bool;
}

impl Signature for ScalarFn {
    fn args(&self) -> &'static [Type] {
        self.args
    }
    fn variadic(&self) -> bool {
        self.variadic
    }
    fn ret(&self) -> Type {
        self.ret
    }
    fn is_compatible(&self) -> bool {
        matches!(
            self.name,
            "||" | "width_bucket"
                | "array_append"
                | "array_cat"
                | "array_position"
                | "array_positions"
                | "array_prepend"
                | "array_remove"
                | "array_replace"
        )
    }
}

impl Signature for AggFn {
    fn args(&self) -> &'static [Type] {
        self.args
    }
    fn variadic(&self) -> bool {
        false
    }
    fn ret(&self) -> Type {
        self.ret
    }
    fn is_compatible(&self) -> bool {
        false
    }
}

impl Signature for SetFn {
    fn args(&self) -> &'static [Type] {
        self.args
    }
    fn variadic(&self) -> bool {
        false
    }
    fn ret(&self) -> Type {
        Type::Record
    }
    fn is_compatible(&self) -> bool {
        false
    }
}

/// Chooses among functions of one name that return rows; with it go the types that its arguments must be cast to.
pub fn resolve_set(
    candidates: &'static [SetFn],
    args: &[Type],
) -> Result<(&'static SetFn, Vec<Type>), ResolveError> {
    let (f, args, _) = choose(candidates, args, false)?;
    Ok((f, args))
}

/// Chooses among functions of one name.
pub fn resolve(candidates: &'static [ScalarFn], args: &[Type]) -> Result<Resolved, ResolveError> {
    let (f, args, ret) = choose(candidates, args, false)?;
    Ok(Resolved { f, args, ret })
}

/// Chooses among operators of one name: one argument for a prefix operator, else two.
pub fn resolve_operator(candidates: &'static [ScalarFn], args: &[Type]) -> Result<Resolved, ResolveError> {
    let (f, args, ret) = choose(candidates, args, true)?;
    Ok(Resolved { f, args, ret })
}

/// Chooses among aggregates of one name.
pub fn resolve_aggregate(candidates: &'static [AggFn], args: &[Type]) -> Result<ResolvedAgg, ResolveError> {
    let (f, args, ret) = choose(candidates, args, false).map_err(|e| match e {
        // PostgreSQL has two of it, one for arrays.
        ResolveError::Undetermined if candidates.iter().any(|f| f.name == "array_agg") => {
            ResolveError::Ambiguous
        }
        e => e,
    })?;
    Ok(ResolvedAgg { f, args, ret })
}

struct Candidate<S: 'static> {
    f: &'static S,
    declared: Vec<Type>,
}

impl<S> Clone for Candidate<S> {
    fn clone(&self) -> Self {
        Candidate { f: self.f, declared: self.declared.clone() }
    }
}

type Choice<S> = (&'static S, Vec<Type>, Type);

fn choose<S: Signature>(all: &'static [S], args: &[Type], operator: bool) -> Result<Choice<S>, ResolveError> {
    // An untyped operand of a binary operator is first taken for the other's type.
    let mut exact_args = args.to_vec();
    if operator && let [a, b] = *args {
        if a == Type::Unknown {
            exact_args[0] = b;
        } else if b == Type::Unknown {
            exact_args[1] = a;
        }
    }
    // Most calls match an entry exactly, which needs no lists.
    if !exact_args.contains(&Type::Unknown)
        && let Some(f) = all.iter().find(|f| f.args() == exact_args && !f.variadic())
    {
        return finish(&Candidate { f, declared: exact_args }, args);
    }
    let candidates: Vec<Candidate<S>> = all
        .iter()
        .filter_map(|f| declared_types(f, args.len()).map(|declared| Candidate { f, declared }))
        .collect();
    let fitting: Vec<Candidate<S>> =
        candidates.into_iter().filter(|c| fits(&c.declared, args, c.f.is_compatible())).collect();
    let chosen = match fitting.len() {
        0 => return Err(ResolveError::NotFound),
        1 => fitting[0].clone(),
        _ => select(fitting, args)?,
    };
    finish(&chosen, args)
}

fn declared_types<S: Signature>(f: &S, count: usize) -> Option<Vec<Type>> {
    let mut declared = f.args().to_vec();
    if f.variadic() {
        if count < declared.len() {
            return None;
        }
        let last = *declared.last()?;
        declared.resize(count, last);
    }
    (declared.len() == count).then_some(declared)
}

fn fits(declared: &[Type], args: &[Type], compatible: bool) -> bool {
    let each = declared.iter().zip(args).all(|(d, a)| match d {
        Type::Any | Type::AnyElement => *a != Type::Void,
        Type::AnyEnum => matches!(a, Type::Enum(_) | Type::Unknown),
        Type::AnyArray => *a == Type::Unknown || a.is_array(),
        Type::AnyToText => !a.is_array(),
        d => can_cast_in(*a, *d, CastContext::Implicit),
    });
    let wants_array = declared.contains(&Type::AnyArray);
    each && match polymorphic_element(declared, args, compatible) {
        // Untyped literals alone are of no enum.
        Ok(None) if declared.contains(&Type::AnyEnum) => false,
        // There are no arrays of arrays.
        Ok(Some(element)) => !wants_array || element.array_of().is_some(),
        Ok(None) => true,
        Err(()) => false,
    }
}

/// The element type that the polymorphic arguments agree on (`None` if there are none, or all are untyped).
fn polymorphic_element(declared: &[Type], args: &[Type], compatible: bool) -> Result<Option<Type>, ()> {
    let mut elements = Vec::new();
    for (d, a) in declared.iter().zip(args) {
        match d {
            Type::AnyElement | Type::AnyEnum if *a != Type::Unknown => elements.push(*a),
            Type::AnyArray if *a != Type::Unknown => elements.push(a.element().ok_or(())?),
            _ => {}
        }
    }
    if elements.is_empty() {
        return Ok(None);
    }
    if !compatible && elements.iter().any(|e| *e != elements[0]) {
        return Err(());
    }
    common_type(&elements).map(Some).map_err(|_| ())
}

fn is_of_one_type(declared: Type) -> bool {
    matches!(declared, Type::AnyElement | Type::AnyArray | Type::AnyEnum)
}

fn finish<S: Signature>(c: &Candidate<S>, args: &[Type]) -> Result<Choice<S>, ResolveError> {
    let compatible = c.f.is_compatible();
    let element = polymorphic_element(&c.declared, args, compatible).map_err(|()| ResolveError::NotFound)?;
    // What may be of several types that have a common one is text at last; what has to be of one type has to have one.
    if element.is_none() && !compatible && c.declared.iter().any(|d| is_of_one_type(*d)) {
        return Err(ResolveError::Undetermined);
    }
    let element = element.unwrap_or(Type::Text);
    let given_array = c
        .declared
        .iter()
        .zip(args)
        .find(|(d, a)| **d == Type::AnyArray && **a != Type::Unknown)
        .map(|(_, a)| *a);
    let array = |given: Option<Type>| match given {
        // What is written beside a vector is one.
        Some(Type::Unknown) if given_array.is_some_and(Type::is_vector) => given_array,
        // A vector stays one; it is not an array of its element type.
        Some(g) if g.element() == Some(element) => Some(g),
        _ => element.array_of(),
    };
    let concrete: Option<Vec<Type>> = c
        .declared
        .iter()
        .zip(args)
        .map(|(d, a)| match d {
            Type::Any if *a == Type::Unknown => Some(Type::Text),
            Type::Any => Some(*a),
            Type::AnyElement | Type::AnyEnum => Some(element),
            Type::AnyArray => array(Some(*a)),
            Type::AnyToText => Some(Type::Text),
            d => Some(*d),
        })
        .collect();
    let ret = match c.f.ret() {
        Type::AnyElement | Type::AnyEnum => Some(element),
        // Collected arrays become inner dimensions.
        Type::AnyArray if !c.declared.contains(&Type::AnyArray) && element.is_array() => Some(element),
        Type::AnyArray => match array(given_array) {
            Some(Type::Int2Vector) => Some(Type::Int2Array),
            Some(Type::OidVector) => Some(Type::OidArray),
            other => other,
        },
        other => Some(other),
    };
    match (concrete, ret) {
        (Some(concrete), Some(ret)) => Ok((c.f, concrete, ret)),
        _ => Err(ResolveError::NotFound),
    }
}

/// Keeps the candidates with the highest score.
fn keep_best<S>(candidates: &mut Vec<Candidate<S>>, score: impl Fn(&[Type]) -> usize) {
    let best = candidates.iter().map(|c| score(&c.declared)).max().unwrap_or(0);
    candidates.retain(|c| score(&c.declared) == best);
}

fn select<S: Signature>(
    mut candidates: Vec<Candidate<S>>,
    args: &[Type],
) -> Result<Candidate<S>, ResolveError> {
    let typed: Vec<(usize, Type)> =
        args.iter().copied().enumerate().filter(|(_, a)| *a != Type::Unknown).collect();
    keep_best(&mut candidates, |d| typed.iter().filter(|(i, a)| d[*i] == *a).count());
    if let [one] = &candidates[..] {
        return Ok(one.clone());
    }
    keep_best(&mut candidates, |d| {
        typed
            .iter()
            .filter(|(i, a)| d[*i] == *a || d[*i].is_preferred() && d[*i].category() == a.category())
            .count()
    });
    if let [one] = &candidates[..] {
        return Ok(one.clone());
    }
    if typed.len() == args.len() {
        return Err(ResolveError::Ambiguous);
    }
    if let Some(narrowed) = by_category(&candidates, args) {
        candidates = narrowed;
        if let [one] = &candidates[..] {
            return Ok(one.clone());
        }
    }
    // Last: take the untyped ones for the type that all typed ones have.
    if let Some((_, first)) = typed.first()
        && typed.iter().all(|(_, a)| a == first)
    {
        let assumed = vec![*first; args.len()];
        let mut fitting = candidates.iter().filter(|c| fits(&c.declared, &assumed, c.f.is_compatible()));
        if let (Some(one), None) = (fitting.next(), fitting.next()) {
            return Ok(one.clone());
        }
    }
    Err(ResolveError::Ambiguous)
}

/// Narrows by the category of each untyped argument: string if any candidate takes one there, else the one that all agree on.
fn by_category<S>(candidates: &[Candidate<S>], args: &[Type]) -> Option<Vec<Candidate<S>>> {
    let mut slots: Vec<(usize, u8, bool)> = Vec::new();
    for (i, _) in args.iter().enumerate().filter(|(_, a)| **a == Type::Unknown) {
        let (mut category, mut preferred, mut conflict) = (0u8, false, false);
        for c in candidates {
            let t = c.declared[i];
            if category == 0 {
                (category, preferred) = (t.category(), t.is_preferred());
            } else if t.category() == category {
                preferred |= t.is_preferred();
            } else if t.category() == b'S' {
                (category, preferred) = (b'S', t.is_preferred());
            } else {
                conflict = true;
            }
        }
        if conflict && category != b'S' {
            return None;
        }
        slots.push((i, category, preferred));
    }
    let kept: Vec<Candidate<S>> = candidates
        .iter()
        .filter(|c| {
            slots.iter().all(|(i, category, preferred)| {
                let t = c.declared[*i];
                t.category() == *category && (!preferred || t.is_preferred())
            })
        })
        .cloned()
        .collect();
    (!kept.is_empty()).then_some(kept)
}

/// The type to which several expressions are brought together (UNION, CASE, COALESCE, VALUES, ARRAY, IN); text if all are untyped. The
/// error is the pair that cannot be.
pub fn common_type(types: &[Type]) -> Result<Type, (Type, Type)> {
    let mut chosen = Type::Unknown;
    for &t in types {
        if t == Type::Unknown || t == chosen {
            continue;
        }
        if chosen == Type::Unknown {
            chosen = t;
        } else if t.category() != chosen.category() {
            return Err((chosen, t));
        } else if !chosen.is_preferred()
            && can_cast_in(chosen, t, CastContext::Implicit)
            && !can_cast_in(t, chosen, CastContext::Implicit)
        {
            chosen = t;
        }
    }
    if chosen == Type::Unknown {
        return Ok(Type::Text);
    }
    match types.iter().find(|t| !can_cast_in(**t, chosen, CastContext::Implicit)) {
        Some(t) => Err((chosen, *t)),
        None => Ok(chosen),
    }
}

fn type_list(args: &[Type]) -> String {
    args.iter().map(|t| t.sql_name().into_owned()).collect::<Vec<_>>().join(", ")
}

/// The error for a function call that could not be resolved.
pub fn function_error(name: &str, args: &[Type], error: ResolveError) -> SqlError {
    let call = format!("function {name}({})", type_list(args));
    match error {
        ResolveError::NotFound => {
            SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("{call} does not exist")).with_hint(
                "No function matches the given name and argument types. You might need to add explicit type casts.",
            )
        }
        ResolveError::Undetermined => undetermined(),
        ResolveError::Ambiguous => SqlError::new(SqlState::AMBIGUOUS_FUNCTION, format!("{call} is not unique"))
            .with_hint("Could not choose a best candidate function. You might need to add explicit type casts."),
    }
}

/// The error for an operator that could not be resolved; a prefix operator has no left type.
pub fn operator_error(op: &str, left: Option<Type>, right: Type, error: ResolveError) -> SqlError {
    let shown = match left {
        Some(left) => format!("{} {op} {}", left.sql_name(), right.sql_name()),
        None => format!("{op} {}", right.sql_name()),
    };
    match error {
        ResolveError::NotFound => {
            SqlError::new(SqlState::UNDEFINED_FUNCTION, format!("operator does not exist: {shown}")).with_hint(
                match left {
                    Some(_) => {
                        "No operator matches the given name and argument types. You might need to add explicit type casts."
                    }
                    None => "No operator matches the given name and argument type. You might need to add an explicit type cast.",
                },
            )
        }
        ResolveError::Undetermined => undetermined(),
        ResolveError::Ambiguous => {
            SqlError::new(SqlState::AMBIGUOUS_FUNCTION, format!("operator is not unique: {shown}"))
                .with_hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
        }
    }
}
