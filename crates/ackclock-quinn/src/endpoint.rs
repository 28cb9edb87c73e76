//! quinn-proto's endpoint of an end, with everything random or dated in it given.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ackclock_transport::{Role, Setup};
use quinn_proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, Endpoint, EndpointConfig, InvalidCid, NoneTokenLog,
    NoneTokenStore, ServerConfig, TimeSource, TransportConfig, ValidationTokenConfig,
};
use ring::{hkdf, hmac};

use crate::randomness::Generator;
use crate::tls;

/// Length of a connection id, in bytes, as quinn-proto has it by default.
const ID: usize = 8;

/// Length of the first destination connection id of a client, in bytes, as quinn-proto has it.
const FIRST_ID: usize = 20;

/// Largest datagram that quinn-proto accepts by default, in bytes.
const ACCEPTED: u32 = 1472;

/// NEW_TOKEN frames that quinn-proto sends by default.
const TOKENS: u32 = 2;

/// Returns the address of the peer of an end (RFC 5737: addresses for documentation).
pub(crate) fn peer(role: Role) -> SocketAddr {
    match role {
        Role::Client => SocketAddr::from((Ipv4Addr::new(192, 0, 2, 2), 443)),
        Role::Server => SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 50_000)),
    }
}

/// Returns the endpoint of an end, and the configuration with which a client connects.
///
/// # Errors
/// The message of quinn-proto or rustls.
pub(crate) fn create(
    setup: &Setup<'_>,
    transport: TransportConfig,
    discovery: bool,
    generator: &mut Generator,
) -> Result<(Endpoint, Option<ClientConfig>), String> {
    let transport = Arc::new(transport);
    let mut config = EndpointConfig::new(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, &generator.bytes::<64>())));
    let largest = setup.datagram.max(ACCEPTED).min(u16::MAX.into()) as u16;
    config.max_udp_payload_size(largest).map_err(|error| error.to_string())?;
    config.rng_seed(Some(generator.bytes()));
    let ids = Mutex::new(Generator::new(generator.bytes()));
    config.cid_generator(move || {
        let mut ids = ids.lock().unwrap_or_else(PoisonError::into_inner);
        Box::new(Ids { generator: Generator::new(ids.bytes()), given: BTreeSet::new() })
    });
    let config = Arc::new(config);
    match setup.role {
        Role::Client => {
            let first: [u8; FIRST_ID] = generator.bytes();
            let mut client = ClientConfig::new(tls::client()?);
            client.transport_config(transport);
            client.token_store(Arc::new(NoneTokenStore));
            client.initial_dst_cid_provider(Arc::new(move || ConnectionId::new(&first)));
            Ok((Endpoint::new(config, None, discovery, None), Some(client)))
        }
        Role::Server => {
            let key = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&generator.bytes::<64>());
            let mut server = ServerConfig::new(tls::server()?, Arc::new(key));
            let mut tokens = ValidationTokenConfig::default();
            tokens.log(Arc::new(NoneTokenLog)).sent(TOKENS);
            server.transport_config(transport).validation_token_config(tokens).time_source(Arc::new(Date));
            Ok((Endpoint::new(config, Some(Arc::new(server)), discovery, None), None))
        }
    }
}

/// Draws connection ids from the seed.
struct Ids {
    generator: Generator,
    given: BTreeSet<[u8; ID]>,
}

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        let id = self.generator.bytes();
        self.given.insert(id);
        ConnectionId::new(&id)
    }

    fn validate(&self, id: &ConnectionId) -> Result<(), InvalidCid> {
        let known = <[u8; ID]>::try_from(&id[..]).is_ok_and(|id| self.given.contains(&id));
        if known { Ok(()) } else { Err(InvalidCid) }
    }

    fn cid_len(&self) -> usize {
        ID
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// The fixed date of tokens.
struct Date;

impl TimeSource for Date {
    #[expect(clippy::disallowed_types, reason = "quinn-proto takes the date in this form; nothing is read")]
    fn now(&self) -> std::time::SystemTime {
        std::time::UNIX_EPOCH + tls::DATE
    }
}
