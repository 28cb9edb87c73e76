//! The subflows of a transfer over several paths see each other.

mod common;

use std::sync::{Arc, Mutex};

use ackclock_tcp::cc::{Algorithm, CongestionControl, Scope, Sibling};
use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::{Ack, Config, MILLISECOND, Window};
use common::peer::Peer;
use common::{MSS, Script, config};

const RTT: u64 = 100 * MILLISECOND;

fn ten() -> Config {
    Config { initial_window: InitialWindow::Segments(10), ..config() }
}

fn seen(script: &Script) -> u64 {
    let sibling = script.end.as_sibling().expect("there is an RTT sample");
    assert_eq!(sibling.srtt, RTT);
    sibling.cwnd
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# To cater to connections that are app limited, the computation should consider the minimum between flight_size_i and
//# cwnd_i
#[test]
fn what_is_in_flight_counts_where_the_window_is_not_full() {
    let mut script = Script::established(&ten(), RTT);
    assert_eq!(seen(&script), MSS, "nothing is in flight, and a segment is the least");
    script.write(4);
    script.sends();
    assert_eq!(seen(&script), 4 * MSS);
    script.write(100);
    script.sends();
    assert_eq!((seen(&script), script.cwnd()), (10 * MSS, 10));
    script.now += RTT;
    script.take(2, &[]);
    assert_eq!(seen(&script), script.end.window().cwnd, "eight are in flight, and the window was full");
}

//= https://www.rfc-editor.org/rfc/rfc6356#section-3
//= type=test
//# The correct behavior is to use the ssthresh (slow start threshold) value for flows in fast retransmit when computing
//# cwnd_total
#[test]
fn the_threshold_counts_in_fast_retransmit() {
    let mut script = Script::established(&ten(), RTT);
    script.write(100);
    script.sends();
    script.now += RTT;
    for top in 2..=4 {
        script.ack(0, &[(1, top)]);
    }
    assert_eq!(seen(&script), script.end.window().ssthresh);
    assert_eq!(seen(&script), 5 * MSS);
}

#[test]
fn there_is_no_sibling_before_the_handshake() {
    let (peer, _) = Peer::called(&ten());
    assert_eq!(peer.end.as_sibling(), None);
}

/// A congestion control that notes its siblings.
struct Noting {
    coupled: bool,
    log: Arc<Mutex<Vec<Sibling>>>,
}

impl CongestionControl for Noting {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn on_siblings(&mut self, siblings: &[Sibling]) {
        self.log.lock().unwrap().extend_from_slice(siblings);
    }

    fn scope(&self) -> Scope {
        Scope { coupled: self.coupled, ..Scope::default() }
    }
}

#[test]
fn only_a_coupled_algorithm_is_told_of_its_siblings() {
    let other = Sibling { cwnd: 7 * MSS, srtt: RTT };
    for (coupled, told) in [(true, vec![other]), (false, Vec::new())] {
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = log.clone();
        let cc = Algorithm::custom("noting", move || Box::new(Noting { coupled, log: shared.clone() }));
        let mut peer = Peer::established(&Config { cc, ..ten() });
        assert_eq!(peer.end.is_coupled(), coupled);
        peer.end.couple(&[other]);
        assert_eq!(*log.lock().unwrap(), told);
    }
}
