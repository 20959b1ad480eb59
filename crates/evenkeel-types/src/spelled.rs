//! Functions that SQL's grammar has a spelling of its own for, beside that of a call: `POSITION(a IN b)` is `position(b, a)`.
//!
//! A call that was spelled so is one of a twin of the function, which does the same: what is kept of it is shown as it was written (PostgreSQL's
//! `COERCE_SQL_SYNTAX`).
//!
//! Invariants:
//! 1. A twin is never found by its name: only the binder makes calls of it.
//!
//! Must not know: how calls are shown.

use crate::function::ScalarFn;
use crate::registry::lookup_functions;
use std::sync::LazyLock;

/// Those of whose calls the spelling is not told by the name.
const NAMES: [&str; 7] = ["btrim", "ltrim", "overlay", "position", "rtrim", "substring", "timezone"];

static TWINS: LazyLock<Vec<(ScalarFn, &'static ScalarFn)>> = LazyLock::new(|| {
    let of_name = |name: &&'static str| lookup_functions(name).iter().map(|f| (*f, f));
    NAMES.iter().flat_map(of_name).collect()
});

/// The function whose calls are shown in the grammar's spelling; one without is given back.
pub fn spelled(f: &'static ScalarFn) -> &'static ScalarFn {
    let twins = NAMES.contains(&f.name).then(|| TWINS.iter()).into_iter().flatten();
    twins.into_iter().find(|(_, plain)| std::ptr::eq(*plain, f)).map_or(f, |(twin, _)| twin)
}

/// The function that is found by its name, of which this one may be the twin.
pub fn unspelled(f: &'static ScalarFn) -> &'static ScalarFn {
    let twins = NAMES.contains(&f.name).then(|| TWINS.iter()).into_iter().flatten();
    twins.into_iter().find(|(twin, _)| std::ptr::eq(twin, f)).map_or(f, |(_, plain)| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_twin_leads_back() {
        for name in NAMES {
            assert!(!lookup_functions(name).is_empty(), "{name}");
            for f in lookup_functions(name) {
                let twin = spelled(f);
                assert!(!std::ptr::eq(twin, f) && (twin.name, twin.args) == (f.name, f.args));
                assert!(std::ptr::eq(unspelled(twin), f) && std::ptr::eq(unspelled(f), f));
                assert!(std::ptr::eq(spelled(twin), twin));
            }
        }
        let other = &lookup_functions("lower")[0];
        assert!(std::ptr::eq(spelled(other), other) && std::ptr::eq(unspelled(other), other));
    }
}
