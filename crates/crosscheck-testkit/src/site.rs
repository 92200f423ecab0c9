//! A web server on loopback with the answers of a test, which counts requests.

use std::io::{BufReader, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Method, for example `GET`.
    pub method: String,
    /// Path with query.
    pub target: String,
    /// Header names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body, by its `Content-Length`.
    pub body: Vec<u8>,
    /// Whether this is the first request for this target, the second, and so
    /// on.
    pub turn: usize,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// What the server answers.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    delay: Duration,
    raw: Option<Vec<u8>>,
    endless: bool,
}

impl Reply {
    /// An HTML page with status 200.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200)
            .header("content-type", "text/html; charset=utf-8")
            .body(body)
    }

    /// An empty answer with this status.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            delay: Duration::ZERO,
            raw: None,
            endless: false,
        }
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Self {
        Self::new(302).header("location", to)
    }

    /// Sends these bytes instead of an answer, then closes the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            raw: Some(bytes.into()),
            ..Self::new(200)
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Waits before answering.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Repeats the body until the client disconnects; an empty one as a slow
    /// stream of spaces.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.endless = true;
        self
    }
}

type Handler = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A running server; it stops when dropped.
pub struct Site {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Site({})", self.address)
    }
}

impl Site {
    /// Serves on 127.0.0.1 and a free port.
    pub fn start(handler: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_on(IpAddr::from([127, 0, 0, 1]), 0, handler)
    }

    /// Serves on this address; port 0 takes a free one.
    pub fn start_on(
        address: IpAddr,
        port: u16,
        handler: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, port)).expect("a loopback port is free");
        let site = Self {
            address: listener.local_addr().expect("a bound port has an address"),
            connections: Arc::new(AtomicUsize::new(0)),
            asked: Arc::new(Mutex::new(Vec::new())),
            over: Arc::new(AtomicBool::new(false)),
        };
        let (connections, asked, over) = (
            Arc::clone(&site.connections),
            Arc::clone(&site.asked),
            Arc::clone(&site.over),
        );
        let handler: Arc<Handler> = Arc::new(handler);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                connections.fetch_add(1, Ordering::SeqCst);
                let (handler, asked) = (Arc::clone(&handler), Arc::clone(&asked));
                thread::spawn(move || {
                    if let Ok(stream) = stream {
                        let _ = serve(&stream, &*handler, &asked); // the client may go away
                    }
                });
            }
        });
        site
    }

    /// `http://127.0.0.1:<port>`.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Every request so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The number of requests for this path (with query).
    pub fn count(&self, target: &str) -> usize {
        self.asked()
            .iter()
            .filter(|asked| asked.target == target)
            .count()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address); // wakes the listener
    }
}

fn serve(stream: &TcpStream, handler: &Handler, log: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(mut asked) = read_request(&mut reader)? {
        {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            asked.turn = log
                .iter()
                .filter(|earlier| earlier.target == asked.target)
                .count();
            log.push(asked.clone());
        }
        let reply = handler(&asked);
        thread::sleep(reply.delay);
        let mut stream = stream;
        if let Some(raw) = reply.raw {
            return stream.write_all(&raw);
        }
        let mut head = format!("HTTP/1.1 {} X\r\n", reply.status);
        for (name, value) in &reply.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        if reply.endless {
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            loop {
                if reply.body.is_empty() {
                    thread::sleep(Duration::from_millis(20)); // the byte shows whether the client has disconnected
                    stream.write_all(b" ")?;
                }
                stream.write_all(&reply.body)?;
            }
        }
        stream
            .write_all(format!("{head}content-length: {}\r\n\r\n", reply.body.len()).as_bytes())?;
        stream.write_all(&reply.body)?;
    }
    Ok(())
}

fn read_request(reader: &mut impl std::io::BufRead) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked {
        method,
        target,
        headers,
        body,
        turn: 0,
    }))
}
