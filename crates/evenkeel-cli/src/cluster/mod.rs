//! `evenkeel serve --cluster` and `evenkeel cluster`: servers that elect who leads, and fail over by themselves.
//!
//! The process that is started is the *agent*: it looks at the store, votes, keeps the lease, and has the server itself as a child, to which it gives orders (`control.rs`). So a server that leads and must
//! not any more is ended, whatever it is doing; and what a server cannot do while it runs (be copied over, rejoin) is done between two of them.
//!
//! It must not know who may lead: that is `evenkeel-cluster`'s.

mod agent;
mod child;
mod health;
mod identity;
mod manage;

use clap::{Args, Subcommand};
use evenkeel_cluster::ClusterUrl;

pub(crate) use agent::run;
pub(crate) use identity::refuse_member;
pub(crate) use manage::run as manage;

pub(crate) const EXAMPLES: &str = "Examples:
  evenkeel serve --data ./a --cluster etcd://127.0.0.1:2379/shop
  evenkeel cluster status etcd://127.0.0.1:2379/shop
  evenkeel cluster remove etcd://127.0.0.1:2379/shop c";

/// How this server is a member of its cluster.
#[derive(Args, Clone, Debug)]
pub(crate) struct Membership {
    /// This member's name, and that of its replication slots [default: the folder's name]
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub name: Option<String>,
    /// Where the other members and clients reach this server [default: where it listens]
    #[arg(long, value_name = "HOST:PORT", requires = "cluster")]
    pub advertise: Option<String>,
    /// How members log in at each other, as part of a connection string
    #[arg(long, value_name = "CONNINFO", default_value = "user=postgres", requires = "cluster")]
    pub member_login: String,
    /// A leader that is not heard of for so many seconds is replaced
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..=3600), requires = "cluster")]
    pub lease: u64,
    /// Answer load balancers over HTTP here: GET /primary, /replica, /health
    #[arg(long, value_name = "ADDR:PORT", requires = "cluster")]
    pub health: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show who leads, who follows and how far, and who is away
    Status {
        /// The cluster
        url: ClusterUrl,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Have a member go for good, so that it counts no more
    Remove {
        /// The cluster
        url: ClusterUrl,
        /// The member's name
        name: String,
    },
}
