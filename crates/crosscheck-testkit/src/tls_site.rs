//! A TLS site on loopback: HTTP/1.1, or HTTP/2 if the client chooses it. One
//! page for every path.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

type Stream = StreamOwned<ServerConnection, TcpStream>;

/// A TLS site; it runs as long as the test process.
pub struct TlsSite {
    port: u16,
    spoken: Arc<Mutex<Vec<&'static str>>>,
}

impl TlsSite {
    /// Serves `page` with this certificate and key; offers HTTP/2 on request.
    pub fn start(certificate: &str, key: &str, http2: bool, page: &str) -> Self {
        let chain =
            vec![CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("a certificate with its key");
        if http2 {
            config.alpn_protocols.push(b"h2".to_vec());
        }
        config.alpn_protocols.push(b"http/1.1".to_vec());
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let spoken = Arc::new(Mutex::new(Vec::new()));
        let (names, page) = (Arc::clone(&spoken), page.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, names, page) = (Arc::clone(&config), Arc::clone(&names), page.clone());
                thread::spawn(move || serve(config, stream, &names, &page));
            }
        });
        Self { port, spoken }
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The protocol of each request, in order: `h2` or `http/1.1`.
    pub fn spoken(&self) -> Vec<&'static str> {
        self.spoken
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }
}

fn serve(
    config: Arc<ServerConfig>,
    stream: TcpStream,
    names: &Mutex<Vec<&'static str>>,
    page: &str,
) -> Option<()> {
    let mut connection = ServerConnection::new(config).ok()?;
    let mut socket = stream;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket).ok()?;
    }
    let http2 = connection.alpn_protocol() == Some(b"h2");
    let mut stream = StreamOwned::new(connection, socket);
    let tell = |name| names.lock().map(|mut names| names.push(name)).ok();
    if http2 {
        two(&mut stream, page, tell).ok()
    } else {
        one(&mut stream, page, tell).ok()
    }
}

fn one(
    stream: &mut Stream,
    page: &str,
    tell: impl Fn(&'static str) -> Option<()>,
) -> io::Result<()> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.extend_from_slice(&byte);
        }
        let _ = tell("http/1.1");
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}",
            page.len()
        )?;
        stream.flush()?;
    }
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

fn two(
    stream: &mut Stream,
    page: &str,
    tell: impl Fn(&'static str) -> Option<()>,
) -> io::Result<()> {
    stream.read_exact(&mut [0; 24])?; // the preface
    frame(stream, SETTINGS, 0, 0, &[])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let [len0, len1, len2, kind, flags, id @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, len0, len1, len2]) as usize];
        stream.read_exact(&mut payload)?;
        let id = u32::from_be_bytes(id);
        match kind {
            SETTINGS if flags & 1 == 0 => frame(stream, SETTINGS, 1, 0, &[])?,
            PING if flags & 1 == 0 => frame(stream, PING, 1, 0, &payload)?,
            HEADERS => {
                let _ = tell("h2");
                // `:status: 200` by its index, `content-type` by the index of its name.
                let mut fields = vec![0x88, 0x0f, 0x10, 9];
                fields.extend_from_slice(b"text/html");
                frame(stream, HEADERS, 4, id, &fields)?;
                frame(stream, DATA, 1, id, page.as_bytes())?;
            }
            GOAWAY => return Ok(()),
            _ => {}
        }
    }
}

fn frame(stream: &mut Stream, kind: u8, flags: u8, id: u32, payload: &[u8]) -> io::Result<()> {
    let len = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    stream.write_all(len.get(1..).unwrap_or_default())?;
    stream.write_all(&[kind, flags])?;
    stream.write_all(&id.to_be_bytes())?;
    stream.write_all(payload)?;
    stream.flush()
}
