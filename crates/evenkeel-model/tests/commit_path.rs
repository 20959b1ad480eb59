//! Model check of the commit path alone: publication, gang and turns of the engine over a log of numbers, under a checker that tries interleavings of their
//! threads and finds deadlocks and lost wake-ups. `EVENKEEL_MODEL_RUNS` sets how many interleavings each test tries (default 3,000). A failure prints the schedule to replay.

mod commit_path {
    pub mod model;
}

/// Each test both ways: any thread at each step by chance, and few changes of thread at unlikely places.
fn check(model: fn()) {
    let runs = match std::env::var("EVENKEEL_MODEL_RUNS") {
        Ok(n) => n.parse().expect("a number"),
        Err(_) => 3000,
    };
    let model = move || {
        evenkeel_model::base::sync::begin_run("");
        model();
    };
    shuttle::check_random(model, runs);
    shuttle::check_pct(model, runs, 3);
}

#[test]
fn what_is_completed_was_published_and_whoever_waits_for_it_wakes() {
    check(commit_path::model::publication);
}

#[test]
fn a_gang_makes_durable_what_it_acknowledges_and_forgets_nobody() {
    check(|| commit_path::model::gang(1, None));
}

#[test]
fn so_do_writes_side_by_side() {
    check(|| commit_path::model::gang(3, None));
    let out_of_order = commit_path::model::OUT_OF_ORDER.load(std::sync::atomic::Ordering::Relaxed);
    assert!(out_of_order > 0, "the model never let a write overtake another");
    println!("{out_of_order} writes ended before an earlier one");
}

#[test]
fn after_a_failed_write_nobody_waits_for_ever_and_nobody_behind_it_is_told() {
    check(|| commit_path::model::gang(1, Some(1)));
    check(|| commit_path::model::gang(3, Some(1)));
}
