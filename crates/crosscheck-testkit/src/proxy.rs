//! A proxy on loopback that damages what a server answers.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use url::Url;

/// What happens to the answers of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Nothing.
    None,
    /// The connection ends after this many bytes.
    CutAfter(usize),
    /// The byte at this place is changed by these bits. A connection that is
    /// silent afterwards is ended, so that no one waits for what was damaged.
    Flip(usize, u8),
}

#[derive(Debug)]
struct State {
    damage: Damage,
    /// Bytes that the server answered since the damage was chosen.
    passed: usize,
}

/// A proxy in front of a server.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    /// A proxy in front of the server of this URL.
    pub fn before(url: &str) -> Self {
        let mut url = Url::parse(url).expect("the URL is one");
        let host = url.host_str().expect("the URL names a host").to_owned();
        let server = (host, url.port().expect("the URL names a port"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback can be listened on");
        let port = listener.local_addr().expect("it has an address").port();
        url.set_port(Some(port)).expect("the URL can name a port");
        let state = Arc::new(Mutex::new(State {
            damage: Damage::None,
            passed: 0,
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect((server.0.as_str(), server.1)) {
                    connect(client, server, &shared);
                }
            }
        });
        Self {
            url: url.into(),
            state,
        }
    }

    /// The URL of the server through the proxy.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Chooses the damage for the connections to come, and counts anew.
    pub fn damage(&self, damage: Damage) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State { damage, passed: 0 };
    }

    /// How many bytes the server answered since the damage was chosen.
    pub fn passed(&self) -> usize {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.passed
    }
}

fn connect(client: TcpStream, server: TcpStream, state: &Arc<Mutex<State>>) {
    let (Ok(from_client), Ok(to_server)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    thread::spawn(move || forward(from_client, to_server));
    let state = Arc::clone(state);
    thread::spawn(move || answer(server, client, &state));
}

/// What the client asks reaches the server as it is.
fn forward(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}

fn answer(mut server: TcpStream, mut client: TcpStream, state: &Mutex<State>) {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let count = match server.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = piece.get_mut(..count).unwrap_or_default();
        let (kept, is_damaged) = damaged(bytes, state);
        let kept = bytes.get(..kept).unwrap_or_default();
        if client.write_all(kept).is_err() || kept.len() < count {
            break;
        }
        if is_damaged {
            let _ = server.set_read_timeout(Some(Duration::from_millis(400)));
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

/// How many of the bytes are passed on, and whether any was changed so far.
fn damaged(bytes: &mut [u8], state: &Mutex<State>) -> (usize, bool) {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let before = state.passed;
    state.passed += bytes.len();
    match state.damage {
        Damage::None => (bytes.len(), false),
        Damage::CutAfter(most) => (bytes.len().min(most.saturating_sub(before)), false),
        Damage::Flip(at, bits) => {
            let byte = at.checked_sub(before).and_then(|at| bytes.get_mut(at));
            if let Some(byte) = byte {
                *byte ^= bits;
            }
            (bytes.len(), state.passed > at)
        }
    }
}
