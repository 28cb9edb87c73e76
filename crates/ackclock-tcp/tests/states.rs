//! The states of RFC 9293 section 3.10 against a peer played by the test: resets, challenges, simultaneous open and
//! close, half-close and full close, TIME-WAIT, giving up.

mod common;

use ackclock_tcp::config::{Conformance, Keepalive};
use ackclock_tcp::{
    Config, Endpoint, Error, Event, Flags, Icmp, MILLISECOND, NEVER, Nanos, Observer, SECOND, Segment, State, reset_for,
};
use common::peer::{ISS, Peer, syn};
use common::{MSS, Pair, config};

fn established() -> Peer {
    Peer::established(&config())
}

fn with_flags(mut segment: Segment, flags: Flags) -> Segment {
    segment.flags = flags;
    segment
}

mod resets {
    use super::*;

    #[test]
    fn nobody_home() {
        let mut segment = Segment::new(Flags::SYN);
        (segment.seq, segment.len) = (100, 7);
        let reset = reset_for(&segment).unwrap();
        assert_eq!((reset.flags, reset.seq, reset.ack), (Flags::RST.with(Flags::ACK), 0, 108));
        let segment = with_flags(Segment { ack: 55, ..segment }, Flags::ACK);
        let reset = reset_for(&segment).unwrap();
        assert_eq!((reset.flags, reset.seq), (Flags::RST, 55));
        assert!(reset_for(&reset).is_none(), "a RST is not answered");
    }

    /// RFC 9293 section 3.10.7.1.
    #[test]
    fn a_connection_that_has_ended_answers_with_a_reset() {
        for conformance in [Conformance::Rfc, Conformance::Linux, Conformance::FreeBsd] {
            let mut peer = Peer::established(&Config { conformance, ..config() });
            peer.end.abort(peer.now);
            assert_eq!(peer.next().flags, Flags::RST.with(Flags::ACK));
            let late = peer.segment(0, 100, 0);
            peer.give(&late);
            let answer = peer.next();
            assert_eq!((answer.flags, answer.seq), (Flags::RST, late.ack));
            peer.give(&with_flags(late, Flags::RST));
            assert!(peer.all().is_empty(), "a RST is not answered");
        }
    }

    /// FreeBSD expects a RST at the last acknowledgment that it sent (sys/netinet/tcp_input.c, tcp_do_segment). While an
    /// ACK is delayed, the RST of a peer that aborts is therefore challenged, and the peer's answer ends the connection.
    #[test]
    fn an_abort_ends_a_peer_that_delays_an_ack() {
        for conformance in [Conformance::Rfc, Conformance::Linux, Conformance::FreeBsd] {
            let mut peer = Peer::established(&Config { conformance, ..config() });
            peer.give(&peer.segment(0, 100, 0));
            let reset = with_flags(peer.segment(100, 0, 0), Flags::RST.with(Flags::ACK));
            peer.give(&reset);
            if let Some(challenge) = peer.all().last() {
                peer.give(&reset_for(challenge).unwrap());
            }
            assert_eq!(peer.end.state(), State::Closed, "{conformance:?}");
        }
    }

    /// RFC 5961 section 3.2.
    #[test]
    fn only_the_very_next_sequence_number_is_believed() {
        for (offset, state, answers) in
            [(0, State::Closed, 0), (1, State::Established, 1), (300 << 20, State::Established, 0)]
        {
            let mut peer = established();
            let reset = with_flags(peer.segment(offset, 0, 0), Flags::RST);
            peer.give(&reset);
            assert_eq!((peer.end.state(), peer.all().len()), (state, answers), "{offset}");
        }
        let mut peer = established();
        let reset = with_flags(peer.segment(0, 0, 0), Flags::RST);
        peer.give(&reset);
        assert_eq!((peer.end.error(), peer.end.next_timeout()), (Some(Error::Reset), NEVER));
    }

    /// RFC 5961 sections 4.2 and 7.
    #[test]
    fn a_syn_is_challenged_and_challenges_are_limited() {
        let mut peer = established();
        for offset in [0, 500, 100_000_000] {
            let intruder = with_flags(peer.segment(offset, 0, 0), Flags::SYN);
            peer.give(&intruder);
            let answer = peer.next();
            assert_eq!((answer.flags, answer.ack), (Flags::ACK, peer.seq(0)));
            peer.give(&intruder);
            assert!(peer.all().is_empty(), "not twice within half a second");
            peer.now += 500 * MILLISECOND;
        }
        assert_eq!(peer.end.state(), State::Established);
    }

    /// RFC 5961 section 5.2; RFC 9293 section 3.10.7.4, and Linux's behaviour.
    #[test]
    fn acknowledgments_of_what_was_not_sent_or_long_ago() {
        // Linux limits the number of its answers.
        for (conformance, answers) in [(Conformance::Rfc, [1, 1]), (Conformance::Linux, [1, 0])] {
            let mut peer = Peer::established(&Config { conformance, ..config() });
            let mut ahead = peer.segment(0, 100, 0);
            ahead.ack = ahead.ack.wrapping_add(1);
            let given = answers.map(|_| {
                peer.give(&ahead);
                peer.all().len()
            });
            assert_eq!((peer.end.received(), given), (0, answers));
        }
        let mut peer = established();
        let mut old = peer.segment(0, 100, 0);
        old.ack = old.ack.wrapping_sub(60_000);
        peer.give(&old);
        assert_eq!(peer.end.received(), 100, "within the largest window");
        let mut ancient = peer.segment(100, 100, 0);
        ancient.ack = ancient.ack.wrapping_sub(60_001);
        peer.all();
        peer.give(&ancient);
        assert_eq!((peer.end.received(), peer.all().len()), (100, 1));
    }

    #[test]
    fn linux_answers_an_empty_segment_outside_the_window_once_in_half_a_second_and_data_always() {
        for (conformance, answers) in [(Conformance::Rfc, 3), (Conformance::Linux, 1)] {
            let mut peer = Peer::established(&Config { conformance, ..config() });
            let stray = Segment { seq: peer.seq(0).wrapping_sub(1), ..peer.segment(0, 0, 0) };
            let count: usize = (0..3)
                .map(|_| {
                    peer.give(&stray);
                    peer.all().len()
                })
                .sum();
            assert_eq!(count, answers);
            peer.data(0, 100);
            peer.all();
            let count: usize = (0..3)
                .map(|_| {
                    peer.data(0, 100);
                    peer.all().len()
                })
                .sum();
            assert_eq!(count, 3);
        }
    }

    #[test]
    fn in_syn_sent() {
        let (mut peer, _) = Peer::called(&config());
        // The ACK is for something else: its sender is told so, and our attempt continues.
        let mut wrong = syn(Flags::ACK);
        wrong.ack = ISS.wrapping_add(2);
        peer.give(&wrong);
        let reset = peer.next();
        assert_eq!((reset.flags, reset.seq), (Flags::RST, wrong.ack));
        peer.give(&with_flags(wrong, Flags::RST.with(Flags::ACK)));
        assert_eq!(peer.end.state(), State::SynSent, "a RST for something else");
        wrong.ack = ISS.wrapping_add(1);
        peer.give(&with_flags(wrong, Flags::RST.with(Flags::ACK)));
        assert_eq!((peer.end.state(), peer.end.error()), (State::Closed, Some(Error::Refused)));
    }

    #[test]
    fn in_listen_and_syn_received() {
        let mut end = Endpoint::new(&config(), ISS);
        end.listen();
        let stray = Segment { ack: 7, ..Segment::new(Flags::ACK) };
        end.on_segment(0, &stray, &mut ());
        assert_eq!(end.poll_transmit(0, &mut ()).unwrap().seq, 7);
        let (mut peer, _) = Peer::accepted(&config(), &syn(Flags::default()));
        let mut ack = peer.segment(0, 0, 0);
        ack.ack = ack.ack.wrapping_add(9);
        peer.give(&ack);
        let reset = peer.next();
        assert_eq!((reset.flags, reset.seq, peer.end.state()), (Flags::RST, ack.ack, State::SynReceived));
        let reset = with_flags(peer.segment(0, 0, 0), Flags::RST);
        peer.give(&reset);
        assert_eq!(peer.end.state(), State::Listen, "a passive open listens on");
        peer.give(&syn(Flags::default()));
        assert!(peer.next().flags.has(Flags::SYN.with(Flags::ACK)));
    }
}

mod opening {
    use super::*;

    /// RFC 9293 section 3.5, figure 8.
    #[test]
    fn both_at_once() {
        let mut pair = Pair::new(&config(), &config(), |_, _, _| true);
        pair.ends[1] = Endpoint::new(&config(), 77);
        pair.ends[1].connect(0);
        pair.ends[0].write(0, 3 * MSS);
        pair.run(10 * SECOND);
        assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::Established, State::Established));
        assert_eq!(pair.ends[1].received(), 3 * MSS);
        assert!(pair.sent.iter().all(|sent| sent.len() < 10), "no exchange of ACKs without end");
    }

    #[test]
    fn a_peer_that_cannot_be_reached() {
        for (message, error) in
            [(Icmp::PortUnreachable, Error::Refused), (Icmp::HostUnreachable, Error::HostUnreachable)]
        {
            let (mut peer, _) = Peer::called(&config());
            peer.end.on_icmp(peer.now, message, &mut ());
            assert_eq!((peer.end.state(), peer.end.error()), (State::Closed, Some(error)));
        }
    }

    #[test]
    fn syns_of_linux_leave_at_even_intervals_first() {
        let config = Config { syn_linear: 4, syn_retries: 6, ..config() };
        let mut pair = Pair::new(&config, &config, |_, _, _| false);
        pair.run(1000 * SECOND);
        let times: Vec<u64> = pair.sent[0].iter().map(|(at, _)| at / SECOND).collect();
        assert_eq!(times, [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67]);
        assert_eq!(pair.ends[0].error(), Some(Error::TimedOut));
    }
}

mod without_a_handshake {
    use super::*;
    use ackclock_tcp::config::Handshake;
    use ackclock_tcp::stack;

    #[test]
    fn data_and_fins_of_both_ends_are_accepted_on_every_stack() {
        for stack in stack::CATALOGUE {
            let config = Config { handshake: Handshake::None, ..(stack.config)() };
            // The initial sequence numbers determine where the clocks of timestamps begin.
            let mut ends = [Endpoint::new(&config, 5), Endpoint::new(&config, 6)];
            let segments = ends.each_mut().map(|end| {
                end.connect(0);
                assert_eq!(end.state(), State::Established, "{}", stack.name);
                end.write(0, 479);
                end.shutdown_write(0);
                end.poll_transmit(0, &mut ()).expect("data")
            });
            assert!(segments.iter().all(|segment| segment.len == 479 && !segment.flags.has(Flags::SYN)));
            for (end, segment) in ends.iter_mut().zip(segments.iter().rev()) {
                end.on_segment(MILLISECOND, segment, &mut ());
                assert_eq!((end.received(), end.state()), (479, State::Closing), "{}", stack.name);
            }
        }
    }
}

mod closing {
    use super::*;

    #[test]
    fn both_at_once() {
        let mut pair = Pair::new(&config(), &config(), |_, _, _| true);
        pair.run(SECOND);
        for end in &mut pair.ends {
            end.close(SECOND);
        }
        pair.run(SECOND + 60 * MILLISECOND);
        assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::Closing, State::Closing));
        pair.run(2 * SECOND);
        assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::TimeWait, State::TimeWait));
        pair.run(100 * SECOND);
        assert_eq!((pair.ends[0].state(), pair.ends[1].state()), (State::Closed, State::Closed));
    }

    #[test]
    fn a_half_close_still_reads() {
        let mut peer = established();
        peer.end.shutdown_write(peer.now);
        assert_eq!(peer.next().flags, Flags::FIN.with(Flags::ACK));
        peer.data(0, 100);
        assert_eq!((peer.end.received(), peer.end.state()), (100, State::FinWait1));
    }

    /// RFC 9293 section 3.6.1.
    #[test]
    fn data_after_a_close_or_unread_before_it_resets() {
        let mut peer = established();
        peer.end.close(peer.now);
        peer.all();
        let late = peer.segment(0, 100, 1);
        peer.give(&late);
        let reset = peer.next();
        assert_eq!((reset.flags, reset.seq, peer.end.state()), (Flags::RST, late.ack, State::Closed));
        let mut peer = established();
        peer.data(0, 100);
        peer.end.close(peer.now);
        let reset = peer.next();
        assert_eq!((reset.flags, reset.seq), (Flags::RST.with(Flags::ACK), ISS.wrapping_add(1)));
        assert_eq!((reset.ack, peer.end.state()), (peer.seq(100), State::Closed));
        let mut peer = established();
        peer.data(0, 100);
        peer.end.read(peer.now, 100);
        peer.end.close(peer.now);
        assert!(peer.next().flags.has(Flags::FIN), "all was read");
    }

    #[test]
    fn abort_tells_the_peer_once_it_can_know() {
        let mut peer = established();
        peer.end.abort(peer.now);
        assert!(peer.next().flags.has(Flags::RST));
        assert_eq!((peer.end.error(), peer.end.next_timeout()), (Some(Error::Aborted), NEVER));
        let (mut peer, _) = Peer::called(&config());
        peer.end.abort(peer.now);
        assert!(peer.all().is_empty());
    }

    #[test]
    fn fin_wait_2_ends_by_itself_only_when_nobody_reads() {
        for (full, state) in [(true, State::Closed), (false, State::FinWait2)] {
            let mut peer = established();
            if full {
                peer.end.close(peer.now)
            } else {
                peer.end.shutdown_write(peer.now)
            }
            peer.all();
            let ack = peer.segment(0, 0, 1);
            peer.give(&ack);
            assert_eq!(peer.end.state(), State::FinWait2);
            peer.now += 60 * SECOND;
            peer.end.on_timeout(peer.now, &mut ());
            assert_eq!(peer.end.state(), state);
        }
    }

    fn time_wait(config: &Config) -> Peer {
        let mut peer = Peer::established(config);
        peer.end.close(peer.now);
        peer.all();
        let fin = with_flags(peer.segment(0, 0, 1), Flags::FIN.with(Flags::ACK));
        peer.give(&fin);
        assert_eq!((peer.end.state(), peer.next().ack), (State::TimeWait, peer.seq(1)));
        peer
    }

    #[test]
    fn in_time_wait_a_fin_is_acknowledged_again_and_the_wait_begins_anew() {
        let mut peer = time_wait(&config());
        peer.now += 59 * SECOND;
        let fin = with_flags(peer.segment(0, 0, 1), Flags::FIN.with(Flags::ACK));
        peer.give(&fin);
        assert_eq!(peer.next().ack, peer.seq(1));
        assert_eq!(peer.end.next_timeout(), peer.now + 60 * SECOND);
    }

    #[test]
    fn in_time_wait_a_reset_ends_it_unless_rfc_1337_is_obeyed() {
        for (rfc1337, state) in [(false, State::Closed), (true, State::TimeWait)] {
            let mut peer = time_wait(&Config { rfc1337, ..config() });
            let reset = with_flags(peer.segment(1, 0, 1), Flags::RST);
            peer.give(&reset);
            assert_eq!((peer.end.state(), peer.end.error()), (state, None));
        }
    }

    /// The stream ends with the FIN, regardless of further data from a peer.
    #[test]
    fn the_stream_ends_with_the_fin() {
        let mut peer = established();
        let fin = with_flags(peer.segment(100, 0, 0), Flags::FIN.with(Flags::ACK));
        peer.give(&fin);
        peer.data(0, 300);
        assert_eq!((peer.end.received(), peer.end.state()), (100, State::CloseWait));
    }
}

mod giving_up {
    use super::*;

    fn silent(config: &Config) -> (Peer, Vec<Segment>) {
        let mut peer = Peer::established(config);
        peer.end.write(peer.now, 100);
        let mut sent = peer.all();
        while peer.end.state() != State::Closed {
            peer.expire();
            sent.extend(peer.all());
        }
        (peer, sent)
    }

    #[test]
    fn after_the_retries_the_peer_is_told_where_the_stack_does() {
        for reset_on_give_up in [true, false] {
            let (peer, sent) = silent(&Config { data_retries: 3, reset_on_give_up, ..config() });
            assert_eq!(peer.end.error(), Some(Error::TimedOut));
            let resets = sent.iter().filter(|segment| segment.flags.has(Flags::RST)).count();
            assert_eq!((sent.len() - resets, resets), (4, usize::from(reset_on_give_up)));
        }
    }

    #[test]
    fn icmp_says_why() {
        let mut peer = Peer::established(&Config { data_retries: 1, ..config() });
        peer.end.write(peer.now, 100);
        peer.all();
        peer.end.on_icmp(peer.now, Icmp::HostUnreachable, &mut ());
        assert_eq!(peer.end.state(), State::Established, "a soft error (RFC 9293 section 3.9.2.2)");
        peer.expire();
        peer.expire();
        assert_eq!(peer.end.error(), Some(Error::HostUnreachable));
    }

    #[test]
    fn the_user_timeout_counts_from_the_first_retransmission_and_progress_ends_it() {
        let mut peer = established();
        peer.end.set_user_timeout(3 * SECOND);
        peer.end.write(peer.now, 200);
        peer.all();
        peer.expire();
        let from = peer.now;
        peer.all();
        let ack = peer.segment(0, 0, 100);
        peer.now += SECOND / 10;
        peer.give(&ack);
        while peer.end.state() != State::Closed {
            peer.expire();
            peer.all();
        }
        assert_eq!(peer.end.error(), Some(Error::TimedOut));
        assert!(peer.now > from + 3 * SECOND, "100 bytes were acknowledged in between");
    }

    /// RFC 9293 section 3.8.4.
    #[test]
    fn an_idle_peer_is_probed_and_given_up() {
        let keepalive = Some(Keepalive { idle: 10 * SECOND, interval: SECOND, probes: 2 });
        let mut peer = Peer::established(&Config { keepalive, delayed_ack: 0, ..config() });
        peer.now += 4 * SECOND;
        peer.data(0, 10);
        peer.all();
        let heard = peer.now;
        peer.expire();
        peer.expire();
        assert_eq!(peer.now, heard + 10 * SECOND);
        let probe = peer.next();
        assert_eq!((probe.seq, probe.len, probe.flags), (ISS, 0, Flags::ACK));
        let answer = peer.segment(10, 0, 0);
        peer.give(&answer);
        let heard = peer.now;
        // The timer that waited for an answer checks the connection again.
        peer.expire();
        assert!(peer.all().is_empty());
        for wait in [10, 11] {
            peer.expire();
            assert_eq!((peer.now, peer.next().seq), (heard + wait * SECOND, ISS));
        }
        peer.expire();
        assert!(peer.next().flags.has(Flags::RST));
        assert_eq!(peer.end.error(), Some(Error::TimedOut));
    }
}

//= https://www.rfc-editor.org/rfc/rfc7323#section-5.7
//= type=test
//# any TCP implementation that implements PAWS MUST also implement Path MTU Discovery
/// RFC 1191 section 6.5: segments become smaller, outstanding data is retransmitted at once, and the window stays
/// unchanged.
#[test]
fn a_smaller_path_mtu_cuts_segments_up() {
    let mut peer = established();
    peer.end.write(peer.now, 4 * MSS);
    assert_eq!(peer.all().len(), 4);
    let cwnd = peer.end.window().cwnd;
    let message = |seq| Icmp::FragmentationNeeded { mtu: 640, seq };
    peer.end.on_icmp(peer.now, message(ISS.wrapping_sub(5)), &mut ());
    assert!(peer.all().is_empty(), "a segment that was never sent (RFC 5927)");
    peer.end.on_icmp(peer.now, message(ISS.wrapping_add(1)), &mut ());
    let lens: Vec<u32> = peer.all().iter().map(|segment| segment.len).collect();
    assert_eq!(lens, [600, 400, 600, 400, 600, 400, 600, 400]);
    assert_eq!((peer.end.window().cwnd, peer.end.info(peer.now).pmtu), (cwnd, 640));
    peer.end.check().unwrap();
}

/// Collects the offsets up to which data was acknowledged.
#[derive(Default)]
struct Acknowledged(Vec<u64>);

impl Observer for Acknowledged {
    fn event(&mut self, _now: Nanos, event: Event<'_>) {
        if let Event::Acknowledged { una } = event {
            self.0.push(una);
        }
    }
}

#[test]
fn a_segment_outside_the_window_acknowledges_nothing() {
    let mut peer = established();
    peer.data(0, 1000);
    peer.end.write(peer.now, 3000);
    peer.all();
    // The peer repeats data that has arrived: RFC 9293 section 3.10.7.4 answers and drops the segment before its ACK is read.
    let (repeated, plain) = (peer.segment(0, 1000, 1000), peer.segment(1000, 0, 2000));
    let mut seen = Acknowledged::default();
    peer.end.on_segment(peer.now, &repeated, &mut seen);
    assert_eq!(seen.0, []);
    peer.end.on_segment(peer.now, &plain, &mut seen);
    assert_eq!(seen.0, [2000]);
}

/// Karn's rule for the handshake (RFC 6298 section 3): what was sent more than once gives no round-trip sample, unless
/// timestamps tell which transmission was answered.
mod repeated_syn_acks {
    use ackclock_tcp::Timestamps;

    use super::*;

    /// The shortest round trip of a server whose peer repeats its SYN after `repeated` and answers the first SYN-ACK after
    /// `answered`, echoing its timestamp or without timestamps.
    fn sample(stack: &str, timestamps: bool, repeated: u64, answered: u64) -> Option<u64> {
        let config = Config { mss: MSS as u32, timestamps, ..(ackclock_tcp::stack::by_name(stack).unwrap().config)() };
        let first =
            Segment { timestamps: timestamps.then_some(Timestamps { val: 1, ecr: 0 }), ..syn(Flags::default()) };
        let (mut peer, answer) = Peer::accepted(&config, &first);
        let begin = peer.now;
        peer.now = begin + repeated;
        peer.give(&first);
        assert_eq!(peer.all().len(), 1, "{stack}: the SYN-ACK is sent again");
        peer.now = begin + answered;
        let ack = Segment {
            timestamps: answer.timestamps.map(|stamps| Timestamps { val: 2, ecr: stamps.val }),
            ..peer.segment(0, 0, 0)
        };
        peer.give(&ack);
        assert_eq!(peer.end.state(), State::Established);
        peer.end.min_rtt()
    }

    #[test]
    fn give_no_sample_that_is_too_short() {
        for stack in ["linux", "linux-3.12", "rfc", "freebsd"] {
            let (repeated, answered) = (600 * MILLISECOND, 800 * MILLISECOND);
            assert_eq!(sample(stack, false, repeated, answered), None, "{stack}");
            let measured = sample(stack, true, repeated, answered).expect("timestamps tell");
            assert!(measured.abs_diff(answered) <= 10 * MILLISECOND, "{stack}: {measured}");
        }
    }
}
