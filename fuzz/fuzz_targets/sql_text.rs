//! Any text as SQL in a session on a small database: results or errors.
#![no_main]

use evenkeel_types::Datum;
use evenkeel_sql::{Instance, RowSink, SessionParams, SqlError};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, OnceLock};

struct Sink;

impl RowSink for Sink {
    fn row(&mut self, _: &[Datum]) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_data(&mut self, _: &[u8]) -> Result<(), SqlError> {
        Ok(())
    }
    fn copy_out_begin(&mut self, _: usize) -> Result<(), SqlError> {
        Ok(())
    }
}

fn instance() -> &'static Arc<Instance> {
    static INSTANCE: OnceLock<Arc<Instance>> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let disk = evenkeel::io::SimDisk::new(evenkeel::io::SimOptions::default());
        let options = evenkeel::Options::default().without_threads().with("shared_buffers", "4MB").unwrap();
        Instance::open(evenkeel::Database::open_on(Arc::new(disk), options).unwrap()).unwrap()
    })
}

fuzz_target!(|data: &[u8]| {
    let Ok(sql) = std::str::from_utf8(data) else { return };
    // Sleeping is not a finding.
    if sql.contains("sleep") || sql.contains("generate_series") {
        return;
    }
    let interrupt = evenkeel::Interrupt::new();
    let params = SessionParams {
        user: "postgres".into(),
        database: "postgres".into(),
        application_name: String::new(),
        client_addr: None,
        settings: Vec::new(),
        backend_pid: 1,
        interrupt,
        statement_memory_bytes: 1 << 20,
    };
    let Ok(mut session) = instance().session(params) else { return };
    let Ok(script) = session.parse_script(&format!("begin; {sql}")) else { return };
    for statement in &script {
        let run = session.bind(statement, Vec::new()).and_then(|mut p| session.run(&mut p, 100, &mut Sink));
        if run.is_err() {
            session.fail();
            break;
        }
    }
    let _ = session.sync();
});
