/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by access*.c; private to client/. */
#ifndef TALLY_CLIENT_ACCESS_PRIVATE_H
#define TALLY_CLIENT_ACCESS_PRIVATE_H

#include <stdio.h>

#include "tally/client.h"

/* Format text into a char array member, truncated to the array's size. */
#define FORMAT_TEXT(member, ...) snprintf((member), sizeof(member), __VA_ARGS__)

/* Value of access_rule.paranoid if the event is not permitted at any level. */
enum { ACCESS_NO_LEVEL = INT32_MIN };

struct access_rule {
	enum tally_rule rule;
	int code;       /* -errno that the kernel returns */
	int paranoid;   /* highest level that permits the event, or ACCESS_NO_LEVEL */
	int capability; /* capability that permits the event; so does CAP_SYS_ADMIN */
	bool (*applies)(const struct tally_access *access, const struct tally_access_request *ask);
	const char *text;
	const char *less; /* suggestion for requesting less, or NULL */
};

/* Return true if the event only occurs in the kernel, so that it would count 0 with
 * exclude_kernel. */
bool access_only_in_kernel(const struct perf_event_attr *attr);

/* Fill in the capability sets returned by capget(2). Leave them unchanged on failure. */
void access_capabilities(struct tally_access *access);

/* A sysctl value for display: the number, or "unreadable". */
struct access_level {
	char text[16];
};
struct access_level access_level(int64_t value);

/* Explain a violated rule: fill in the error code, the rule, the settings found and needed, and the
 * fixes. */
void access_explain(const struct tally_access *access, const struct access_rule *rule,
		    struct tally_refusal *ret_why);

/* Append a fix, truncated if too long. If there are already TALLY_NR_FIXES fixes, replace the last
 * one. */
void access_add_fix(struct tally_refusal *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append fixes that provide a capability, least invasive first: for the binary, then for the
 * container. */
void access_fix_capability(const struct tally_access *access, int capability,
			   struct tally_refusal *why);

/* Append a fix that runs sysctl(8), on the host if this is a container. */
void access_fix_sysctl(const struct tally_access *access, const char *name, int64_t value,
		       struct tally_refusal *why);

#endif
