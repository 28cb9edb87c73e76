//! TLS 1.3 with a fixed certificate.
//!
//! The handshake is real: BoringSSL's. The certificate and its key are those of the stack `quinn`, and are no secret:
//! they protect nothing but simulated packets.

use ackclock_transport::Role;
use boring::error::ErrorStack;
use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use boring::x509::X509;

/// Name of the server in its certificate (a reserved name: RFC 2606, section 3).
pub(crate) const SERVER_NAME: &str = "server.example";

/// Application protocol, which QUIC must agree on (RFC 9001, section 8.1).
pub(crate) const PROTOCOL: &[u8] = b"ackclock";

/// The server's certificate, which a test of the stack `quinn` makes from the key.
const CERTIFICATE: &[u8] = include_bytes!("../../../crates/ackclock-quinn/src/certificate.der");

/// The seed of the server's Ed25519 key. Everybody may know it.
const KEY: &[u8; 32] = b"ackclock: this key is no secret.";

/// Returns the server's key in PKCS #8 (RFC 8410, section 7): a header and the seed.
fn key() -> Vec<u8> {
    const HEADER: [u8; 16] =
        [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
    [&HEADER[..], KEY].concat()
}

/// Returns the configuration of TLS for an end.
///
/// # Errors
/// The message of BoringSSL.
pub(crate) fn context(role: Role) -> Result<SslContextBuilder, ErrorStack> {
    let mut context = SslContextBuilder::new(SslMethod::tls())?;
    context.set_curves_list("X25519")?;
    let certificate = X509::from_der(CERTIFICATE)?;
    match role {
        Role::Client => {
            context.set_verify_algorithm_prefs(&[SslSignatureAlgorithm::ED25519])?;
            context.cert_store_mut().add_cert(certificate)?;
        }
        Role::Server => {
            context.set_certificate(&certificate)?;
            context.set_private_key(PKey::private_key_from_der(&key())?.as_ref())?;
        }
    }
    Ok(context)
}
