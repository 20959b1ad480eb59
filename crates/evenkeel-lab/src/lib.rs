//! The lab: experiments on the user's own machine, with the means the engine uses.
//!
//! [`bench_commits`] measures durable commits: embedded, over the wire, beside other servers and beside the bare disk.
//! [`bench_checkpoints`] measures what checkpoints do to the latency of a load, row by row of settings and servers.
//! [`bench_recovery`] measures how fast a database comes back: after a kill, and from an archive.
//! [`bench_tpcc`] runs TPC-C, here and on other servers.
//! [`bench_tpch`] runs the queries of TPC-H, likewise.
//! [`experiments`] are the threads' questions, each answered in one command by the benches above.
//! [`disturbance`] counts beside every figure what the rest of the machine did meanwhile.
//! [`disk`] puts a modelled disk, a rotating one say, under a real file system, and cuts its power.
//! [`curve`] has rates that change with time.
//! [`logdisk`] finds out how this disk takes log output best, and whether it can be trusted.
//!
//! It must not know the command line: progress goes out through a trait, results as values.

mod aligned;
pub mod bench_checkpoints;
pub mod bench_commits;
pub mod bench_recovery;
pub mod bench_tpcc;
pub mod bench_tpch;
pub mod curve;
pub mod disk;
pub mod disturbance;
pub mod experiments;
mod kept;
pub mod logdisk;
mod machine;
mod median;
mod page;
pub mod turns;
