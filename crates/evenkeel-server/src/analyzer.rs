//! The thread that keeps statistics fresh: what PostgreSQL's autovacuum does for the planner (old versions are the engine's own business).
//!
//! Every `autovacuum_naptime` it looks for tables of which enough rows have changed, and analyzes them, one at a time, in a session of its own.
//!
//! It must not know what analyzing is.

use std::sync::Arc;
use std::thread::JoinHandle;

use evenkeel::Interrupt;
use evenkeel::base::duty;
use evenkeel_sql::{AnalyzeLimits, SessionParams};
use parking_lot::{Condvar, Mutex};
use tracing::{debug, warn};

use crate::server::Shared;
use crate::service::{Service, SqlSession};
use crate::settings::Id;

/// The thread's switch.
pub(crate) struct Analyzer {
    stopping: Mutex<bool>,
    wake: Condvar,
    /// Of the session that analyzes now: each has one of its own, which a DROP DATABASE may have canceled.
    interrupt: Mutex<Arc<Interrupt>>,
}

impl Analyzer {
    /// Starts the thread; `failed` is told if it panics.
    pub fn start<S: Service>(
        shared: Arc<Shared<S>>,
        failed: impl FnOnce(String) + Send + 'static,
    ) -> std::io::Result<(Arc<Analyzer>, JoinHandle<()>)> {
        let (stopping, interrupt) = (Mutex::new(false), Mutex::new(Interrupt::new()));
        let analyzer = Arc::new(Analyzer { stopping, wake: Condvar::new(), interrupt });
        let runs = analyzer.clone();
        let thread = duty::spawn("analyzer", move || runs.run(&shared), || false, failed)?;
        Ok((analyzer, thread))
    }

    /// Ends the thread, and what it does.
    pub fn stop(&self) {
        *self.stopping.lock() = true;
        self.interrupt.lock().cancel();
        self.wake.notify_one();
    }

    fn run<S: Service>(&self, shared: &Shared<S>) {
        let mut stopping = self.stopping.lock();
        while !*stopping {
            let pause = shared.config().settings.time(Id::AutovacuumNaptime);
            self.wake.wait_for(&mut stopping, pause);
            if *stopping {
                break;
            }
            drop(stopping);
            self.look(shared);
            stopping = self.stopping.lock();
        }
    }

    fn look<S: Service>(&self, shared: &Shared<S>) {
        let config = shared.config();
        let settings = &config.settings;
        if settings.number(Id::Autovacuum) == 0 {
            return;
        }
        let limits = AnalyzeLimits {
            rows: settings.number(Id::AutovacuumAnalyzeThreshold),
            share: settings.number(Id::AutovacuumAnalyzeScaleFactor) as f64 / 100.0,
        };
        for database in shared.service.changed_databases(limits) {
            if *self.stopping.lock() {
                return;
            }
            self.analyze(shared, database, limits);
        }
    }

    fn analyze<S: Service>(&self, shared: &Shared<S>, database: String, limits: AnalyzeLimits) {
        let memory = shared.config().settings.number(Id::StatementMemory) as usize;
        let interrupt = Interrupt::new();
        self.interrupt.lock().clone_from(&interrupt);
        if *self.stopping.lock() {
            return;
        }
        let params = SessionParams {
            user: "postgres".into(),
            database,
            application_name: "autovacuum".into(),
            client_addr: None,
            server_addr: None,
            client_port: None,
            system_user: None,
            configured: Default::default(),
            settings: Vec::new(),
            backend_pid: 0,
            interrupt,
            statement_memory_bytes: memory,
            as_owner: true,
            log_origin: Default::default(),
        };
        let analyzed = shared.service.session(params).and_then(|mut session| session.analyze_changed(limits));
        match analyzed {
            Ok(0) => {}
            Ok(tables) => debug!(tables, "analyzed"),
            Err(_) if *self.stopping.lock() => {}
            Err(e) => warn!(error = %e, "could not analyze; the next turn tries again"),
        }
    }
}
