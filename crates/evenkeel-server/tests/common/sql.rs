//! A server on the real SQL layer and engine.

use std::net::TcpStream;
use std::sync::Arc;

use super::{Client, settings};
use evenkeel::{Database, Options};
use evenkeel_server::{Server, SqlService, Users};
use evenkeel_sql::Instance;

/// A server on a new database in a temporary folder.
pub struct Sql {
    pub server: Option<Server<SqlService>>,
    pub database: Database,
    _folder: tempfile::TempDir,
}

impl Sql {
    pub fn new() -> Sql {
        Sql::with_settings(&[])
    }

    pub fn with_settings(set: &[(&str, &str)]) -> Sql {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options::default().with("shared_buffers", "16MB").unwrap().with("fsync", "off").unwrap();
        let database = Database::open(folder.path(), options).unwrap();
        let instance = Instance::open(database.clone()).unwrap();
        let service = Arc::new(SqlService::new(instance));
        let server = Server::start(service, settings(set), Users::new(), Vec::new()).unwrap();
        Sql { server: Some(server), database, _folder: folder }
    }

    pub fn session(&self) -> Client {
        self.session_with(&[("user", "postgres"), ("database", "postgres")])
    }

    pub fn session_with(&self, params: &[(&str, &str)]) -> Client {
        let address = self.server.as_ref().unwrap().addresses()[0];
        let mut c = Client::new(TcpStream::connect(address).unwrap());
        c.start(params);
        c
    }
}

impl Drop for Sql {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = self.database.close();
    }
}
