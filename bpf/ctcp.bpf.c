/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compound TCP, which Linux has not: the sum of Reno's window and a second window, dwnd, that grows while packets do
 * not wait (K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP approach for high-speed and long distance
 * networks", INFOCOM 2006; draft-sridharan-tcpm-ctcp-02).
 *
 * The equations and constants are those of ackclock's `compound`; `ackclock list cc compound` says where they come
 * from. snd_cwnd is the sum of both windows. Numbers with a fraction are in 1024ths.
 */
#include "kernel.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define ONE 1024       /* A whole. */
#define GAMMA 30       /* Backlog from which dwnd falls, packets. */
#define LOW_WINDOW 38  /* Window below which dwnd does not grow, packets. */
#define ALPHA_SHIFT 3  /* dwnd grows by win^(3/4) / 8 - 1 packets a round. */
#define LARGEST 0x3fffff /* Window that the arithmetic is made for, packets. */

struct compound {
	__u64 dwnd;      /* Packets. */
	__u64 saved;     /* dwnd before the last reduction, packets. */
	__u64 credit;    /* Growth of dwnd that is less than a packet, 1024ths. */
	__u64 base_us;   /* Smallest RTT. */
	__u64 sum_us;    /* Sum of the round's RTT samples. */
	__u64 samples;   /* Their number. */
	__u32 mark;      /* Sequence number that ends the round. */
	bool grows;      /* Whether dwnd grows in this round. */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct compound);
} compounds SEC(".maps");

static __always_inline struct compound *state_of(struct sock *sk)
{
	return bpf_sk_storage_get(&compounds, sk, NULL, 0);
}

/* The square root, by Newton's rule from above: six steps are exact to a 1024th for what is asked here. */
static __always_inline __u64 root(__u64 n)
{
	__u64 bits = 0, rest = n, x;

	if (rest >> 32) { bits += 32; rest >>= 32; }
	if (rest >> 16) { bits += 16; rest >>= 16; }
	if (rest >> 8) { bits += 8; rest >>= 8; }
	if (rest >> 4) { bits += 4; rest >>= 4; }
	if (rest >> 2) { bits += 2; rest >>= 2; }
	x = 1ULL << (bits / 2 + 1);
	x = (x + n / x) / 2;
	x = (x + n / x) / 2;
	x = (x + n / x) / 2;
	x = (x + n / x) / 2;
	x = (x + n / x) / 2;
	x = (x + n / x) / 2;
	return x;
}

/* The growth of dwnd in a round for a window of `win` packets, 1024ths. */
static __always_inline __u64 growth(__u64 win)
{
	__u64 power;

	if (win < LOW_WINDOW)
		return 0;
	win = least(win, LARGEST);
	power = root(win * root(win << 20) << 10) >> ALPHA_SHIFT;
	return power > ONE ? power - ONE : 0;
}

/* dwnd, of which at least a packet of the window is no part. */
static __always_inline __u64 bounded(const struct compound *s, __u32 cwnd)
{
	return least(s->dwnd, cwnd > 1 ? cwnd - 1 : 0);
}

SEC("struct_ops/ctcp_init")
void BPF_PROG(ctcp_init, struct sock *sk)
{
	struct compound *s = bpf_sk_storage_get(&compounds, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);

	if (!s)
		return;
	__builtin_memset(s, 0, sizeof(*s));
	s->base_us = MAX_U64;
	s->mark = tcp_sk(sk)->snd_nxt;
}

SEC("struct_ops/ctcp_pkts_acked")
void BPF_PROG(ctcp_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct compound *s = state_of(sk);
	__s32 rtt_us = sample->rtt_us;
	__u64 mean_us, diff;
	__u32 cwnd;

	if (!s)
		return;
	if (rtt_us > 0) {
		s->base_us = least(s->base_us, rtt_us);
		s->sum_us += rtt_us;
		s->samples++;
	}
	if (before(tp->snd_una, s->mark))
		return;
	s->mark = tp->snd_nxt;
	mean_us = s->samples ? s->sum_us / s->samples : 0;
	s->sum_us = 0;
	s->samples = 0;
	cwnd = tp->snd_cwnd;
	if (mean_us == 0 || ca_state(sk) >= CA_CWR || cwnd < tp->snd_ssthresh)
		return;
	diff = cwnd * (mean_us - s->base_us) / mean_us;
	s->grows = diff < GAMMA;
	s->dwnd = bounded(s, cwnd);
	if (!s->grows) {
		diff = least(diff, s->dwnd);
		s->dwnd -= diff;
		tp->snd_cwnd = cwnd - diff;
	}
}

SEC("struct_ops/ctcp_cong_avoid")
void BPF_PROG(ctcp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct compound *s = state_of(sk);
	__u32 cwnd = tp->snd_cwnd;
	__u64 more;

	if (!s || cwnd < tp->snd_ssthresh) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	if (!is_cwnd_limited(tp))
		return;
	tcp_cong_avoid_ai(tp, cwnd, acked);
	if (!s->grows || cwnd == 0)
		return;
	s->credit += growth(cwnd) * acked / cwnd;
	more = s->credit / ONE;
	if (more == 0)
		return;
	s->credit %= ONE;
	s->dwnd = bounded(s, tp->snd_cwnd) + more;
	tp->snd_cwnd += more;
}

SEC("struct_ops/ctcp_ssthresh")
__u32 BPF_PROG(ctcp_ssthresh, struct sock *sk)
{
	struct compound *s = state_of(sk);
	__u32 cwnd = tcp_sk(sk)->snd_cwnd;
	__u32 half = most(cwnd / 2, 2);
	__u64 by_loss;

	if (!s)
		return half;
	s->saved = s->dwnd;
	by_loss = cwnd - bounded(s, cwnd);
	s->dwnd = half > by_loss / 2 ? half - by_loss / 2 : 0;
	s->grows = false;
	return half;
}

SEC("struct_ops/ctcp_cwnd_event")
void BPF_PROG(ctcp_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct compound *s = state_of(sk);

	if (!s || event != CA_EVENT_LOSS)
		return;
	s->dwnd = 0;
	s->grows = false;
}

SEC("struct_ops/ctcp_undo_cwnd")
__u32 BPF_PROG(ctcp_undo_cwnd, struct sock *sk)
{
	struct compound *s = state_of(sk);

	if (s)
		s->dwnd = s->saved;
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops ctcp = {
	.name = "ctcp",
	.flags = TCP_CONG_NON_RESTRICTED,
	.init = (void *)ctcp_init,
	.ssthresh = (void *)ctcp_ssthresh,
	.cong_avoid = (void *)ctcp_cong_avoid,
	.cwnd_event = (void *)ctcp_cwnd_event,
	.pkts_acked = (void *)ctcp_pkts_acked,
	.undo_cwnd = (void *)ctcp_undo_cwnd,
};
