//! Running the program, and servers of it.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod following;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

pub fn evenkeel(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(args);
    command
}

pub fn run(args: &[&str]) -> Output {
    evenkeel(args).stdin(Stdio::null()).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server on a free port, killed when dropped.
pub struct Serving {
    pub child: Child,
    pub port: u16,
}

impl Serving {
    pub fn start(data: &Path, more: &[&str]) -> Serving {
        Serving::start_at(data, "0", more)
    }

    pub fn start_at(data: &Path, port: &str, more: &[&str]) -> Serving {
        let (data, port) = (data.to_str().unwrap(), format!("port={port}"));
        let mut args = vec!["serve", "--data", data, "--set", &port, "--set", "unix_socket_directories="];
        args.extend(["--set", "shared_buffers=16MB"]);
        args.extend(more);
        let mut child = evenkeel(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The banner comes when the server accepts.
        let mut seen = String::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            if let Some(rest) = line.trim().strip_prefix("psql -h 127.0.0.1 -p ") {
                let port = rest.split(' ').next().unwrap().parse().unwrap();
                return Serving { child, port };
            }
            seen.push_str(&line);
        }
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        let status = child.wait().unwrap();
        panic!("the server did not start, {status}: {seen} {errors}");
    }

    pub fn client(&self) -> Client {
        let mut c = Client(TcpStream::connect(("127.0.0.1", self.port)).unwrap());
        c.0.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        c.0.write_all(b"\0\0\0\x17\0\x03\0\0user\0postgres\0\0").unwrap();
        c.until_ready();
        c
    }

    /// A client of a database.
    pub fn client_in(&self, database: &str) -> Client {
        let mut c = Client(TcpStream::connect(("127.0.0.1", self.port)).unwrap());
        c.0.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let text = format!("user\0postgres\0database\0{database}\0\0");
        c.0.write_all(&(text.len() as u32 + 8).to_be_bytes()).unwrap();
        c.0.write_all(b"\0\x03\0\0").unwrap();
        c.0.write_all(text.as_bytes()).unwrap();
        let told = c.until_ready();
        assert!(told.is_empty(), "{told:?}");
        c
    }

    /// What a client hears before it would be ready.
    pub fn client_told(&self) -> String {
        let mut c = Client(TcpStream::connect(("127.0.0.1", self.port)).unwrap());
        c.0.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        c.0.write_all(b"\0\0\0\x17\0\x03\0\0user\0postgres\0\0").unwrap();
        c.until_ready().join("\n")
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The exit code, and what was logged.
    pub fn finish(mut self) -> (i32, String) {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), log)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Client(pub TcpStream);

impl Client {
    /// The text of all data rows and errors, up to ReadyForQuery.
    pub fn until_ready(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        loop {
            let mut header = [0; 5];
            if self.0.read_exact(&mut header).is_err() {
                return texts;
            }
            let n = u32::from_be_bytes(header[1..].try_into().unwrap()) as usize - 4;
            let mut body = vec![0; n];
            self.0.read_exact(&mut body).unwrap();
            match header[0] {
                // A row of no columns has no first value.
                b'D' => texts.push(String::from_utf8_lossy(body.get(6..).unwrap_or_default()).into_owned()),
                b'E' => texts.push(String::from_utf8_lossy(&body).into_owned()),
                b'Z' => return texts,
                _ => {}
            }
        }
    }

    pub fn query(&mut self, sql: &str) -> Vec<String> {
        self.0.write_all(b"Q").unwrap();
        self.0.write_all(&(sql.len() as u32 + 5).to_be_bytes()).unwrap();
        self.0.write_all(sql.as_bytes()).unwrap();
        self.0.write_all(b"\0").unwrap();
        self.until_ready()
    }
}
