//! Log space that is promised is given back, all of it and no more: with what is given back twice, records would meet the end of the log that is ready.

mod common;

use common::pair::{Pair, seeds};

#[test]
fn when_nobody_is_at_work_nothing_is_promised() {
    for seed in 0..seeds(40) {
        let mut pair = Pair::new(seed ^ 0x10f);
        for round in 0..10 {
            for _ in 0..60 {
                pair.step_while_copied();
            }
            pair.open.clear();
            while pair.db.step_purge().expect("purge") > 0 {}
            let promised = pair.db.log().promised_bytes();
            assert_eq!(promised, 0, "seed {seed}, round {round}");
        }
    }
}
