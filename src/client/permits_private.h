/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that judge a snapshot share. */
#ifndef TALLY_CLIENT_PERMITS_PRIVATE_H
#define TALLY_CLIENT_PERMITS_PRIVATE_H

#include <stdio.h>

#include "tally/client.h"

/* Format into an array member, cut off where it is full. */
#define SAY(member, ...) snprintf((member), sizeof(member), __VA_ARGS__)

/* What a rule asks for, beside other things. */
enum { PERMITS_NO_LEVEL = INT32_MIN };

struct permits_rule {
	enum tally_rule rule;
	int code;       /* what the kernel says */
	int paranoid;   /* the highest level that permits it; PERMITS_NO_LEVEL: none does */
	int capability; /* CAP_SYS_ADMIN is accepted in its place */
	bool (*applies)(const struct tally_permits *permits, const struct tally_permits_ask *ask);
	const char *text;
	const char *less; /* the smallest change: to ask for less; NULL: there is none */
};

/* Events whose every hit is in the kernel: without it they count nothing, and say 0. */
bool permits_only_in_kernel(const struct perf_event_attr *attr);

/* Fill in the sets of capabilities that capget(2) tells; none where it fails. */
void permits_capabilities(struct tally_permits *permits);

/* A sysctl's value for people: one that could not be read is no number. */
struct permits_level {
	char text[16];
};
struct permits_level permits_level(int64_t value);

/* The whole story of a rule that does not. */
void permits_tell(const struct tally_permits *permits, const struct permits_rule *rule,
		  struct tally_refusal *ret_why);

/* One more fix, cut off where it is too long; beyond TALLY_NR_FIXES the last is replaced. */
void permits_fix(struct tally_refusal *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fixes that give us a capability, smallest first: the binary's, the container's. */
void permits_fix_capability(const struct tally_permits *permits, int capability,
			    struct tally_refusal *why);

/* A fix by sysctl(8), on the host where we are not it. */
void permits_fix_sysctl(const struct tally_permits *permits, const char *name, int64_t value,
			struct tally_refusal *why);

#endif
