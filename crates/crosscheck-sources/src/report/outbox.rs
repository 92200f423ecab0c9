//! How messages reach the Chair, and only the Chair.
//!
//! Contract: sources 3.1.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_fetch::Url;
use crosscheck_process::{Ending, Program};

use super::message::Message;

const COMMAND_TIME: Duration = Duration::from_secs(20);
const POST_TIME: Duration = Duration::from_secs(10);

/// Where messages go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// The end of a file.
    File(PathBuf),
    /// A program, one process for each message.
    Command(Vec<String>),
    /// An HTTP endpoint.
    Http(Url),
}

/// The channel is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// `cmd:` without a program.
    #[error("`{0}` does not name a program")]
    NoProgram(String),
    /// The endpoint is somewhere else.
    #[error("`{0}` is not on this machine")]
    Remote(String),
    /// Not a URL that can be posted to.
    #[error("`{0}` is not an HTTP URL")]
    NoUrl(String),
}

impl Channel {
    /// Reads `-`, a path, `cmd:<argv>` or `http://…`.
    pub fn parse(text: &str, allow_remote: bool) -> Result<Self, ChannelError> {
        if text == "-" {
            return Ok(Self::Stdout);
        }
        if let Some(command) = text.strip_prefix("cmd:") {
            let words: Vec<String> = shlex::split(command).unwrap_or_default();
            return if words.is_empty() {
                Err(ChannelError::NoProgram(text.to_owned()))
            } else {
                Ok(Self::Command(words))
            };
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            let url = Url::parse(text).ok().filter(|url| url.scheme() == "http");
            let url = url.ok_or_else(|| ChannelError::NoUrl(text.to_owned()))?;
            if !allow_remote && !is_loopback(&url) {
                return Err(ChannelError::Remote(text.to_owned()));
            }
            return Ok(Self::Http(url));
        }
        Ok(Self::File(PathBuf::from(text)))
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// One JSON line for each message, or only its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutboxFormat {
    /// One JSON object on a line.
    #[default]
    Json,
    /// The text alone.
    Text,
}

/// Sends messages; a message is out when `send` returns.
pub struct Outbox {
    sink: Sink,
    format: OutboxFormat,
    folder: PathBuf,
}

enum Sink {
    Stream(Box<dyn Write + Send>),
    File(File),
    Command(Vec<String>),
    Http(Url),
}

impl Outbox {
    /// Opens a channel; `stdout` is used for [`Channel::Stdout`].
    pub fn open(
        channel: &Channel,
        format: OutboxFormat,
        folder: &Path,
        stdout: Box<dyn Write + Send>,
    ) -> io::Result<Self> {
        let sink = match channel {
            Channel::Stdout => Sink::Stream(stdout),
            Channel::File(path) => {
                Sink::File(OpenOptions::new().create(true).append(true).open(path)?)
            }
            Channel::Command(words) => Sink::Command(words.clone()),
            Channel::Http(url) => Sink::Http(url.clone()),
        };
        Ok(Self {
            sink,
            format,
            folder: folder.to_owned(),
        })
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Message) -> io::Result<()> {
        let mut line = match self.format {
            OutboxFormat::Json => serde_json::to_string(message)?,
            OutboxFormat::Text => message.text.clone(),
        };
        line.push('\n');
        match &mut self.sink {
            Sink::Stream(stream) => match stream
                .write_all(line.as_bytes())
                .and_then(|()| stream.flush())
            {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()), // the receiver is gone
                done => done,
            },
            Sink::File(file) => file.write_all(line.as_bytes()),
            Sink::Command(words) => command(words, &self.folder, line),
            Sink::Http(url) => post(url, &line),
        }
    }
}

fn command(words: &[String], folder: &Path, line: String) -> io::Result<()> {
    let Some((program, args)) = words.split_first() else {
        return Ok(());
    };
    let ran = Program::new(program, folder)
        .args(args)
        .input(line.into_bytes())
        .time_limit(Some(COMMAND_TIME))
        .keep(4096)
        .run()
        .map_err(|error| error.source)?;
    if ran.ending == Ending::Exited(0) {
        Ok(())
    } else {
        Err(io::Error::other("the outbox command failed"))
    }
}

fn post(url: &Url, line: &str) -> io::Result<()> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let address = (host.trim_matches(['[', ']']), port)
        .to_socket_addrs()?
        .next();
    let address = address.ok_or_else(|| io::Error::other("the outbox host has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, POST_TIME)?;
    stream.set_read_timeout(Some(POST_TIME))?;
    stream.set_write_timeout(Some(POST_TIME))?;
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    write!(
        stream,
        "POST {}{query} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{line}",
        url.path(),
        line.len()
    )?;
    let mut status = String::new();
    BufReader::new(stream).take(256).read_line(&mut status)?;
    match status.split_whitespace().nth(1) {
        Some(code) if code.starts_with('2') => Ok(()),
        _ => Err(io::Error::other(
            "the outbox endpoint did not take the message",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_known_by_their_look() {
        assert_eq!(Channel::parse("-", false), Ok(Channel::Stdout));
        assert_eq!(
            Channel::parse("out.ndjson", false),
            Ok(Channel::File("out.ndjson".into()))
        );
        assert_eq!(
            Channel::parse("cmd:tee 'a b'", false),
            Ok(Channel::Command(vec!["tee".to_owned(), "a b".to_owned()]))
        );
        assert!(matches!(
            Channel::parse("http://127.0.0.1:9/x", false),
            Ok(Channel::Http(_))
        ));
        assert!(matches!(
            Channel::parse("http://a.example/x", false),
            Err(ChannelError::Remote(_))
        ));
        assert!(matches!(
            Channel::parse("http://a.example/x", true),
            Ok(Channel::Http(_))
        ));
        assert!(matches!(
            Channel::parse("cmd:", false),
            Err(ChannelError::NoProgram(_))
        ));
    }
}
