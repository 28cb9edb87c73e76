/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pipeACK: the largest volume, in packets, that the network acknowledged in one recent round trip (RFC 7661 sections
 * 4.2 and 4.5).
 *
 * A round begins with an ACK and covers the packets that were outstanding just before it. Linux counts its window in
 * packets, so pipeACK is counted in packets, too: a connection of small writes uses its window as Linux means it.
 */
#ifndef ACKCLOCK_PIPE_ACK_H
#define ACKCLOCK_PIPE_ACK_H

#include "kernel.h"

/* Parts of the sampling period (RFC 7661 section 4.5.1 suggests five). */
#define PERIODS 5

struct period {
	__u64 start;   /* Time of the period's first sample, ns. */
	__u64 highest; /* Packets; 0 means that the period is unused. */
};

struct pipe_ack {
	struct period periods[PERIODS];
	__u32 current;
	bool defined;    /* Otherwise the value is "undefined" (section 4.1). */
	bool open;       /* Whether a round is in progress. */
	__u64 highest;   /* Highest sample of the live periods. */
	__u64 expiry;    /* Time at which the first live period becomes too old, ns. */
	__u32 mark;      /* Sequence number that ends the round. */
	__u32 volume;    /* Packets that were outstanding when the round began. */
	__u32 acked;     /* Packets of the round that have been acknowledged. */
};

/* The sampling period, max(3 * RTT, 1 s), in ns (section 4.2). */
static __always_inline __u64 sampling_period(struct tcp_sock *tp)
{
	return most(3 * (__u64)(tp->srtt_us >> 3) * NSEC_PER_USEC, NSEC_PER_SEC);
}

static __always_inline void pipe_ack_reset(struct pipe_ack *pipe, __u64 expiry)
{
	__builtin_memset(pipe, 0, sizeof(*pipe));
	pipe->expiry = expiry;
}

/*
 * The value, where defined. What the open round has seen so far is less than its final sample, so it counts already:
 * a burst whose tail is lost counts without its last ACKs (section 4.2, the note on FlightSize).
 */
static __always_inline __u64 pipe_ack_value(const struct pipe_ack *pipe)
{
	return most(pipe->highest, pipe->open ? pipe->acked : 0);
}

/* A period's age counts from its start, so that no sample in it outlives the sampling period (section 4.2). */
static __always_inline void pipe_ack_refresh(struct pipe_ack *pipe, struct tcp_sock *tp, __u64 now)
{
	__u64 length = sampling_period(tp);

	pipe->highest = 0;
	pipe->expiry = MAX_U64;
	pipe->defined = true;
	for (int i = 0; i < PERIODS; i++) {
		__u64 end = pipe->periods[i].start + length;

		if (pipe->periods[i].highest == 0 || now >= end)
			continue;
		pipe->highest = most(pipe->highest, pipe->periods[i].highest);
		pipe->expiry = least(pipe->expiry, end);
	}
}

static __always_inline void pipe_ack_record(struct pipe_ack *pipe, struct tcp_sock *tp, __u64 now, __u32 sample)
{
	__u32 current = pipe->current;

	if (current >= PERIODS)
		return;
	if (pipe->defined && now - pipe->periods[current].start < sampling_period(tp) / PERIODS) {
		pipe->periods[current].highest = most(pipe->periods[current].highest, sample);
	} else {
		current = current + 1 < PERIODS ? current + 1 : 0;
		pipe->current = current;
		pipe->periods[current].start = now;
		pipe->periods[current].highest = sample;
	}
	pipe_ack_refresh(pipe, tp, now);
}

/*
 * Drops samples that are too old. Returns whether the value may have fallen. An undefined value becomes zero once a
 * sampling period has passed without a sample and nothing is outstanding: section 4.5.1 counts inactivity as samples
 * of zero, and a sender that idles after a recovery would otherwise keep its window for ever.
 */
static __always_inline bool pipe_ack_expire(struct pipe_ack *pipe, struct tcp_sock *tp, __u64 now)
{
	__u64 old = pipe->highest;

	if (now < pipe->expiry)
		return false;
	if (!pipe->defined) {
		if (tp->packets_out != 0)
			return false;
		pipe->defined = true;
		return true;
	}
	pipe_ack_refresh(pipe, tp, now);
	return pipe->highest < old;
}

/* Processes an ACK outside recovery. Returns whether a round ended or the highest sample became too old. */
static __always_inline bool pipe_ack_on_ack(struct pipe_ack *pipe, struct tcp_sock *tp, __u64 now, __u32 acked)
{
	bool ended = !pipe->open || !before(tp->snd_una, pipe->mark);

	pipe->acked += acked;
	if (ended) {
		if (pipe->open)
			pipe_ack_record(pipe, tp, now, pipe->volume);
		pipe->volume = tp->packets_out + acked;
		pipe->mark = tp->snd_nxt;
		pipe->acked = acked;
		pipe->open = tp->packets_out > 0;
		/* With nothing outstanding any more this ACK is a round of its own. */
		if (!pipe->open && acked > 0)
			pipe_ack_record(pipe, tp, now, acked);
	}
	return pipe_ack_expire(pipe, tp, now) || ended;
}

/* Keeps the value and drops the open round, because recovery begins: no samples are taken in it (section 4.2). */
static __always_inline void pipe_ack_freeze(struct pipe_ack *pipe)
{
	pipe->highest = pipe_ack_value(pipe);
	pipe->open = false;
}

/*
 * Time at which the last sample of at least `volume` packets became too old, ns; without any sample, the time at which
 * the value ceased to be undefined.
 */
static __always_inline __u64 pipe_ack_last_reached(struct pipe_ack *pipe, struct tcp_sock *tp, __u64 now, __u64 volume)
{
	__u64 length = sampling_period(tp), last = 0;
	bool sampled = false;

	for (int i = 0; i < PERIODS; i++) {
		sampled |= pipe->periods[i].highest > 0;
		if (pipe->periods[i].highest > 0 && pipe->periods[i].highest >= volume)
			last = most(last, pipe->periods[i].start + length);
	}
	if (last == 0)
		last = sampled ? now : pipe->expiry;
	return least(last, now);
}

#endif
