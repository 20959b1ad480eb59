//! The order in which units are joined: the cheapest of all in which one unit after the other joins what is there (left-deep, by dynamic
//! programming over sets, as System R did), or, with many units, the one found by always taking the step that leaves the fewest rows.
//!
//! Invariants
//! 1. A unit joins only when everything that its condition or its own rows need is there.
//! 2. What a set of units costs does not depend on how it will go on.
//!
//! Must not know: how a step is carried out, and what units are.

use super::relations::Relations;
use evenkeel_types::guard::stop::Watch;

/// Units up to which all orders are looked at.
pub(super) const EXHAUSTIVE_MAX: usize = 10;

/// What joining one more unit leads to.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Rows afterwards.
    pub rows: f64,
    /// What the step costs.
    pub cost: f64,
    /// The unit is joined like any other although its rows only select: without its duplicates.
    pub is_unique: bool,
}

impl Step {
    /// The same, if only a part of the rows is read.
    pub fn of_part(self, part: f64) -> Step {
        Step { cost: self.cost * part, ..self }
    }
}

/// What is asked of whoever knows the units.
pub trait Steps {
    /// How many there are.
    fn len(&self) -> usize;
    /// Beginning with a unit; None: it cannot be the first.
    fn first(&self, unit: usize) -> Option<Step>;
    /// Joining a unit to those that are there and their rows; None: it has to wait.
    fn next(&self, there: &Relations, rows: f64, unit: usize) -> Option<Step>;
}

/// An order, and what it leads to.
#[derive(Clone, Debug)]
pub struct Order {
    /// Units in the order in which they join, and whether they do so without their duplicates.
    pub units: Vec<(usize, bool)>,
    /// Rows at the end.
    pub rows: f64,
    /// Cost of all.
    pub cost: f64,
}

/// The cheapest order; one that begins with a certain unit, if that is asked for.
pub fn cheapest(steps: &impl Steps, begin: Option<(usize, Step)>, watch: &Watch) -> Option<Order> {
    if steps.len() <= EXHAUSTIVE_MAX { exhaustive(steps, begin, watch) } else { greedy(steps, begin, watch) }
}

#[derive(Clone, Copy)]
struct State {
    rows: f64,
    cost: f64,
    last: usize,
    is_unique: bool,
}

fn exhaustive(steps: &impl Steps, begin: Option<(usize, Step)>, watch: &Watch) -> Option<Order> {
    let n = steps.len();
    let all = (1usize << n) - 1;
    let mut best: Vec<Option<State>> = vec![None; all + 1];
    for unit in 0..n {
        let first = match begin {
            Some((u, step)) => (u == unit).then_some(step),
            None => steps.first(unit),
        };
        if let Some(f) = first {
            best[1 << unit] = Some(State { rows: f.rows, cost: f.cost, last: unit, is_unique: f.is_unique });
        }
    }
    for set in 1..all {
        let Some(here) = best[set] else { continue };
        let there = Relations::of_bits(set as u64);
        for unit in (0..n).filter(|u| set & 1 << u == 0) {
            watch.look();
            let Some(step) = steps.next(&there, here.rows, unit) else { continue };
            let next =
                State { rows: step.rows, cost: here.cost + step.cost, last: unit, is_unique: step.is_unique };
            let set = set | 1 << unit;
            if best[set].is_none_or(|known| next.cost < known.cost) {
                best[set] = Some(next);
            }
        }
    }
    let end = best[all]?;
    let (mut units, mut set) = (Vec::with_capacity(n), all);
    while set != 0 {
        let state = best[set]?;
        units.push((state.last, state.is_unique));
        set &= !(1 << state.last);
    }
    units.reverse();
    Some(Order { units, rows: end.rows, cost: end.cost })
}

fn greedy(steps: &impl Steps, begin: Option<(usize, Step)>, watch: &Watch) -> Option<Order> {
    let n = steps.len();
    let by_rows = |a: &(usize, Step), b: &(usize, Step)| {
        a.1.rows.total_cmp(&b.1.rows).then(a.1.cost.total_cmp(&b.1.cost))
    };
    let first = (0..n).filter_map(|u| Some((u, steps.first(u)?)));
    let (unit, step) = begin.or_else(|| first.min_by(by_rows))?;
    let mut order = Order { units: vec![(unit, step.is_unique)], rows: step.rows, cost: step.cost };
    let mut there = Relations::one(unit);
    while order.units.len() < n {
        watch.look();
        let waiting = (0..n).filter(|u| !there.contains(*u));
        let possible = waiting.filter_map(|u| Some((u, steps.next(&there, order.rows, u)?)));
        let (unit, step) = possible.min_by(by_rows)?;
        order.units.push((unit, step.is_unique));
        (order.rows, order.cost) = (step.rows, order.cost + step.cost);
        there.insert(unit);
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units with sizes, shares between pairs, and units that have to be there before.
    struct Random {
        rows: Vec<f64>,
        share: Vec<Vec<f64>>,
        needs: Vec<Relations>,
    }

    impl Steps for Random {
        fn len(&self) -> usize {
            self.rows.len()
        }
        fn first(&self, unit: usize) -> Option<Step> {
            let rows = self.rows[unit];
            self.needs[unit].is_empty().then_some(Step { rows, cost: rows, is_unique: false })
        }
        fn next(&self, there: &Relations, rows: f64, unit: usize) -> Option<Step> {
            let share: f64 = there.numbers().map(|u| self.share[u.min(unit)][u.max(unit)]).product();
            let found = rows * self.rows[unit] * share;
            self.needs[unit].is_within(&[there]).then_some(Step {
                rows: found,
                cost: self.rows[unit] + found,
                is_unique: false,
            })
        }
    }

    fn random(rng: &mut fastrand::Rng, n: usize) -> Random {
        let share = |rng: &mut fastrand::Rng| if rng.bool() { 1.0 } else { 0.001 + rng.f64() * 0.1 };
        Random {
            rows: (0..n).map(|_| 1.0 + f64::from(rng.u32(0..10_000))).collect(),
            share: (0..n).map(|_| (0..n).map(|_| share(rng)).collect()).collect(),
            needs: (0..n)
                .map(|u| {
                    if u > 0 && rng.u8(0..4) == 0 {
                        Relations::one(rng.usize(0..u))
                    } else {
                        Relations::default()
                    }
                })
                .collect(),
        }
    }

    fn cost_of(r: &Random, units: &[usize]) -> Option<f64> {
        let first = r.first(units[0])?;
        let (mut there, mut rows, mut cost) = (Relations::one(units[0]), first.rows, first.cost);
        for u in &units[1..] {
            let step = r.next(&there, rows, *u)?;
            (rows, cost) = (step.rows, cost + step.cost);
            there.insert(*u);
        }
        Some(cost)
    }

    #[test]
    fn no_other_order_is_cheaper() {
        let watch = Watch::of_text(1);
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let n = rng.usize(1..7);
            let r = random(&mut rng, n);
            let found = cheapest(&r, None, &watch).unwrap();
            let mut least = f64::MAX;
            let mut units: Vec<usize> = (0..n).collect();
            // Heap's algorithm.
            let mut counters = vec![0; n];
            least = least.min(cost_of(&r, &units).unwrap_or(f64::MAX));
            let mut i = 0;
            while i < n {
                if counters[i] < i {
                    units.swap(if i % 2 == 0 { 0 } else { counters[i] }, i);
                    least = least.min(cost_of(&r, &units).unwrap_or(f64::MAX));
                    counters[i] += 1;
                    i = 0;
                } else {
                    counters[i] = 0;
                    i += 1;
                }
            }
            let order: Vec<usize> = found.units.iter().map(|(u, _)| *u).collect();
            let own = cost_of(&r, &order).unwrap();
            assert!((own - found.cost).abs() <= own * 1e-9, "seed {seed}: {own} is told as {}", found.cost);
            assert!(
                found.cost <= least * (1.0 + 1e-9),
                "seed {seed}: {} where {least} is possible",
                found.cost
            );
        }
    }

    /// Invariant 1.
    #[test]
    fn many_units_join_when_they_may() {
        let watch = Watch::of_text(1);
        for seed in 0..50 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let n = rng.usize(11..60);
            let r = random(&mut rng, n);
            let order = cheapest(&r, None, &watch).unwrap();
            let order: Vec<usize> = order.units.iter().map(|(u, _)| *u).collect();
            assert_eq!(order.len(), n);
            assert!(cost_of(&r, &order).is_some(), "seed {seed}");
        }
    }
}
