//! Connects to checked addresses only (sources 9).

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;
use url::Url;

use super::guard::{Guard, Refusal};
use super::resolve::{DnsFailure, Resolver};
use super::settings::Proxies;

/// With several addresses, each gets this long before the next is tried.
const ONE_OF_SEVERAL: Duration = Duration::from_secs(3);
const PROXY_ANSWER_MAX: usize = 8 * 1024;

/// Resolves, checks every address, and connects to one of exactly those.
#[derive(Clone)]
pub(super) struct GuardedConnector {
    pub(super) guard: Guard,
    pub(super) resolver: Resolver,
    pub(super) connect: Duration,
    pub(super) proxies: Option<Proxies>,
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum ConnectError {
    Refused(Refusal),
    Dns(DnsFailure),
    Timeout,
    Io(io::Error),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for ConnectError {}

impl From<Refusal> for ConnectError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl GuardedConnector {
    async fn open(self, uri: Uri) -> Result<Link, ConnectError> {
        let host = uri
            .host()
            .unwrap_or_default()
            .trim_matches(['[', ']'])
            .to_owned();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let addresses = self.vetted(&host, port).await?;
        if let Some(proxy) = self
            .proxies
            .as_ref()
            .and_then(|proxies| proxies.for_host(&host, secure))
        {
            let stream = timeout(
                self.connect,
                through_proxy(proxy, secure.then_some((host.as_str(), port))),
            )
            .await
            .unwrap_or(Err(ConnectError::Timeout))?;
            return Ok(Link {
                stream: TokioIo::new(stream),
                proxied: !secure,
            });
        }
        let stream = timeout(self.connect, first_to_answer(&addresses))
            .await
            .unwrap_or(Err(ConnectError::Timeout))?;
        Ok(Link {
            stream: TokioIo::new(stream),
            proxied: false,
        })
    }

    /// All addresses of the host, if every one of them may be contacted.
    async fn vetted(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectError> {
        let addresses = if let Ok(literal) = host.parse::<IpAddr>() {
            vec![literal]
        } else {
            self.guard.check_name(host)?;
            self.resolver
                .look_up(host, port)
                .await
                .map_err(ConnectError::Dns)?
        };
        for address in &addresses {
            self.guard.check_address(*address)?;
        }
        Ok(addresses
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    }
}

async fn first_to_answer(addresses: &[SocketAddr]) -> Result<TcpStream, ConnectError> {
    let mut last = ConnectError::Dns(DnsFailure::NoAddress);
    let several = addresses.len() > 1;
    for address in addresses {
        let limit = if several {
            ONE_OF_SEVERAL
        } else {
            Duration::MAX
        };
        match timeout(limit, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = ConnectError::Io(error),
            Err(_) => last = ConnectError::Timeout,
        }
    }
    Err(last)
}

/// Connects to the user's own proxy; for TLS it opens a tunnel.
async fn through_proxy(
    proxy: &Url,
    tunnel: Option<(&str, u16)>,
) -> Result<TcpStream, ConnectError> {
    let host = proxy
        .host_str()
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .to_owned();
    let port = proxy.port_or_known_default().unwrap_or(80);
    let mut stream = TcpStream::connect((host, port))
        .await
        .map_err(ConnectError::Io)?;
    if let Some((host, port)) = tunnel {
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
        stream
            .write_all(request.as_bytes())
            .await
            .map_err(ConnectError::Io)?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() > PROXY_ANSWER_MAX {
                return Err(ConnectError::Io(io::Error::other(
                    "the proxy's answer is too long",
                )));
            }
            answer.push(stream.read_u8().await.map_err(ConnectError::Io)?);
        }
        if answer.get(8..12) != Some(b" 200") {
            return Err(ConnectError::Io(io::Error::other(
                "the proxy refused the tunnel",
            )));
        }
    }
    Ok(stream)
}

impl Proxies {
    /// The proxy for this host, unless it is reached directly.
    fn for_host(&self, host: &str, secure: bool) -> Option<&Url> {
        let direct = self
            .bypass
            .iter()
            .map(|entry| entry.trim_start_matches('.'))
            .any(|entry| {
                entry == "*"
                    || host == entry
                    || host
                        .strip_suffix(entry)
                        .is_some_and(|rest| rest.ends_with('.'))
            });
        let proxy = if secure { &self.https } else { &self.http };
        proxy.as_ref().filter(|_| !direct)
    }
}

impl Service<Uri> for GuardedConnector {
    type Response = Link;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Link, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().open(uri))
    }
}

/// A connection, and whether a proxy needs the whole URL in the request line.
pub(super) struct Link {
    stream: TokioIo<TcpStream>,
    proxied: bool,
}

impl Connection for Link {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.proxied)
    }
}

impl Read for Link {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for Link {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
