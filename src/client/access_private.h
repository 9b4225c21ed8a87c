/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that judge a snapshot share. */
#ifndef TALLY_CLIENT_ACCESS_PRIVATE_H
#define TALLY_CLIENT_ACCESS_PRIVATE_H

#include <stdio.h>

#include "tally/client.h"

/* Format into an array member, cut off where it is full. */
#define SAY(member, ...) snprintf((member), sizeof(member), __VA_ARGS__)

/* What a rule asks for, beside other things. */
enum { ACCESS_NO_LEVEL = INT32_MIN };

struct access_rule {
	enum tally_rule rule;
	int code;       /* what the kernel says */
	int paranoid;   /* the highest level that permits it; ACCESS_NO_LEVEL: none does */
	int capability; /* CAP_SYS_ADMIN is accepted in its place */
	bool (*applies)(const struct tally_access *access, const struct tally_access_request *ask);
	const char *text;
	const char *less; /* the smallest change: to ask for less; NULL: there is none */
};

/* Events whose every hit is in the kernel: without it they count nothing, and say 0. */
bool access_only_in_kernel(const struct perf_event_attr *attr);

/* Fill in the sets of capabilities that capget(2) tells; none where it fails. */
void access_capabilities(struct tally_access *access);

/* A sysctl's value for people: one that could not be read is no number. */
struct access_level {
	char text[16];
};
struct access_level access_level(int64_t value);

/* The whole story of a rule that does not. */
void access_explain(const struct tally_access *access, const struct access_rule *rule,
		    struct tally_refusal *ret_why);

/* One more fix, cut off where it is too long; beyond TALLY_NR_FIXES the last is replaced. */
void access_fix(struct tally_refusal *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fixes that give us a capability, smallest first: the binary's, the container's. */
void access_fix_capability(const struct tally_access *access, int capability,
			   struct tally_refusal *why);

/* A fix by sysctl(8), on the host where we are not it. */
void access_fix_sysctl(const struct tally_access *access, const char *name, int64_t value,
		       struct tally_refusal *why);

#endif
