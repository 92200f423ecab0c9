//! TLS servers with generated certificates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::servers::{Engine, Server};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-servers");

/// A certificate authority that no system trusts.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// A new one.
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate can be made"))
    }

    /// Its certificate, as PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for these host names, and its key, as PEM.
    pub fn issue(&self, hosts: &[&str]) -> (String, String) {
        let names: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        let params = CertificateParams::new(names).expect("these are host names");
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params
            .signed_by(&key, &self.0)
            .expect("a certificate can be made");
        (certificate.pem(), key.serialize_pem())
    }
}

/// A database server that stops when dropped.
pub struct TlsServer {
    folder: tempfile::TempDir,
    server: Server,
}

impl TlsServer {
    /// Starts a server with a certificate and its key.
    pub fn start(engine: Engine, certificate: &str, key: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write = |name: &str, content: &str| -> PathBuf {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("the file can be written");
            path
        };
        let (certificate, key) = (write("crt.pem", certificate), write("key.pem", key));
        let (only, variable) = match engine {
            Engine::Postgres => ("postgres", "CROSSCHECK_TEST_POSTGRES="),
            Engine::Mysql => ("mysql", "CROSSCHECK_TEST_MYSQL="),
        };
        let output = Command::new(SCRIPT)
            .arg("start")
            .arg(folder.path())
            .args(["--only", only, "--tls"])
            .args([&certificate, &key])
            .output()
            .expect("scripts/test-servers runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let url = said
            .lines()
            .find_map(|line| line.strip_prefix(variable))
            .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let server = Server::at(engine, url.to_owned());
        Self { folder, server }
    }

    /// Its URL, with the password.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = Command::new(SCRIPT)
            .arg("stop")
            .arg(self.folder.path())
            .output();
    }
}
