//! `evenkeel serve`: open, listen, wait for signals, close.
//!
//! The stages stand in [`run`] in the order in which they happen.
//!
//! Invariant 1: once the engine has stopped, the process ends within a second, with a message and [`ENGINE_STOPPED`], whatever else goes on or hangs: whoever
//! supervises it starts it again.

use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use evenkeel::io::{descriptor_limit, raise_descriptor_limit};
use evenkeel::settings::Context;
use evenkeel::{Database, Standby};
use evenkeel_server::settings::Id;
use evenkeel_server::{Listeners, Server, SqlService, log};
use evenkeel_sql::{Instance, KeptCounts, SqlError, SqlState};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tracing::level_filters::LevelFilter;
use tracing::{error, info, warn};

use crate::cluster;
use crate::config::Config;
use crate::control::{self, Order};
use crate::create::choose_log_method;
use crate::folder::explain;
use crate::in_force::InForce;
use crate::notify::notify;
use crate::os_user::os_user;
use crate::prewarm::Prewarming;
use crate::recovery_bar::show_recovery;
use crate::{CliError, LogLevel, ServeArgs, alter_system, io_error, standby};

/// The exit code after the engine had to stop.
const ENGINE_STOPPED: u8 = 3;
/// How long the sessions have then to tell their clients.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(400);
/// When the process ends even if something hangs.
const LAST_RESORT: Duration = Duration::from_millis(900);

/// What a signal asks for, or the engine.
pub(crate) enum Request {
    Stop,
    Reload,
    /// The engine has stopped.
    Failed(evenkeel::Error),
    /// A standby is to take over; who asked wants to hear of it.
    Promote(mpsc::SyncSender<Result<(), SqlError>>),
    /// The cluster's agent wants something.
    Order(Order),
}

/// Why serving has ended.
#[derive(PartialEq, Eq)]
pub(crate) enum Ended {
    AsAsked,
    EngineStopped,
}

/// Where a server that is stopped keeps what was counted.
const COUNTS_FILE: &str = "pg_stat.counts";
/// Descriptors besides those of data files and connections: log, sockets, standard streams, the archive.
const DESCRIPTORS_OTHER: u64 = 64;

/// Raises the limit on descriptors, which data files and connections share, and says so if it is still too low for all connections.
fn obtain_descriptors(max_connections: u64) {
    let limit = raise_descriptor_limit().unwrap_or_else(|error| {
        warn!(%error, "the limit on open files could not be raised");
        descriptor_limit()
    });
    // Half of them are the data files' at most.
    if (limit as u64) / 2 < max_connections + DESCRIPTORS_OTHER {
        warn!(
            "this process may have {limit} open files: too few for max_connections = {max_connections}; raise the limit (ulimit -n), or lower max_connections"
        );
    }
}

/// Serves until a signal ends it.
pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, CliError> {
    start_logging(args.log_level)?;
    let mut config = load(args)?;
    log::configure(&config.server, &args.data);
    // Before anything is open: a signal from here on finishes cleanly.
    let (send, requests) = mpsc::channel();
    watch_signals(send.clone())?;
    if args.bound {
        std::thread::spawn(|| {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            // Nobody is there to be told, and what was measured goes, too.
            std::process::exit(1);
        });
    }

    if !args.member {
        cluster::refuse_member(&args.data)?;
    }
    let listeners = Listeners::bind(&config.server, &config.users, Some(&args.data))?;

    if let Some(preset) = config.preset {
        info!(preset = preset.name, "{}", preset.description);
        for (name, value) in preset.settings {
            info!("preset: {name} = {value}");
        }
    }
    choose_log_method(&args.data, args.config.is_some(), &mut config)?;
    obtain_descriptors(config.server.number(Id::MaxConnections));
    if args.member {
        control::start(&send, args.synchronous.as_deref().unwrap_or_default())?;
        config.set(
            "--synchronous",
            "synchronous_standby_names",
            &control::synchronous().unwrap_or_default(),
        )?;
    }
    if Standby::is_one(&args.data)? {
        return match standby::serve::run(args, config, listeners, &send, &requests)? {
            Ended::AsAsked => Ok(ExitCode::SUCCESS),
            Ended::EngineStopped => {
                log::flush(LAST_RESORT);
                std::process::exit(i32::from(ENGINE_STOPPED))
            }
        };
    }
    info!(data = %args.data.display(), "opening the database");
    let mut options = show_recovery(config.engine.clone());
    if let Some(epoch) = args.epoch {
        let whom = config.server.synchronous();
        options = options.with_epoch(epoch).with_synchronous(whom);
    }
    let database = Database::open(&args.data, options).map_err(|e| explain(e, &args.data))?;
    control::lease(&database);
    let failed = send.clone();
    database.on_poison(move |why| end_soon(&failed, why));
    let mut counts = None;
    let outcome = serve(args, config, listeners, &database, &send, &requests, &mut counts);
    if matches!(outcome, Ok(Ended::EngineStopped)) {
        // Closing could only wait for what failed.
        log::flush(LAST_RESORT);
        std::process::exit(i32::from(ENGINE_STOPPED));
    }

    info!("closing the database");
    let closed = database.close();
    outcome?;
    closed?;
    keep(counts, &args.data);
    info!("closed");
    Ok(ExitCode::SUCCESS)
}

/// Keeps what was counted, of a database that is closed.
pub(crate) fn keep(counts: Option<KeptCounts>, data: &Path) {
    if let Some(counts) = counts
        && let Err(e) = counts.write(&data.join(COUNTS_FILE))
    {
        warn!(error = %e, "what was counted is not kept: the next start counts anew");
    }
}

/// The part that needs the database open.
fn serve(
    args: &ServeArgs,
    config: Config,
    mut listeners: Listeners,
    database: &Database,
    send: &mpsc::Sender<Request>,
    requests: &mpsc::Receiver<Request>,
    counts: &mut Option<KeptCounts>,
) -> Result<Ended, CliError> {
    let instance = Instance::open(database.clone())?;
    instance.set_temp_folder(args.data.clone());
    instance.set_counted_max(config.server.number(Id::PgStatStatementsMax) as usize);
    let of_statements = config.server.number(Id::PgStatStatementsSave) != 0;
    let file = args.data.join(COUNTS_FILE);
    if let Err(why) = instance.take_up_counts(&file, of_statements) {
        warn!("{} is not used: {why}; counting begins anew", file.display());
    }
    let in_force = InForce::new(&config);
    instance.set_config(alter_system::hooks(args, &in_force, send));
    instance.adopt_users(&config.users.verifiers(), os_user().as_deref())?;
    let service = Arc::new(SqlService::new(instance.clone()));
    let port = config.server.show(Id::Port);
    // Before, it would have been a foreign file in a folder that is to become a database.
    if let Err(e) = listeners.bind_in_folder(&args.data) {
        warn!(error = %e, "evenkeel backup and evenkeel mark will not find this server");
    }
    let prewarming = Prewarming::start(database, &args.data, &config.server);
    let server = Server::start_on(listeners, service, config.server, config.users, config.session_defaults)?;
    print_banner(&server, &args.data, &port);
    notify(&format!("READY=1\nSTATUS=serves {}", args.data.display()));
    let ended = attend(args, database, &instance, &server, &in_force, requests)?;
    if ended == Ended::AsAsked {
        drop(prewarming);
        *counts = Some(instance.counts_to_keep(of_statements));
    } else if let Some(prewarming) = prewarming {
        prewarming.abandon();
    }
    Ok(ended)
}

/// Does what is asked for until the end, which it brings about.
pub(crate) fn attend(
    args: &ServeArgs,
    database: &Database,
    instance: &Arc<Instance>,
    server: &Server<SqlService>,
    in_force: &InForce,
    requests: &mpsc::Receiver<Request>,
) -> Result<Ended, CliError> {
    while let Ok(request) = requests.recv() {
        match request {
            Request::Stop => break,
            Request::Reload => reload(args, database, instance, server, in_force),
            Request::Order(order) => {
                control::as_primary(&order, database, || reload(args, database, instance, server, in_force));
            }
            Request::Promote(reply) => {
                let e =
                    SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, "recovery is not in progress");
                let _ = reply.send(Err(e));
            }
            Request::Failed(why) => {
                notify(&format!("STOPPING=1\nSTATUS={why}"));
                error!("the server ends: {why}");
                control::ends(&why);
                server.give_up(LAST_WORDS);
                return Ok(Ended::EngineStopped);
            }
        }
    }
    info!("shutting down");
    notify("STOPPING=1\nSTATUS=shutting down");
    server.shutdown();
    control::drained();
    Ok(Ended::AsAsked)
}

/// The engine has stopped: has the server end, and sees to it that the process does. (1)
pub(crate) fn end_soon(requests: &mpsc::Sender<Request>, why: &evenkeel::Error) {
    let _ = requests.send(Request::Failed(why.clone()));
    let why = why.clone();
    let at_last = move || {
        std::thread::sleep(LAST_RESORT);
        eprintln!("evenkeel: {why}");
        std::process::exit(i32::from(ENGINE_STOPPED));
    };
    if let Err(e) = std::thread::Builder::new().name("last".into()).spawn(at_last) {
        error!(error = %e, "no thread is left to end the process should the server hang");
    }
}

pub(crate) fn load(args: &ServeArgs) -> Result<Config, CliError> {
    Ok(gather(args).checked()?)
}

/// The same, with all that is wrong.
pub(crate) fn gather(args: &ServeArgs) -> Config {
    let mut config = Config::gather(args.config.as_deref(), &args.data, args.preset.as_deref(), &args.set);
    let mut set = |place: &str, name: &str, value: &str| {
        if let Err(e) = config.set(place, name, value) {
            config.mistake(e);
        }
    };
    if !args.listen.is_empty() {
        set("--listen", "listen_addresses", &args.listen.join(","));
        // The Unix socket goes by the port that clients are told first.
        if let Some((_, port)) = args.listen[0].rsplit_once(':')
            && port.bytes().all(|b| b.is_ascii_digit())
        {
            set("--listen", "port", port);
        }
    }
    if let Some(address) = &args.metrics_listen {
        set("--metrics-listen", "metrics_listen", address);
    }
    if let Some(names) = control::synchronous() {
        set("the cluster", "synchronous_standby_names", &names);
    }
    config
}

/// Reads the configuration anew; None: it is no good. What single settings do not take they do not get: they stay as they are.
fn gather_anew(args: &ServeArgs, server: &Server<SqlService>, database: Option<&Database>) -> Option<Config> {
    let mut config = gather(args);
    for mistake in config.mistakes() {
        error!("{mistake}");
    }
    if config.is_refused() {
        tell_of_errors(&config, "no changes were applied");
        return None;
    }
    config.keep_bad(|name| {
        let engine = database.map(Database::settings).unwrap_or_default();
        let shown = || engine.into_iter().find(|row| row.name == name).map(|row| row.value);
        server.shown(name).or_else(shown)
    });
    Some(config)
}

fn reload(
    args: &ServeArgs,
    database: &Database,
    instance: &Arc<Instance>,
    server: &Server<SqlService>,
    in_force: &InForce,
) {
    let Some(config) = gather_anew(args, server, Some(database)) else { return };
    // What is not given any more is as it is by default.
    instance.set_counted_max(config.server.number(Id::PgStatStatementsMax) as usize);
    let now = database.settings();
    for wanted in config.engine.settings() {
        let is_as_wanted = now.iter().any(|row| row.name == wanted.name && row.value == wanted.value);
        let may_change = wanted.context == Context::Sighup || config.has(&wanted.name);
        if !is_as_wanted
            && may_change
            && let Err(e) = database.set_setting(&wanted.name, &wanted.value)
        {
            warn!(setting = %wanted.name, error = %e, "not changed");
        }
    }
    if let Err(e) = instance.adopt_users(&config.users.verifiers(), None) {
        warn!(error = %e, "the users of the configuration were not taken over");
    }
    take_over(server, &config, in_force);
}

/// Reads the configuration anew where no database is open, and gives it; None: it is no good.
pub(crate) fn reload_server(
    args: &ServeArgs,
    server: &Server<SqlService>,
    in_force: &InForce,
) -> Option<Config> {
    let config = gather_anew(args, server, None)?;
    take_over(server, &config, in_force);
    Some(config)
}

/// Has the server take over what may change while it runs.
fn take_over(server: &Server<SqlService>, config: &Config, in_force: &InForce) {
    for name in server.reload(&config.server, config.users.clone(), config.session_defaults.clone()) {
        warn!(setting = name, "changes at the next restart only");
    }
    in_force.take(config);
    match config.mistakes().is_empty() {
        true => info!("the configuration was reloaded"),
        false => tell_of_errors(config, "unaffected changes were applied"),
    }
}

fn tell_of_errors(config: &Config, what: &str) {
    if let Some(last) = config.mistakes().last() {
        error!("configuration file \"{}\" contains errors; {what}", last.place());
    }
}

/// Turns signals into requests. A second stop does not wait for the first.
fn watch_signals(send: mpsc::Sender<Request>) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(io_error("signals"))?;
    let watch = move || {
        let mut stopping = false;
        for signal in signals.forever() {
            if signal == SIGHUP {
                let _ = send.send(Request::Reload);
            } else if stopping {
                eprintln!("evenkeel: second signal: exiting at once; the next start recovers");
                std::process::exit(1);
            } else {
                stopping = true;
                let _ = send.send(Request::Stop);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(watch).map_err(io_error("signals"))?;
    Ok(())
}

pub(crate) fn start_logging(level: LogLevel) -> Result<(), CliError> {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    log::start(level).map_err(io_error("the log"))
}

/// Tells, on standard output, that it is ready and how to connect. A closed standard output is no reason to stop.
fn print_banner(server: &Server<SqlService>, data: &Path, port: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(banner(server, data, port).as_bytes()).and_then(|()| out.flush());
}

/// How clients name each way in.
pub(crate) fn ways_in(server: &Server<SqlService>, port: &str) -> Vec<String> {
    let mut ways = Vec::new();
    for address in server.addresses() {
        let host = match address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_string(),
            ip => ip.to_string(),
        };
        ways.push(format!("-h {host} -p {}", address.port()));
    }
    for socket in server.unix_sockets() {
        let folder = socket.parent().unwrap_or(Path::new("/"));
        let port = socket.extension().and_then(|e| e.to_str()).unwrap_or(port);
        ways.push(format!("-h {} -p {port}", folder.display()));
    }
    ways
}

pub(crate) fn banner(server: &Server<SqlService>, data: &Path, port: &str) -> String {
    let ways = ways_in(server, port);
    let mut text = format!("evenkeel {} serves {}\n\n", env!("CARGO_PKG_VERSION"), data.display());
    for way in &ways {
        text.push_str(&format!("  psql {way} postgres\n"));
    }
    if let Some(way) = ways.first() {
        text.push_str(&format!("  pgbench {way} -i -s 10 postgres\n"));
        text.push_str(&format!("  pgbench {way} -N -M prepared -c 8 -T 10 postgres\n"));
    }
    if let Some(address) = server.metrics_address() {
        text.push_str(&format!("\nMetrics for Prometheus at /metrics, and a live page: {address}\n"));
    }
    text.push_str("\nStop it with Ctrl-C or SIGTERM.\n");
    text
}
