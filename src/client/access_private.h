/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/: shared by the access*.c files. */
#ifndef TALLY_CLIENT_ACCESS_PRIVATE_H
#define TALLY_CLIENT_ACCESS_PRIVATE_H

#include <stdio.h>

#include "tally/client.h"

/* Format into a char array member, truncated to its size. */
#define FORMAT_TEXT(member, ...) snprintf((member), sizeof(member), __VA_ARGS__)

/* Value of access_rule.paranoid if no level permits the event. */
enum { ACCESS_NO_LEVEL = INT32_MIN };

struct access_rule {
	enum tally_rule rule;
	int code;       /* negative errno value that the kernel returns */
	int paranoid;   /* highest level that permits it, or ACCESS_NO_LEVEL */
	int capability; /* CAP_SYS_ADMIN is accepted instead */
	bool (*applies)(const struct tally_access *access, const struct tally_access_request *ask);
	const char *text;
	const char *less; /* fix that asks for less, or NULL */
};

/* Return whether the event only occurs in the kernel, so that it counts 0 with exclude_kernel. */
bool access_only_in_kernel(const struct perf_event_attr *attr);

/* Fill in the capability sets that capget(2) returns; leave them unchanged if it fails. */
void access_capabilities(struct tally_access *access);

/* A sysctl value for display: the number, or "unreadable". */
struct access_level {
	char text[16];
};
struct access_level access_level(int64_t value);

/* Explain a broken rule: fills in the code, the rule, what was found and needed, and the fixes. */
void access_explain(const struct tally_access *access, const struct access_rule *rule,
		    struct tally_refusal *ret_why);

/* Append a fix, truncated if it is too long. Beyond TALLY_NR_FIXES it replaces the last one. */
void access_add_fix(struct tally_refusal *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append fixes that provide a capability, least invasive first: for the binary, for the container.
 */
void access_fix_capability(const struct tally_access *access, int capability,
			   struct tally_refusal *why);

/* Append a fix by sysctl(8), to be run on the host if this is a container. */
void access_fix_sysctl(const struct tally_access *access, const char *name, int64_t value,
		       struct tally_refusal *why);

#endif
