/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations of violated rules: the setting found, the setting needed, and how to change it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/arith.h"
#include "client/access_private.h"

/* ---- names ------------------------------------------------------------------- */

static const struct {
	enum tally_rule rule;
	const char *name;
} rule_names[] = {
	{TALLY_RULE_NONE, "none"},
	{TALLY_RULE_OTHER, "other"},
	{TALLY_RULE_NO_SYSCALL, "no-syscall"},
	{TALLY_RULE_SECCOMP, "seccomp"},
	{TALLY_RULE_FORBID_ALL, "forbid-all"},
	{TALLY_RULE_SECURITY_MODULE, "security-module"},
	{TALLY_RULE_KERNEL, "kernel"},
	{TALLY_RULE_KERNEL_BRANCHES, "kernel-branches"},
	{TALLY_RULE_KERNEL_ADDRESSES, "kernel-addresses"},
	{TALLY_RULE_FOREIGN_MAPS, "foreign-maps"},
	{TALLY_RULE_PHYSICAL_ADDRESS, "physical-address"},
	{TALLY_RULE_NAMESPACES, "namespaces"},
	{TALLY_RULE_PROBE, "probe"},
	{TALLY_RULE_CPU_WIDE, "cpu-wide"},
	{TALLY_RULE_TRACEPOINT_DATA, "tracepoint-data"},
	{TALLY_RULE_KERNEL_BREAKPOINT, "kernel-breakpoint"},
	{TALLY_RULE_FOREIGN_TASK, "foreign-task"},
	{TALLY_RULE_LOCKED_MEMORY, "locked-memory"},
	{TALLY_RULE_NO_TASK, "no-task"},
	{TALLY_RULE_NO_CPU, "no-cpu"},
	{TALLY_RULE_NO_PMU, "no-pmu"},
	{TALLY_RULE_UNKNOWN_EVENT, "unknown-event"},
	{TALLY_RULE_NOT_CAPABLE, "not-capable"},
	{TALLY_RULE_BUSY, "busy"},
	{TALLY_RULE_DESCRIPTORS, "descriptors"},
	{TALLY_RULE_SYSTEM_FILES, "system-files"},
	{TALLY_RULE_MEMORY, "memory"},
	{TALLY_RULE_SAMPLE_RATE, "sample-rate"},
	{TALLY_RULE_STACK_DEPTH, "stack-depth"},
	{TALLY_RULE_BAD_ATTR, "bad-attr"},
};

const char *tally_rule_name(enum tally_rule rule)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rule_names); i++) {
		if (rule_names[i].rule == rule)
			return rule_names[i].name;
	}
	return "other";
}

/* Return true for permission rules, which come first in the enum. */
bool tally_rule_is_permission(enum tally_rule rule)
{
	return rule > TALLY_RULE_NONE && rule <= TALLY_RULE_LOCKED_MEMORY;
}

/* Write a name such as "cap_perfmon", or the number if the capability is not in the table.
 * setcap(8) accepts both. */
static void capability_name(int capability, char *ret_name, size_t size)
{
	static const struct {
		int capability;
		const char *name;
	} names[] = {
		{TALLY_CAP_IPC_LOCK, "cap_ipc_lock"},   {TALLY_CAP_SYS_PTRACE, "cap_sys_ptrace"},
		{TALLY_CAP_SYS_ADMIN, "cap_sys_admin"}, {TALLY_CAP_SYSLOG, "cap_syslog"},
		{TALLY_CAP_PERFMON, "cap_perfmon"},
	};

	snprintf(ret_name, size, "%d", capability);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (names[i].capability == capability)
			snprintf(ret_name, size, "%s", names[i].name);
	}
}

/* Write the name in capitals, as manual pages do. */
static void capability_title(int capability, char *ret_title, size_t size)
{
	capability_name(capability, ret_title, size);
	for (char *at = ret_title; *at; at++)
		*at = (char)toupper((unsigned char)*at);
}

/* ---- fixes ------------------------------------------------------------------- */

void access_add_fix(struct tally_refusal *why, const char *format, ...)
{
	va_list args;
	size_t i = 0;

	while (i < TALLY_NR_FIXES - 1 && *why->fix[i])
		i++;
	va_start(args, format);
	vsnprintf(why->fix[i], sizeof(why->fix[i]), format, args);
	va_end(args);
}

static void list_add(char *list, size_t size, int capability)
{
	size_t len = strlen(list);
	char name[32];

	capability_name(capability, name, sizeof(name));
	if (len + strlen(name) + 2 <= size)
		snprintf(list + len, size - len, "%s%s", len ? "," : "", name);
}

/* Suggest a setcap(8) command. setcap replaces a file's capabilities, so the command also lists the
 * capabilities that the process already has. */
static void fix_setcap(const struct tally_access *access, int capability, struct tally_refusal *why)
{
	char list[160] = "";

	list_add(list, sizeof(list), capability);
	for (int i = 0; i < 64; i++) {
		if (access->permitted >> i & 1 && i != capability)
			list_add(list, sizeof(list), i);
	}
	access_add_fix(why, "sudo setcap %s=ep %s%s", list, access->program,
		       capability == TALLY_CAP_PERFMON
			       ? " (cap_sys_admin is accepted too, but discouraged)"
			       : "");
}

/* Return true if file capabilities would help: they must be effective (initial user namespace), not
 * disabled (root, no_new_privs, a nosuid mount), and in the bounding set. */
static bool setcap_helps(const struct tally_access *access, int capability)
{
	return access->initial_user_namespace && access->uid && !access->no_new_privileges &&
	       !access->nosuid && access->bounding >> capability & 1;
}

void access_fix_capability(const struct tally_access *access, int capability,
			   struct tally_refusal *why)
{
	char title[32];

	capability_title(capability, title, sizeof(title));
	if (setcap_helps(access, capability))
		fix_setcap(access, capability, why);
	if (access->uid && access->bounding >> capability & 1 && access->no_new_privileges)
		access_add_fix(why,
			       "run tally without no_new_privs, which disables file capabilities");
	if (access->uid && access->bounding >> capability & 1 && access->nosuid)
		access_add_fix(
			why,
			"copy %s to a file system without nosuid, and run setcap %s=ep on the copy",
			access->program, title);
	if (!(access->bounding >> capability & 1))
		access_add_fix(why, "in a container: start the container with --cap-add %s",
			       title + strlen("CAP_"));
	if (!access->initial_user_namespace)
		access_add_fix(why, "run tally outside the user namespace (docker: --userns=host), "
				    "because capabilities inside the namespace do not count");
}

void access_fix_sysctl(const struct tally_access *access, const char *name, int64_t value,
		       struct tally_refusal *why)
{
	bool is_host = access->initial_user_namespace && !access->sysctl_readonly;

	access_add_fix(why, "sudo sysctl %s=%" PRId64 " (for all users%s)", name, value,
		       is_host ? "" : ", on the host");
}

/* ---- explanation of a rule ----------------------------------------------------- */

struct access_level access_level(int64_t value)
{
	struct access_level level = {"unreadable"};

	if (value != TALLY_ACCESS_UNKNOWN)
		FORMAT_TEXT(level.text, "%" PRId64, value);
	return level;
}

static void explain_found(const struct tally_access *access, int capability,
			  struct tally_refusal *why)
{
	bool inside = access->permitted >> capability & 1;
	char title[32];

	capability_title(capability, title, sizeof(title));
	FORMAT_TEXT(why->found, "kernel.perf_event_paranoid is %s, and %s is %s",
		    access_level(access->paranoid).text, title,
		    inside ? "held only in this user namespace, where it does not count"
			   : "not held");
}

void access_explain(const struct tally_access *access, const struct access_rule *rule,
		    struct tally_refusal *why)
{
	char title[32];

	capability_title(rule->capability, title, sizeof(title));
	why->code = rule->code;
	why->broken = rule->rule;
	FORMAT_TEXT(why->rule, "%s", rule->text);
	explain_found(access, rule->capability, why);
	FORMAT_TEXT(why->needed, "%s", title);
	if (rule->paranoid != ACCESS_NO_LEVEL)
		FORMAT_TEXT(why->needed, "%s, or kernel.perf_event_paranoid of at most %d", title,
			    rule->paranoid);
	if (rule->less)
		access_add_fix(why, "%s", rule->less);
	access_fix_capability(access, rule->capability, why);
	if (rule->paranoid != ACCESS_NO_LEVEL && access->paranoid > rule->paranoid)
		access_fix_sysctl(access, "kernel.perf_event_paranoid", rule->paranoid, why);
}
