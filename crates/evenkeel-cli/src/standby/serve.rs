//! `evenkeel serve` in a standby's folder: follow, be read, and take over when asked to.
//!
//! It must not know how a log is followed.

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use evenkeel::{Database, Standby, Synchronous};
use evenkeel_client::ConnString;
use evenkeel_server::settings::Id;
use evenkeel_server::{Following, Listeners, Promote, Receiver, ReceiverShown, Server, SqlService};
use evenkeel_sql::{Instance, SqlError, SqlState, StandbyHooks};
use tracing::{debug, error, info, warn};

use crate::config::Config;
use crate::control::{self, Order, Word};
use crate::folder::explain;
use crate::in_force::InForce;
use crate::notify::notify;
use crate::serve::{Ended, Request, attend, banner, end_soon, keep, reload_server, ways_in};
use crate::{CliError, ServeArgs, alter_system};

/// Time between attempts to follow a leader.
const MEMBER_RETRY: Duration = Duration::from_millis(50);
/// How often it is looked whether the standby can be read, before it can.
const LOOK: Duration = Duration::from_millis(20);

/// Follows until a signal ends it, or until it has taken over, and serves from then on.
pub(crate) fn run(
    args: &ServeArgs,
    config: Config,
    mut listeners: Listeners,
    send: &mpsc::Sender<Request>,
    requests: &mpsc::Receiver<Request>,
) -> Result<Ended, CliError> {
    let is_member = control::is_member();
    let mut following = if is_member { None } else { Some(following(&config)?) };
    info!(data = %args.data.display(), "opening the standby");
    let options = config.engine.clone().with_definitions(Instance::definitions());
    let standby = Standby::open(&args.data, options).map_err(|e| explain(e, &args.data))?;
    let failed = send.clone();
    standby.on_poison(move |why| end_soon(&failed, why));
    if let Some(epoch) = args.promised {
        standby.promise(epoch)?;
    }
    let standby = Arc::new(standby);
    let asked: Asked = Arc::new(Mutex::new(Arc::downgrade(&standby)));

    let asks = send.clone();
    let promote: Promote = Arc::new(move || {
        if is_member {
            let why = "the server is a member of a cluster, which decides itself who takes over";
            return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why));
        }
        let (reply, replied) = mpsc::sync_channel(1);
        let gone = |_| SqlError::new(SqlState::ADMIN_SHUTDOWN, "the server is shutting down");
        asks.send(Request::Promote(reply)).map_err(|_| gone(()))?;
        replied.recv().unwrap_or_else(|_| Err(gone(())))
    });
    let shown = ReceiverShown::default();
    let receiver_shown = shown.clone();
    let service = Arc::new(SqlService::of_standby(
        promote.clone(),
        Box::new(asking(&asked)),
        Box::new(move || receiver_shown.get()),
    ));
    if let Err(e) = listeners.bind_in_folder(&args.data) {
        warn!(error = %e, "evenkeel promote will not find this server");
    }
    let port = config.server.show(Id::Port);
    let in_force = InForce::new(&config);
    let defaults = config.session_defaults.clone();
    let server =
        Server::start_on(listeners, service.clone(), config.server.clone(), config.users.clone(), defaults)?;
    let mut receiver = following.as_ref().map(|how| follow(&standby, how, &shown)).transpose()?;
    let data = args.data.display();
    let mut text = format!(
        "evenkeel {} follows {} in {data}\n\n{}\n\n",
        env!("CARGO_PKG_VERSION"),
        following.as_ref().map_or("whoever leads".into(), |f| f.primary.to_string()),
        match is_member {
            true => "The cluster decides whether it takes over. It can be read meanwhile:".into(),
            false => format!(
                "  evenkeel promote --data {data}\n\nmakes a primary of it. It can be read meanwhile:"
            ),
        },
    );
    for way in ways_in(&server, &port) {
        text.push_str(&format!("  psql {way} postgres\n"));
    }
    text.push_str("\nStop it with Ctrl-C or SIGTERM.\n");
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    notify("READY=1\nSTATUS=follows");

    let mut reading = None;
    loop {
        if reading.is_none()
            && let Some(database) = standby.database()
        {
            match let_readers_in(&args.data, database, &asked, &service, &promote, &shown) {
                Ok(instance) => {
                    instance.set_config(alter_system::hooks(args, &in_force, send));
                    reading = Some(instance);
                }
                // Whatever was purged meanwhile, say: the next look gets further.
                Err(e) => debug!(error = %e, "nobody is let in yet"),
            }
        }
        let request = match reading {
            Some(_) => requests.recv().map_err(RecvTimeoutError::from),
            None => requests.recv_timeout(LOOK),
        };
        let request = match request {
            Ok(request) => request,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match request {
            Request::Stop => break,
            Request::Reload => {
                match reload_server(args, &server, &in_force).map(|config| self::following(&config)) {
                    Some(_) if is_member => {}
                    // As before: its stream goes on.
                    Some(Ok(how)) if following.as_ref() == Some(&how) => {}
                    Some(Ok(how)) => {
                        drop(receiver);
                        receiver = Some(follow(&standby, &how, &shown)?);
                        following = Some(how);
                    }
                    Some(Err(e)) => error!(error = %e, "it goes on following the same server"),
                    None => {}
                }
            }
            Request::Promote(reply) if !standby.is_whole() => {
                let why =
                    "the standby cannot take over: the log that makes its copy whole was not received yet";
                let _ = reply.send(Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why)));
            }
            Request::Order(Order::Promise(epoch)) => control::promise(&standby, epoch),
            Request::Order(Order::Report) => control::report(&standby, &shown),
            Request::Order(Order::Unfollow) => receiver = None,
            Request::Order(Order::Follow { conninfo, slot, silence_max_ms }) => {
                drop(receiver);
                let silence_max = Duration::from_millis(silence_max_ms);
                let how = member_following(&config, &conninfo, slot, silence_max)?;
                receiver = Some(follow(&standby, &how, &shown)?);
            }
            Request::Order(Order::Lease(_) | Order::Ask(_)) => {} // of its time as primary, which is yet to come
            Request::Order(Order::TakeOver { epoch, synchronous }) => {
                notify("STATUS=takes over");
                drop(receiver);
                // In force whatever becomes of the configuration files; they are read for what is shown.
                let whom = Synchronous::parse(&synchronous).map_err(CliError::Folder)?;
                control::set_synchronous(&synchronous);
                let _ = reload_server(args, &server, &in_force);
                let (reply, _) = mpsc::sync_channel(1);
                let done = alone(standby, &asked).promote_in(epoch, whom);
                control::say(&Word::TookOver { epoch, error: done.as_ref().err().map(ToString::to_string) });
                let database = done?;
                return serve_from_now_on(
                    args, &config, &database, reading, &service, &server, &in_force, send, requests, &reply,
                    &port,
                );
            }
            Request::Promote(reply) => {
                notify("STATUS=takes over");
                drop(receiver);
                let database = alone(standby, &asked).promote()?;
                return serve_from_now_on(
                    args, &config, &database, reading, &service, &server, &in_force, send, requests, &reply,
                    &port,
                );
            }
            Request::Failed(why) => {
                notify(&format!("STOPPING=1\nSTATUS={why}"));
                error!("the server ends: {why}");
                control::ends(&why);
                server.give_up(crate::serve::LAST_WORDS);
                return Ok(Ended::EngineStopped);
            }
        }
    }
    info!("shutting down");
    notify("STOPPING=1\nSTATUS=shutting down");
    server.shutdown();
    drop(receiver);
    alone(standby, &asked).close()?;
    info!("closed");
    Ok(Ended::AsAsked)
}

/// The standby, for sessions that ask it something, until it ends.
type Asked = Arc<Mutex<Weak<Standby>>>;

/// Gives it to whoever asks.
fn asking(asked: &Asked) -> impl Fn() -> Option<Arc<Standby>> + Send + Sync + use<> {
    let asked = asked.clone();
    move || asked.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
}

/// Once nobody asks it anything: from now on nobody can, and what was asked is answered in moments.
fn alone(mut standby: Arc<Standby>, asked: &Asked) -> Standby {
    *asked.lock().unwrap_or_else(PoisonError::into_inner) = Weak::new();
    standby.send_away();
    loop {
        match Arc::try_unwrap(standby) {
            Ok(alone) => return alone,
            Err(shared) => standby = shared,
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The standby can be read.
fn let_readers_in(
    folder: &Path,
    database: Database,
    asked: &Asked,
    service: &SqlService,
    promote: &Promote,
    shown: &ReceiverShown,
) -> Result<Arc<Instance>, SqlError> {
    let instance = Instance::open(database)?;
    instance.set_temp_folder(folder.to_path_buf());
    instance.set_standby(StandbyHooks {
        standby: Box::new(asking(asked)),
        receiver: {
            let shown = shown.clone();
            Box::new(move || shown.get())
        },
        promote: {
            let promote = promote.clone();
            Box::new(move || promote())
        },
    });
    service.open(instance.clone());
    Ok(instance)
}

fn following(config: &Config) -> Result<Following, CliError> {
    let text = config.server.show(Id::PrimaryConninfo);
    if text.is_empty() {
        return Err(CliError::Folder(
            "the folder is a standby's, and primary_conninfo does not say whom it follows: set it in its evenkeel.toml, or make a primary of it with evenkeel promote".into(),
        ));
    }
    let primary: ConnString = text.parse().map_err(|e| CliError::Folder(format!("primary_conninfo: {e}")))?;
    let slot = Some(config.server.show(Id::PrimarySlotName)).filter(|name| !name.is_empty());
    // What synchronous_standby_names calls it.
    let name = primary.application_name.clone().or_else(|| slot.clone());
    Ok(Following {
        primary,
        name: name.unwrap_or_else(|| "walreceiver".into()),
        slot,
        timeout: config.server.time(Id::WalReceiverTimeout),
        status_interval: config.server.time(Id::WalReceiverStatusInterval),
        retry: config.server.time(Id::WalRetrieveRetryInterval),
    })
}

/// As the cluster's agent says.
fn member_following(
    config: &Config,
    conninfo: &str,
    slot: String,
    silence_max: Duration,
) -> Result<Following, CliError> {
    let timeout = config.server.time(Id::WalReceiverTimeout);
    Ok(Following {
        primary: conninfo.parse().map_err(CliError::Folder)?,
        name: slot.clone(),
        slot: Some(slot),
        timeout: if timeout.is_zero() { silence_max } else { timeout.min(silence_max) },
        status_interval: config.server.time(Id::WalReceiverStatusInterval),
        retry: MEMBER_RETRY,
    })
}

fn follow(standby: &Arc<Standby>, how: &Following, shown: &ReceiverShown) -> Result<Receiver, CliError> {
    Receiver::start(standby.clone(), how.clone(), shown.clone()).map_err(crate::io_error("starting a thread"))
}

/// It is a primary: lets clients in.
#[allow(clippy::too_many_arguments)]
fn serve_from_now_on(
    args: &ServeArgs,
    config: &Config,
    database: &Database,
    reading: Option<Arc<Instance>>,
    service: &SqlService,
    server: &Server<SqlService>,
    in_force: &Arc<InForce>,
    send: &mpsc::Sender<Request>,
    requests: &mpsc::Receiver<Request>,
    reply: &mpsc::SyncSender<Result<(), SqlError>>,
    port: &str,
) -> Result<Ended, CliError> {
    control::lease(database);
    let failed = send.clone();
    database.on_poison(move |why| end_soon(&failed, why));
    // As the standby was told since its start, before anybody is let in.
    let whom = match control::synchronous() {
        Some(names) => Synchronous::parse(&names).map_err(CliError::Folder)?,
        None => server.synchronous(),
    };
    database.begin_synchronous(whom);
    let instance = match reading {
        Some(instance) => {
            instance.promote(database.clone())?;
            instance
        }
        None => {
            let instance = Instance::open(database.clone())?;
            instance.set_temp_folder(args.data.clone());
            instance.set_config(alter_system::hooks(args, in_force, send));
            service.open(instance.clone());
            instance
        }
    };
    if let Err(e) = instance.adopt_users(&config.users.verifiers(), None) {
        warn!(error = %e, "the users of the configuration were not taken over");
    }
    let _ = reply.send(Ok(()));
    let mut out = stdout().lock();
    let _ = out.write_all(banner(server, &args.data, port).as_bytes()).and_then(|()| out.flush());
    drop(out);
    notify(&format!("STATUS=serves {}", args.data.display()));
    let ended = attend(args, database, &instance, server, in_force, requests)?;
    if matches!(ended, Ended::AsAsked) {
        info!("closing the database");
        let counts = instance.counts_to_keep(config.server.number(Id::PgStatStatementsSave) != 0);
        database.close()?;
        keep(Some(counts), &args.data);
        info!("closed");
    }
    Ok(ended)
}
