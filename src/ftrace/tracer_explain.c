/* SPDX-License-Identifier: BSD-2-Clause */
#include "ftrace/tracer_explain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/capability.h"
#include "base/file.h"
#include "base/path.h"

enum { CAP_DAC_OVERRIDE_NUMBER = 1 };

#define LOCKDOWN "/sys/kernel/security/lockdown"

/* Start an explanation. Text that is too long is truncated. */
static int why_start(struct tally_refusal *why, int code, const char *rule)
{
	memset(why, 0, sizeof(*why));
	why->code = code;
	why->pid = why->cpu = -1;
	why->broken = TALLY_RULE_OTHER;
	snprintf(why->rule, sizeof(why->rule), "%s", rule);
	return code;
}

#define FIX(why, n, ...) snprintf((why)->fix[n], sizeof((why)->fix[n]), __VA_ARGS__)
#define FOUND(why, ...)  snprintf((why)->found, sizeof((why)->found), __VA_ARGS__)
#define RULE(why, ...)   snprintf((why)->rule, sizeof((why)->rule), __VA_ARGS__)

int tally_tracer_explain_absent(struct tally_refusal *why)
{
	bool has_place = !access("/sys/kernel/tracing", F_OK);

	why_start(why, -ENOENT,
		  has_place ? "tracefs is not mounted"
			    : "this kernel was built without tracing (CONFIG_FTRACE)");
	if (has_place)
		FIX(why, 0, "as root: mount -t tracefs tracefs /sys/kernel/tracing");
	else
		FIX(why, 0, "use a kernel with CONFIG_FTRACE=y and CONFIG_FUNCTION_TRACER=y");
	return why->code;
}

/* Describe a file's mode and owner, for example "rwx------, owned by 0:0". */
static void describe_mode(const char *path, char *text, size_t size)
{
	static const char letters[] = "rwxrwxrwx";
	char mode[] = "---------";
	struct stat st;

	if (stat(path, &st)) {
		snprintf(text, size, "inaccessible");
		return;
	}
	for (int i = 0; i < 9; i++) {
		if (st.st_mode >> (8 - i) & 1)
			mode[i] = letters[i];
	}
	snprintf(text, size, "%s, owned by %u:%u", mode, st.st_uid, st.st_gid);
}

/* Explain that access was denied despite CAP_DAC_OVERRIDE, which means that the kernel itself
 * refused it. */
static int why_forbidden(struct tally_refusal *why, int code, const char *file)
{
	char *lockdown = NULL;
	size_t len;

	why_start(why, code,
		  "the kernel denies access to this part of tracefs even to root, because of "
		  "lockdown, a security module or the kernel's configuration");
	if (tally_file_read(LOCKDOWN, 256, &lockdown, &len)) {
		FOUND(why, "%s, though CAP_DAC_OVERRIDE is held; " LOCKDOWN " cannot be read",
		      file);
		FIX(why, 0, "mount -t securityfs securityfs /sys/kernel/security; cat " LOCKDOWN);
	} else {
		FOUND(why, "%s, though CAP_DAC_OVERRIDE is held; lockdown: %.*s", file,
		      (int)strcspn(lockdown, "\n"), lockdown);
	}
	FIX(why, *why->fix[0] ? 1 : 0,
	    "boot a kernel that permits it (lockdown=none, Secure Boot off), or a virtual machine");
	free(lockdown);
	return code;
}

static int why_permission(struct tally_refusal *why, int code, const char *root, const char *file,
			  bool writing)
{
	bool overrides = tally_capability_is_effective(CAP_DAC_OVERRIDE_NUMBER);
	char mode[64];

	if (overrides)
		return why_forbidden(why, code, file);
	if (faccessat(AT_FDCWD, root, X_OK, AT_EACCESS))
		file = root;
	describe_mode(file, mode, sizeof(mode));
	why_start(why, code,
		  "tracefs uses file permissions: CAP_PERFMON, which suffices for perf events, "
		  "grants no "
		  "access to it");
	FOUND(why,
	      "%s is %s; this process runs as user %u; CAP_PERFMON is %s, CAP_DAC_OVERRIDE is not "
	      "held",
	      file, mode, geteuid(),
	      tally_capability_is_effective(TALLY_CAP_PERFMON) ? "held" : "not held");
	if (writing) {
		FIX(why, 0, "run it as root: sudo tally ftrace ...");
		FIX(why, 1,
		    "for a group: make a copy of tally with setcap "
		    "cap_dac_override,cap_perfmon=ep");
		FIX(why, 2,
		    "mount -o remount,gid=GROUP,mode=750 %s lets a group list functions (-F), but "
		    "not trace",
		    root);
	} else {
		FIX(why, 0, "as root: mount -o remount,gid=GROUP,mode=750 %s", root);
		FIX(why, 1, "run it as root: sudo tally ftrace ...");
	}
	return code;
}

int tally_tracer_explain_missing(struct tally_refusal *why, const char *name, const char *available)
{
	static const struct {
		const char *tracer, *config;
	} configs[] = {
		{"function", "CONFIG_FUNCTION_TRACER"},
		{"function_graph", "CONFIG_FUNCTION_GRAPH_TRACER"},
		{"irqsoff", "CONFIG_IRQSOFF_TRACER"},
		{"preemptoff", "CONFIG_PREEMPT_TRACER"},
		{"wakeup", "CONFIG_SCHED_TRACER"},
		{"hwlat", "CONFIG_HWLAT_TRACER"},
		{"osnoise", "CONFIG_OSNOISE_TRACER"},
		{"timerlat", "CONFIG_TIMERLAT_TRACER"},
	};
	const char *config = NULL;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(configs); i++) {
		if (!strcmp(configs[i].tracer, name))
			config = configs[i].config;
	}
	why_start(why, -ENODEV, "");
	RULE(why, "the running kernel does not have the tracer '%.40s'%s%s", name,
	     config ? ": it was built without " : "", config ? config : "");
	FOUND(why, "available_tracers: %.*s", (int)strcspn(available, "\n"), available);
	if (config)
		FIX(why, 0, "use a kernel with %s=y; see: zgrep %s /proc/config.gz /boot/config-*",
		    config, config);
	else
		FIX(why, 0, "use one of the available tracers");
	return why->code;
}

int tally_tracer_explain_busy(struct tally_refusal *why, const char *found)
{
	why_start(why, -EBUSY, "another process is tracing with settings that all tracers share");
	FOUND(why, "%s", found);
	FIX(why, 0, "wait until the other process has finished");
	FIX(why, 1, "use --force to change the settings anyway; they are restored at the end");
	return why->code;
}

static int why_setting(struct tally_refusal *why, int code, const char *file, const char *value)
{
	bool functions = strstr(file, "ftrace_filter") || strstr(file, "notrace") ||
			 strstr(file, "graph_function");

	why_start(why, code, "");
	FOUND(why, "%s: %s", file, strerror(-code));
	if (code == -ENOENT && strstr(file, "/events/")) {
		RULE(why, "this kernel has no such tracepoint");
		FIX(why, 0, "run 'tally list tracepoint' to see the available tracepoints");
	} else if (code == -ENOENT) {
		RULE(why, "this kernel has no setting '%s'", tally_path_name(file));
		FIX(why, 0, "use a newer kernel, or leave out that option");
	} else if (functions) {
		RULE(why, "no traceable function matches '%.80s'", value);
		FIX(why, 0, "list traceable functions: tally ftrace -F '*PART*'");
	} else {
		RULE(why, "the kernel does not accept '%.80s' for '%s'", value,
		     tally_path_name(file));
	}
	return code;
}

int tally_tracer_explain_error(struct tally_refusal *why, int code, const char *root,
			       const char *file, const char *value, bool writing)
{
	if (code == -EACCES || code == -EPERM)
		return why_permission(why, code, root, file, writing);
	return why_setting(why, code, file, value);
}
