//! TLS 1.3 whose random numbers, time and certificate are given.
//!
//! The handshake is real: rustls with the algorithms of ring. Its random numbers come from the seed of the end, the
//! date is fixed, and the server has a fixed certificate. The key of that certificate is public and no secret: it
//! protects nothing but simulated packets.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::Resumption;
use rustls::crypto::{ActiveKeyExchange, CryptoProvider, GetRandomFailed, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::StoresServerSessions;
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, Error, NamedGroup, PeerMisbehaved, RootCertStore, ServerConfig, version};
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};

use crate::randomness::{self, Lent};

/// Name of the server in its certificate (a reserved name: RFC 2606, section 3).
pub(crate) const SERVER_NAME: &str = "server.example";

/// Date of all simulations, in seconds since 1970: 1 January 2026.
pub(crate) const DATE: Duration = Duration::from_secs(1_767_225_600);

/// The server's certificate, which the test `the_certificate_is_made_from_the_key` makes.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");

/// The seed of the server's Ed25519 key. Everybody may know it.
const KEY: &[u8; 32] = b"ackclock: this key is no secret.";

/// Returns the server's key in PKCS #8 (RFC 8410, section 7): a header and the seed.
fn key() -> Vec<u8> {
    const HEADER: [u8; 16] =
        [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
    [&HEADER[..], KEY].concat()
}

/// The algorithms: those of ring, with random numbers from the lent generator, and X25519 as the only group.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        kx_groups: vec![&X25519],
        secure_random: &Lent,
        ..rustls::crypto::ring::default_provider()
    })
}

/// Returns the configuration of all clients.
///
/// # Errors
/// The message of rustls.
pub(crate) fn client() -> Result<Arc<QuicClientConfig>, String> {
    static CLIENT: OnceLock<Result<Arc<QuicClientConfig>, String>> = OnceLock::new();
    let create = || {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(CERTIFICATE))?;
        let mut config = ClientConfig::builder_with_details(provider(), Arc::new(Date))
            .with_protocol_versions(&[&version::TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        QuicClientConfig::try_from(config).map(Arc::new).map_err(|error| Error::General(error.to_string()))
    };
    CLIENT.get_or_init(|| create().map_err(|error| error.to_string())).clone()
}

/// Returns the configuration of all servers.
///
/// # Errors
/// The message of rustls.
pub(crate) fn server() -> Result<Arc<QuicServerConfig>, String> {
    static SERVER: OnceLock<Result<Arc<QuicServerConfig>, String>> = OnceLock::new();
    let create = || {
        let mut config = ServerConfig::builder_with_details(provider(), Arc::new(Date))
            .with_protocol_versions(&[&version::TLS13])?
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from(CERTIFICATE)],
                PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key())),
            )?;
        config.session_storage = Arc::new(Forgetful);
        // As quinn-proto configures a server by default: tickets allow 0-RTT data.
        config.max_early_data_size = u32::MAX;
        QuicServerConfig::try_from(config).map(Arc::new).map_err(|error| Error::General(error.to_string()))
    };
    SERVER.get_or_init(|| create().map_err(|error| error.to_string())).clone()
}

/// A store of sessions that keeps none. The server sends its tickets as usual, and no connection affects another.
#[derive(Debug)]
struct Forgetful;

impl StoresServerSessions for Forgetful {
    fn put(&self, _: Vec<u8>, _: Vec<u8>) -> bool {
        true
    }

    fn get(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn take(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn can_cache(&self) -> bool {
        true
    }
}

/// The fixed date.
#[derive(Debug)]
struct Date;

impl TimeProvider for Date {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(DATE))
    }
}

/// X25519 (RFC 7748) with the private keys of the lent generator. That of ring takes only the system's.
#[derive(Debug)]
struct X25519;

impl SupportedKxGroup for X25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut private = [0; 32];
        randomness::fill(&mut private).map_err(|GetRandomFailed| Error::FailedToGetRandomBytes)?;
        Ok(Box::new(Exchange { private, public: x25519(private, X25519_BASEPOINT_BYTES) }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// A key exchange that has begun.
struct Exchange {
    private: [u8; 32],
    public: [u8; 32],
}

impl fmt::Debug for Exchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Exchange").finish_non_exhaustive()
    }
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer: [u8; 32] = peer.try_into().map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        let shared = x25519(self.private, peer);
        // RFC 8446, section 7.4.2: implementations "MUST check whether the computed Diffie-Hellman shared secret is
        // the all-zero value and abort if so".
        if shared == [0; 32] {
            return Err(PeerMisbehaved::InvalidKeyShare.into());
        }
        Ok(SharedSecret::from(&shared[..]))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber, date_time_ymd};

    use super::*;
    use crate::randomness::{Generator, Loan};

    /// `ACKCLOCK_QUINN_CERTIFICATE=FILE cargo test -p ackclock-quinn certificate` writes it.
    #[test]
    fn the_certificate_is_made_from_the_key() {
        let pair = KeyPair::from_pkcs8_der_and_sign_algo(&PrivatePkcs8KeyDer::from(key()), &PKCS_ED25519).unwrap();
        let mut parameters = CertificateParams::new([SERVER_NAME.to_owned()]).unwrap();
        parameters.serial_number = Some(SerialNumber::from(1_u64));
        parameters.not_before = date_time_ymd(2000, 1, 1);
        parameters.not_after = date_time_ymd(2100, 1, 1);
        let certificate = parameters.self_signed(&pair).unwrap();
        if let Some(file) = std::env::var_os("ACKCLOCK_QUINN_CERTIFICATE") {
            std::fs::write(file, certificate.der()).unwrap();
        }
        assert_eq!(CERTIFICATE, &certificate.der()[..]);
    }

    #[test]
    fn the_key_exchange_agrees_with_that_of_ring() {
        let mut generator = Generator::new([1; 32]);
        let _loan = Loan::new(&mut generator);
        for _ in 0..20 {
            let (ours, theirs) = (X25519.start().unwrap(), rustls::crypto::ring::kx_group::X25519.start().unwrap());
            let (our_key, their_key) = (ours.pub_key().to_vec(), theirs.pub_key().to_vec());
            let (one, other) = (ours.complete(&their_key).unwrap(), theirs.complete(&our_key).unwrap());
            assert_eq!(one.secret_bytes(), other.secret_bytes());
        }
    }

    #[test]
    fn the_generator_decides_the_keys() {
        let keys = |seed| {
            let mut generator = Generator::new([seed; 32]);
            let _loan = Loan::new(&mut generator);
            X25519.start().unwrap().pub_key().to_vec()
        };
        assert_eq!(keys(1), keys(1));
        assert_ne!(keys(1), keys(2));
        assert!(X25519.start().is_err(), "no generator is lent");
    }

    #[test]
    fn a_public_key_of_small_order_is_refused() {
        let mut generator = Generator::new([1; 32]);
        let _loan = Loan::new(&mut generator);
        assert!(X25519.start().unwrap().complete(&[0; 32]).is_err());
        assert!(X25519.start().unwrap().complete(&[9; 31]).is_err());
    }
}
