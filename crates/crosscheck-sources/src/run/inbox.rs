//! Where the Chair's lines come from: a stream, a file or FIFO that is
//! followed, or a small HTTP door on loopback.
//!
//! Contract: sources 3.2.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

const POLL: Duration = Duration::from_millis(30);
const LINE_MAX: u64 = 1024 * 1024;
const HEAD_MAX: u64 = 16 * 1024;
const DOOR_TIME: Duration = Duration::from_secs(10);
const GUESTS_MAX: usize = 32;

/// Reads lines from a stream until it ends or no one listens.
pub fn stream(reader: impl io::Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || send_lines(BufReader::new(reader), &lines));
}

fn send_lines(mut reader: impl BufRead, lines: &Sender<String>) -> bool {
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return true,
            Ok(_) => {
                if lines
                    .send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    return false;
                }
            }
        }
    }
}

/// Follows a file or FIFO. A file is read from its end on, unless `from_start`.
pub fn follow(path: &Path, from_start: bool, lines: Sender<String>) {
    let path = path.to_owned();
    let about = path.metadata().ok();
    if about
        .as_ref()
        .is_some_and(|about| about.file_type().is_fifo())
    {
        thread::spawn(move || follow_fifo(&path, &lines));
        return;
    }
    // The end is fixed here, before we report that we are ready.
    let start = about.map_or(0, |about| if from_start { 0 } else { about.len() });
    thread::spawn(move || follow_file(&path, start, &lines));
}

/// Every writer that opens and closes a FIFO ends one reading of it.
fn follow_fifo(path: &Path, lines: &Sender<String>) {
    while let Ok(fifo) = File::open(path) {
        if !send_lines(BufReader::new(fifo), lines) {
            return;
        }
    }
}

fn follow_file(path: &Path, mut offset: u64, lines: &Sender<String>) {
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let _ = read_more(path, &mut offset, &mut rest);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            if lines
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                return;
            }
        }
        thread::sleep(POLL);
    }
}

fn read_more(path: &Path, offset: &mut u64, rest: &mut Vec<u8>) -> io::Result<()> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() < *offset {
        *offset = 0;
        rest.clear();
    }
    file.seek(SeekFrom::Start(*offset))?;
    let room = LINE_MAX.saturating_sub(rest.len() as u64);
    if room == 0 {
        rest.clear(); // a line without end is not a message
    }
    *offset += file.take(room.max(1)).read_to_end(rest)? as u64;
    Ok(())
}

/// Opens the HTTP door: `POST /messages`, answered with 202. Without a token
/// only programs of this machine may use it, and no page in a browser.
pub fn listen(
    address: SocketAddr,
    token: Option<String>,
    lines: Sender<String>,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    // Each caller has a thread: one that says nothing keeps no other waiting.
    let guests = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if guests.fetch_add(1, Ordering::SeqCst) >= GUESTS_MAX {
                guests.fetch_sub(1, Ordering::SeqCst);
                answer(&stream, "503 Service Unavailable");
                continue;
            }
            let (token, lines, guests) = (token.clone(), lines.clone(), Arc::clone(&guests));
            thread::spawn(move || {
                // The answer goes first: a message may end the program.
                match serve(&stream, token.as_deref()) {
                    Ok(Ok(messages)) => {
                        answer(&stream, "202 Accepted");
                        for line in messages.lines().filter(|line| !line.trim().is_empty()) {
                            let _ = lines.send(line.to_owned()); // the receiver is gone
                        }
                    }
                    Ok(Err(refusal)) => answer(&stream, refusal),
                    Err(_) => answer(&stream, "400 Bad Request"),
                }
                guests.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    Ok(address)
}

fn answer(mut stream: &TcpStream, status: &str) {
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
}

/// The messages of a caller, or the status with which they are refused.
fn serve(stream: &TcpStream, token: Option<&str>) -> io::Result<Result<String, &'static str>> {
    stream.set_read_timeout(Some(DOOR_TIME))?;
    stream.set_write_timeout(Some(DOOR_TIME))?;
    let mut reader = BufReader::new(stream).take(HEAD_MAX);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let (mut length, mut given) = (None, None);
    let (mut hosts, mut origins) = (Vec::new(), Vec::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            match name.trim().to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse::<u64>().ok(),
                "authorization" => given = value.trim().strip_prefix("Bearer ").map(str::to_owned),
                "host" => hosts.push(value.trim().to_owned()),
                "origin" => origins.push(value.trim().to_owned()),
                _ => {}
            }
        }
    }
    if token.is_some_and(|token| !same(token, given.as_deref().unwrap_or_default())) {
        return Ok(Err("401 Unauthorized"));
    }
    if token.is_none() && !is_ours(&hosts, &origins) {
        return Ok(Err("403 Forbidden"));
    }
    let mut words = first.split_whitespace();
    let length = match (words.next(), words.next(), length) {
        (Some("POST"), Some("/messages"), Some(length)) if length <= LINE_MAX => length,
        (Some("POST"), Some("/messages"), Some(_)) => return Ok(Err("413 Content Too Large")),
        (Some("POST"), Some("/messages"), None) => return Ok(Err("411 Length Required")),
        (_, Some("/messages"), _) => return Ok(Err("405 Method Not Allowed")),
        _ => return Ok(Err("404 Not Found")),
    };
    let mut body = Vec::new();
    reader.set_limit(length);
    reader.read_to_end(&mut body)?;
    Ok(Ok(String::from_utf8_lossy(&body).into_owned()))
}

/// Whether a request names this machine and comes from no page of another
/// site. A browser sends the name it was led to as `Host`, also after that
/// name was pointed at loopback, and the site of the page as `Origin`.
fn is_ours(hosts: &[String], origins: &[String]) -> bool {
    hosts.iter().all(|host| is_loopback(host))
        && origins.iter().all(|origin| {
            let site = origin.strip_prefix("http://");
            site.is_some_and(|site| hosts.iter().any(|host| host.eq_ignore_ascii_case(site)))
        })
}

/// Whether `name`, `name:port` or `[address]:port` is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Compares without telling by its time how much was right.
fn same(a: &str, b: &str) -> bool {
    let differs = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |differs, (a, b)| differs | (a ^ b));
    a.len() == b.len() && differs == 0
}
