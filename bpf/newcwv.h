/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * newCWV for Linux: the congestion window is kept while an application does not use it, and is reduced to the volume
 * that was used when congestion shows that it is too large (RFC 7661).
 *
 * The rule stands in front of the kernel's own Reno, or of its CUBIC where BASE_CUBIC is defined. Each has two names:
 * one paces what is sent after the path has been empty over one RTT (section 4.4.2), the other (`_np`) does not.
 *
 * docs/how-to/newcwv-linux.md says what a BPF program cannot do here, and what difference that makes.
 */
#ifndef ACKCLOCK_NEWCWV_H
#define ACKCLOCK_NEWCWV_H

#include "pipe_ack.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Initial window (RFC 6928), below which a long unused window is not reduced (RFC 7661 section 4.4.3), packets. */
#define INITIAL_WINDOW 10

/* Time for which an unused window is kept, ns (RFC 7661 section 4.4: five minutes). */
const volatile __u64 non_validated_period = 300 * NSEC_PER_SEC;

struct newcwv {
	struct pipe_ack pipe;
	bool non_validated;
	bool measured;       /* Whether the last ACK ended a round or a sample expired. */
	bool answering;      /* Whether a response to congestion is in progress. */
	bool restores;       /* Whether an undo restores a non-validated phase. */
	bool saved;          /* Whether `cwnd` and `ssthresh` hold what the kernel's restart after idle replaced. */
	bool paces;          /* Whether bursts after idle are paced. */
	bool burst;          /* Whether such a burst is being paced. */
	bool burst_known;    /* Whether `burst_end` is known. */
	__u64 since;         /* Since when the phase is non-validated, or when it was last found validated, ns. */
	__u64 restored;      /* `since` of the phase that an undo restores, ns. */
	__u64 capacity;      /* max(pipeACK, LossFlightSize), packets; 0 for the standard response. */
	__u64 bound;         /* What the end of a response does not exceed, packets. */
	__u32 retrans;       /* `total_retrans` when the response began. */
	__u32 cwnd;
	__u32 ssthresh;
	__u32 burst_end;     /* Sequence number at which the pacing of a burst ends. */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct newcwv);
} states SEC(".maps");

#ifdef BASE_CUBIC
extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;
#endif

static __always_inline __u32 base_ssthresh(struct sock *sk)
{
#ifdef BASE_CUBIC
	return cubictcp_recalc_ssthresh(sk);
#else
	return tcp_reno_ssthresh(sk);
#endif
}

/* What the base makes of a window of `used` packets after a timeout. */
static __always_inline __u32 reduced(__u64 used)
{
#ifdef BASE_CUBIC
	return most(used * 717 / 1024, 2);
#else
	return most(used / 2, 2);
#endif
}

static __always_inline void base_cong_avoid(struct sock *sk, __u32 ack, __u32 acked)
{
#ifdef BASE_CUBIC
	cubictcp_cong_avoid(sk, ack, acked);
#else
	tcp_reno_cong_avoid(sk, ack, acked);
#endif
}

static __always_inline struct newcwv *state_of(struct sock *sk)
{
	return bpf_sk_storage_get(&states, sk, NULL, 0);
}

/* Sections 4.4.3 and 4.5.2: for each period spent in the phase, ssthresh saves the window, and cwnd is halved. */
static __always_inline void end_period(struct newcwv *s, struct tcp_sock *tp, __u64 now)
{
	__u64 length = non_validated_period;
	__u64 periods = (now - s->since - 1) / length;
	__u32 cwnd = tp->snd_cwnd, ssthresh = tp->snd_ssthresh;

	s->since += periods * length;
	tp->snd_ssthresh = most(ssthresh, (__u64)cwnd * 3 / 4);
	cwnd = least(cwnd, most(periods < 32 ? cwnd >> periods : 0, INITIAL_WINDOW));
	tp->snd_cwnd = most(cwnd, 1);
}

/* Updates the phase from pipeACK and the time (section 4.3). It is entered only where pipeACK was just measured. */
static __always_inline void assess(struct newcwv *s, struct tcp_sock *tp, __u64 now, bool measured)
{
	if (s->non_validated && now - s->since > non_validated_period)
		end_period(s, tp, now);
	if (!s->pipe.defined || 2 * pipe_ack_value(&s->pipe) >= tp->snd_cwnd) {
		s->non_validated = false;
		s->since = now;
	} else if (!s->non_validated && measured) {
		/* The period counts from when the last sufficient sample expired, though no event marked that moment. */
		__u64 reached = pipe_ack_last_reached(&s->pipe, tp, now, (tp->snd_cwnd + 1) / 2);

		s->since = most(reached, s->since);
		s->non_validated = true;
		if (now - s->since > non_validated_period)
			end_period(s, tp, now);
	}
}

static __always_inline __u64 capacity_of(const struct newcwv *s, struct tcp_sock *tp)
{
	return most(s->pipe.defined ? pipe_ack_value(&s->pipe) : 0, tp->packets_out);
}

static __always_inline void end_answer(struct newcwv *s, struct tcp_sock *tp, __u64 now)
{
	s->answering = false;
	pipe_ack_reset(&s->pipe, now + sampling_period(tp));
	s->non_validated = false;
	s->since = now;
}

/* Section 4.4.2: what is sent into an empty path is spread over one RTT. */
static __always_inline void pace(struct newcwv *s, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u32 srtt_us = tp->srtt_us;

	if (!s->paces || srtt_us == 0)
		return;
	if (!s->burst && sk->sk_pacing_status != PACING_NONE)
		return;
	sk->sk_pacing_rate = ((__u64)tp->snd_cwnd * tp->mss_cache << 3) * USEC_PER_SEC / srtt_us;
	sk->sk_pacing_status = PACING_NEEDED;
	s->burst = true;
	s->burst_known = false;
}

/* Pacing ends when what was outstanding at the first ACK of the burst is acknowledged: ACKs clock the rest. */
static __always_inline void end_burst(struct newcwv *s, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!s->burst)
		return;
	if (!s->burst_known) {
		s->burst_end = tp->snd_nxt;
		s->burst_known = true;
	} else if (!before(tp->snd_una, s->burst_end)) {
		s->burst = false;
		sk->sk_pacing_status = PACING_NONE;
	}
}

static __always_inline void begin(struct sock *sk, bool paces)
{
	struct newcwv *s = bpf_sk_storage_get(&states, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);

#ifdef BASE_CUBIC
	cubictcp_init(sk);
#endif
	if (!s)
		return;
	__builtin_memset(s, 0, sizeof(*s));
	pipe_ack_reset(&s->pipe, MAX_U64);
	s->since = bpf_ktime_get_ns();
	s->paces = paces;
}

SEC("struct_ops/newcwv_init")
void BPF_PROG(newcwv_init, struct sock *sk)
{
	begin(sk, true);
}

SEC("struct_ops/newcwv_np_init")
void BPF_PROG(newcwv_np_init, struct sock *sk)
{
	begin(sk, false);
}

SEC("struct_ops/newcwv_pkts_acked")
void BPF_PROG(newcwv_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct newcwv *s = state_of(sk);
	__u64 now = bpf_ktime_get_ns();

#ifdef BASE_CUBIC
	cubictcp_acked(sk, sample);
#endif
	if (!s)
		return;
	end_burst(s, sk);
	if (s->answering || ca_state(sk) >= CA_CWR)
		return;
	s->measured = pipe_ack_on_ack(&s->pipe, tp, now, sample->pkts_acked) || !is_cwnd_limited(tp);
	assess(s, tp, now, s->measured);
}

SEC("struct_ops/newcwv_cong_avoid")
void BPF_PROG(newcwv_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct newcwv *s = state_of(sk);

	/* Section 4.4: in the non-validated phase only a sender that is limited by its window may increase it. */
	if (s && !s->answering && s->non_validated && !is_cwnd_limited(tcp_sk(sk)))
		return;
	base_cong_avoid(sk, ack, acked);
}

/* Section 4.4.1: the response to congestion in the non-validated phase is half of what was used. */
SEC("struct_ops/newcwv_ssthresh")
__u32 BPF_PROG(newcwv_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct newcwv *s = state_of(sk);
	__u64 now = bpf_ktime_get_ns();
	__u32 cwnd = tp->snd_cwnd, ssthresh;
	bool expired, was;

	if (!s || s->answering)
		return base_ssthresh(sk);
	expired = pipe_ack_expire(&s->pipe, tp, now);
	assess(s, tp, now, expired);
	was = s->non_validated;
	s->restores = was;
	s->restored = s->since;
	s->capacity = was ? least(capacity_of(s, tp), cwnd) : 0;
	s->bound = MAX_U64;
	s->retrans = tp->total_retrans;
	s->answering = true;
	s->non_validated = false;
	s->since = now;
	pipe_ack_freeze(&s->pipe);
	/* The base remembers the window of a congestion, such as W_max of CUBIC: it must be one that was used. */
	if (was)
		tp->snd_cwnd = most(s->capacity, 1);
	ssthresh = base_ssthresh(sk);
	tp->snd_cwnd = cwnd;
	return was ? most(s->capacity / 2, 2) : ssthresh;
}

SEC("struct_ops/newcwv_cwnd_event")
void BPF_PROG(newcwv_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct newcwv *s = state_of(sk);
	__u64 now = bpf_ktime_get_ns();
	bool expired;

#ifdef BASE_CUBIC
	cubictcp_cwnd_event(sk, event);
#endif
	if (!s)
		return;
	switch (event) {
	case CA_EVENT_CWND_RESTART:
		/* The kernel is about to restart from the initial window. It may do so several times before it sends. */
		if (!s->saved) {
			s->cwnd = tp->snd_cwnd;
			s->ssthresh = tp->snd_ssthresh;
			s->saved = true;
		}
		break;
	case CA_EVENT_TX_START:
		if (s->saved) {
			tp->snd_cwnd = s->cwnd;
			tp->snd_ssthresh = s->ssthresh;
			s->saved = false;
		}
		if (!s->answering && ca_state(sk) < CA_CWR) {
			/* Section 4.5.2: the end of the period is checked when a new segment is sent. */
			expired = pipe_ack_expire(&s->pipe, tp, now);
			assess(s, tp, now, expired);
		}
		pace(s, sk);
		break;
	case CA_EVENT_LOSS:
		/* A timeout: RFC 5681 applies, which takes FlightSize (section 4.4). */
		if (s->answering && s->capacity) {
			tp->snd_ssthresh = reduced(least(tp->packets_out, s->capacity));
			s->capacity = 0;
		}
		break;
	case CA_EVENT_COMPLETE_CWR:
		if (!s->answering)
			break;
		if (s->capacity) {
			/* R: what was sent again because it was taken for lost. */
			__u64 again = tp->total_retrans - s->retrans;
			__u64 left = s->capacity > again ? (s->capacity - again) / 2 : 0;

			tp->snd_cwnd = most(least(least(left, tp->snd_ssthresh), s->bound), 1);
			tp->snd_ssthresh = most(tp->snd_cwnd, 2);
		}
		end_answer(s, tp, now);
		break;
	default:
		break;
	}
}

SEC("struct_ops/newcwv_set_state")
void BPF_PROG(newcwv_set_state, struct sock *sk, __u8 new_state)
{
	struct newcwv *s = state_of(sk);

#ifdef BASE_CUBIC
	cubictcp_state(sk, new_state);
#endif
	/* The response to a timeout ends here; the others end with CA_EVENT_COMPLETE_CWR, which comes after this. */
	if (s && s->answering && new_state < CA_CWR && ca_state(sk) == CA_LOSS)
		end_answer(s, tcp_sk(sk), bpf_ktime_get_ns());
}

/* The congestion was none: the window is restored, and the phase that it ended. */
SEC("struct_ops/newcwv_undo_cwnd")
__u32 BPF_PROG(newcwv_undo_cwnd, struct sock *sk)
{
	struct newcwv *s = state_of(sk);

	if (s) {
		s->answering = false;
		if (s->restores) {
			s->restores = false;
			s->non_validated = true;
			s->since = s->restored;
			s->pipe.defined = true;
		}
	}
	return tcp_reno_undo_cwnd(sk);
}

#ifdef BASE_CUBIC
#define PACED newcwv_cubic
#define NOT_PACED newcwv_cubic_np
#else
#define PACED newcwv
#define NOT_PACED newcwv_np
#endif
#define STRING(name) #name
#define QUOTED(name) STRING(name)

#define OPS(ops, start)                                                                                                \
	SEC(".struct_ops")                                                                                             \
	struct tcp_congestion_ops ops = {                                                                              \
		.name = QUOTED(ops),                                                                                   \
		.flags = TCP_CONG_NON_RESTRICTED,                                                                      \
		.init = (void *)start,                                                                                 \
		.ssthresh = (void *)newcwv_ssthresh,                                                                   \
		.cong_avoid = (void *)newcwv_cong_avoid,                                                               \
		.set_state = (void *)newcwv_set_state,                                                                 \
		.cwnd_event = (void *)newcwv_cwnd_event,                                                               \
		.pkts_acked = (void *)newcwv_pkts_acked,                                                               \
		.undo_cwnd = (void *)newcwv_undo_cwnd,                                                                 \
	}

OPS(PACED, newcwv_init);
OPS(NOT_PACED, newcwv_np_init);

#endif
