/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What these programs read and write of the kernel.
 *
 * The structures name only the fields that are used. Their places are found when a program is loaded, from the BTF of
 * the kernel that loads it (CO-RE).
 */
#ifndef ACKCLOCK_KERNEL_H
#define ACKCLOCK_KERNEL_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_USEC 1000ULL
#define USEC_PER_SEC 1000000ULL
#define MAX_U64 0xffffffffffffffffULL

/* States in which congestion is being answered (include/uapi/linux/tcp.h, enum tcp_ca_state). */
enum { CA_CWR = 2, CA_LOSS = 4 };

/* Every process and every network namespace may choose the algorithm (include/net/tcp.h). */
#define TCP_CONG_NON_RESTRICTED 1

/* Whether the kernel's TCP paces a socket (include/net/sock.h, enum sk_pacing). */
enum { PACING_NONE = 0, PACING_NEEDED = 1 };

/* What happens to a window (include/net/tcp.h). */
enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	unsigned long sk_pacing_rate;
	__u32 sk_pacing_status;
};

struct inet_connection_sock {
	__u8 icsk_ca_state : 5;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 packets_out;
	__u32 total_retrans;
	__u32 mss_cache;
	__u32 srtt_us;
	__u8 is_cwnd_limited : 1;
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};

struct tcp_congestion_ops {
	char name[16];
	__u32 flags;
	void (*init)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
};

#pragma clang attribute pop

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 window, __u32 acked) __ksym;

/* A socket of a congestion control is that of a TCP connection. */
static __always_inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline __u8 ca_state(struct sock *sk)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;

	return BPF_CORE_READ_BITFIELD(icsk, icsk_ca_state);
}

static __always_inline bool is_cwnd_limited(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
}

/* Whether sequence number `a` is before `b`. */
static __always_inline bool before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

static __always_inline __u64 least(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline __u64 most(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

#endif
