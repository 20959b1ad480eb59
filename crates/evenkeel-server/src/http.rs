//! A small HTTP server, on a thread of its own: what answers load balancers, Prometheus and browsers.
//!
//! Duty: take connections, plain or encrypted, read requests, and write what a handler answers. hyper speaks HTTP.
//!
//! Invariants:
//! 1. What it keeps is bounded: at most [`CONNECTIONS_MAX`] connections (of more the one that is open longest goes), [`HEAD_BYTES_MAX`] bytes of a request's head. A
//!    request's body is never read: whoever sends one is answered, and the connection ends.
//! 2. Who is slow is given up: [`HEAD_MAX`] for a request to come, [`LIFE_MAX`] for a connection, whatever it does.
//! 3. Answers are made one after the other, on this thread alone: however many ask, one is at work. A handler that panics ends its connection only.
//!
//! It must not know what is asked for.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HOST, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

/// Connections at a time (1).
const CONNECTIONS_MAX: usize = 32;
/// A request's head (1).
const HEAD_BYTES_MAX: usize = 16 << 10;
const HEADERS_MAX: usize = 64;
/// For a request to come, idle time of a connection included, and for a handshake (2).
const HEAD_MAX: Duration = Duration::from_secs(10);
/// Of a connection (2).
const LIFE_MAX: Duration = Duration::from_secs(60);
/// Pause after the system refused a connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// What somebody asks for.
#[derive(Debug, Default)]
pub struct Request {
    /// `GET`
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    /// The name by which the server is called, with its port.
    pub host: Option<String>,
    /// Who asks.
    pub authorization: Option<String>,
    /// The formats that are welcome.
    pub accept: Option<String>,
}

/// What is answered.
#[derive(Debug)]
pub struct Answer {
    /// 200
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// HEAD gets its length only.
    pub body: String,
    /// Whoever guesses has to wait so long for the next try.
    pub delay: Duration,
}

impl Answer {
    /// Text of a type.
    pub fn new(status: u16, content_type: &str, body: impl Into<String>) -> Answer {
        let headers = vec![("content-type", content_type.to_owned())];
        Answer { status, headers, body: body.into(), delay: Duration::ZERO }
    }
}

/// How a connection is to be taken.
pub enum Way {
    /// As it is.
    Plain,
    /// By TLS, and not otherwise.
    Encrypted(Arc<ServerConfig>),
    /// Not at all.
    Closed,
}

/// Answers requests. Called on the server's thread alone (3).
pub trait Handler: Send + Sync + 'static {
    /// Must not wait for anything for long: everybody else waits.
    fn answer(&self, request: &Request) -> Answer;
    /// How connections are taken from now on.
    fn way(&self) -> Way {
        Way::Plain
    }
}

/// A server that runs until it is dropped.
pub struct HttpServer {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Serves what comes in here from now on. `name`: the thread's.
    pub fn start(listener: TcpListener, name: &str, handler: Arc<dyn Handler>) -> io::Result<HttpServer> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, handler) => {}
                    _ = stopped => {}
                }
            });
            // Nobody waits for who is still connected.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(serve)?;
        Ok(HttpServer { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: TcpListener, handler: Arc<dyn Handler>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return warn!(error = %e, "HTTP connections cannot be waited for"),
    };
    let (mut tasks, mut open) = (JoinSet::new(), VecDeque::<AbortHandle>::new());
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(e) => {
                debug!(error = %e, "could not accept an HTTP connection");
                tokio::time::sleep(REFUSED_PAUSE).await;
                continue;
            }
        };
        while tasks.try_join_next().is_some() {}
        open.retain(|task| !task.is_finished());
        // (1)
        if open.len() >= CONNECTIONS_MAX
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        open.push_back(tasks.spawn(connection(stream, handler.clone())));
    }
}

async fn connection(stream: tokio::net::TcpStream, handler: Arc<dyn Handler>) {
    let _ = stream.set_nodelay(true);
    let serve = async {
        match handler.way() {
            Way::Plain => requests(stream, &handler).await,
            Way::Encrypted(config) => {
                let shaken = TlsAcceptor::from(config).accept(stream);
                match tokio::time::timeout(HEAD_MAX, shaken).await {
                    Ok(Ok(stream)) => requests(stream, &handler).await,
                    Ok(Err(e)) => debug!(error = %e, "could not accept an encrypted HTTP connection"),
                    Err(_) => {}
                }
            }
            Way::Closed => {}
        }
    };
    // (2)
    let _ = tokio::time::timeout(LIFE_MAX, serve).await;
}

async fn requests(stream: impl AsyncRead + AsyncWrite + Unpin, handler: &Arc<dyn Handler>) {
    let answer = service_fn(|request: hyper::Request<Incoming>| {
        let handler = handler.clone();
        async move {
            let answer = handler.answer(&understood(&request));
            if !answer.delay.is_zero() {
                tokio::time::sleep(answer.delay).await;
            }
            Ok::<_, Infallible>(response(answer))
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    if let Err(e) = served {
        debug!(error = %e, "an HTTP connection ended");
    }
}

fn understood(request: &hyper::Request<Incoming>) -> Request {
    let header = |name: HeaderName| {
        let mut values = request.headers().get_all(name).iter();
        // Two of them are none: who stands between might have looked at the other.
        let value = values.next().filter(|_| values.next().is_none());
        value.and_then(|v| v.to_str().ok()).map(str::to_owned)
    };
    Request {
        method: request.method().as_str().to_owned(),
        path: request.uri().path().to_owned(),
        host: header(HOST),
        authorization: header(AUTHORIZATION),
        accept: header(hyper::header::ACCEPT),
    }
}

fn response(answer: Answer) -> hyper::Response<Full<Bytes>> {
    let mut response = hyper::Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() =
        hyper::StatusCode::from_u16(answer.status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
