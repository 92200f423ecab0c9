//! Finds the problem in the chain of errors below a failed request.

use std::error::Error;
use std::io;

use super::connect::ConnectError;
use super::problem::Problem;
use super::resolve::DnsFailure;
use crosscheck_core::is_machine_limit;

/// The problem behind an error of the HTTP library.
pub(super) fn problem(error: &(dyn Error + 'static)) -> Problem {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    let mut last = error.to_string();
    while let Some(error) = cause {
        if let Some(found) = known(error) {
            return found;
        }
        last = error.to_string();
        cause = below(error);
    }
    Problem::Connection(last)
}

fn known(error: &(dyn Error + 'static)) -> Option<Problem> {
    if let Some(error) = error.downcast_ref::<ConnectError>() {
        return Some(match error {
            ConnectError::Refused(refusal) => Problem::Refused(refusal.clone()),
            ConnectError::Dns(DnsFailure::NotFound) => Problem::NameNotFound,
            ConnectError::Dns(DnsFailure::NoNetwork) => Problem::NoNetwork,
            ConnectError::Dns(DnsFailure::Temporary) => Problem::DnsTemporary,
            ConnectError::Dns(DnsFailure::NoAddress) => {
                Problem::Connection("the name has no address".to_owned())
            }
            ConnectError::Timeout => Problem::Timeout,
            ConnectError::Io(error) if error.kind() == io::ErrorKind::TimedOut => Problem::Timeout,
            ConnectError::Io(error) if is_machine_limit(error) => Problem::Machine(words(error)),
            ConnectError::Io(error) => Problem::Connection(words(error)),
        });
    }
    let limit = error.downcast_ref::<io::Error>();
    if let Some(error) = limit.filter(|error| is_machine_limit(error)) {
        return Some(Problem::Machine(words(error)));
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(Problem::Tls(error.to_string()));
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        // The library offers no other way to find out.
        let too_large = error.is_parse() && error.to_string().contains("too large");
        return too_large.then_some(Problem::HeadersTooLarge);
    }
    None
}

/// The next error in the chain. An I/O error hides the error it wraps from
/// `source`.
fn below<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    if let Some(inner) = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        return Some(inner);
    }
    error.source()
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "refused".to_owned(),
        io::ErrorKind::ConnectionReset => "reset".to_owned(),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "unreachable".to_owned()
        }
        _ => error.to_string(),
    }
}
