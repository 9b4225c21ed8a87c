/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about kernel symbols and tracing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_symbols.h"
#include "cli/doctor/doctor_text.h"
#include "ftrace/tracer.h"

enum { PATH_ROOM = 512 };

/* ---- kernel symbols ------------------------------------------------------------ */

static void find_kptr(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const levels[] = {
		"addresses for everyone, if perf_event_paranoid permits",
		"addresses only with CAP_SYSLOG", "no addresses"};
	int32_t level = doctor->access.kptr_restrict;

	if (level == TALLY_ACCESS_UNKNOWN) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "cannot be read");
		return;
	}
	doctor_number(finding, level);
	doctor_finding_set(finding, DOCTOR_OK, "%d: %s", level,
			   levels[TALLY_MIN(TALLY_MAX(level, 0), 2)]);
}

/* Read the start of a file. This is enough for kallsyms, because its addresses are either all
 * hidden or all visible. (The first addresses may be zero even if visible.) */
static ssize_t read_start(const char *root, const char *path, char *to, size_t size)
{
	char full[PATH_ROOM];
	ssize_t len;
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, to, size);
	if (len < 0)
		len = -errno;
	close(fd);
	return len;
}

static void find_kallsyms(const struct doctor *doctor, struct doctor_finding *finding)
{
	char start[4096];
	struct tally_refusal why = {0};
	ssize_t len = read_start(doctor->root, "/proc/kallsyms", start, sizeof(start));

	finding->word = "no";
	if (len < 0) {
		doctor_finding_set(finding, DOCTOR_WARN,
				   "cannot be read: %s; kernel samples are shown as [kernel]",
				   strerror((int)-len));
	} else if (doctor_text_has_addresses(start, (size_t)len)) {
		finding->word = "yes";
		doctor_finding_set(finding, DOCTOR_OK, "readable, with addresses");
	} else {
		doctor_finding_set(finding, DOCTOR_WARN,
				   "without addresses: kernel samples are shown as [kernel]");
		if (!tally_access_kernel_addresses(&doctor->access, &why))
			doctor_refusal(finding, &why);
	}
}

static const struct doctor_fact symbols[] = {
	{"symbols.kptr", DOCTOR_SYMBOLS, "kptr_restrict", find_kptr},
	{"symbols.kallsyms", DOCTOR_SYMBOLS, "kallsyms", find_kallsyms},
};
const struct doctor_facts doctor_symbols_facts = {symbols, TALLY_ARRAY_SIZE(symbols)};

/* ---- tracefs ---------------------------------------------------------------------- */

static void find_tracepoints(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct tally_event_error *err = &doctor->tracefs.events;

	finding->word = err->code ? "no" : "yes";
	if (!err->code) {
		doctor_finding_set(finding, DOCTOR_OK,
				   "tracefs is readable: names and fields are available");
		return;
	}
	doctor_finding_set(finding, DOCTOR_WARN, "cannot be used by name: %s", err->text);
	if (*err->fix)
		doctor_fix(finding, "%s", err->fix);
}

static void find_functions(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_tracefs *tracefs = &doctor->tracefs;
	bool any = tracefs->function || tracefs->function_graph;

	finding->word = tracefs->why.code ? "no" : "yes";
	if (tracefs->why.code) {
		doctor_finding_set(finding, DOCTOR_NOTE, "cannot be traced");
		doctor_refusal(finding, &tracefs->why);
		return;
	}
	doctor_finding_set(finding, any ? DOCTOR_OK : DOCTOR_NOTE,
			   "tracefs is writable; tracers: %s%s%s",
			   tracefs->function ? "function" : "",
			   tracefs->function && tracefs->function_graph ? ", " : "",
			   tracefs->function_graph ? "function_graph"
			   : any                   ? ""
						   : "none");
	if (!tracefs->function_graph)
		doctor_cause(finding,
			     "durations need function_graph (CONFIG_FUNCTION_GRAPH_TRACER)");
}

/* Try to open the file, because some kernels permit access to the directory but not to its files.
 * This neither writes to the file nor truncates it. */
static int open_for_writing(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int may_trace(const char *root, char *path, size_t size)
{
	int ret;

	snprintf(path, size, "%s/instances", root);
	if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS))
		return -errno;
	snprintf(path, size, "%s/set_ftrace_pid", root);
	ret = open_for_writing(path);
	return ret == -ENOENT ? 0 : ret;
}

static void functions_probe(struct doctor_tracefs *tracefs)
{
	char path[PATH_ROOM];
	const char *root;
	int ret;

	if (tally_tracefs_find(&root, &tracefs->why))
		return;
	tracefs->why = (struct tally_refusal){0};
	ret = may_trace(root, path, sizeof(path));
	if (ret) {
		tally_tracefs_explain(root, path, ret, &tracefs->why);
		return;
	}
	tracefs->function = tally_tracer_available(root, "function");
	tracefs->function_graph = tally_tracer_available(root, "function_graph");
}

void doctor_tracefs_find(struct doctor_tracefs *ret_tracefs)
{
	struct doctor_tracefs tracefs = {0};
	struct tally_events *events = NULL;
	const char *root;

	if (tally_events_new(NULL, NULL, &events))
		tracefs.events = (struct tally_event_error){-ENOMEM, .text = "out of memory"};
	else
		tally_events_tracefs(events, &root, &tracefs.events);
	tally_events_free(events);
	functions_probe(&tracefs);
	*ret_tracefs = tracefs;
}

/* ---- ptrace ------------------------------------------------------------------------ */

static void find_ptrace(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const levels[] = {"tasks of the same user",
					     "own children, unless a task permits more",
					     "only with CAP_SYS_PTRACE", "nothing"};
	int64_t level;

	if (!doctor_read_number(doctor->root, "/proc/sys/kernel/yama/ptrace_scope", &level)) {
		doctor_finding_set(finding, DOCTOR_OK, "no yama: %s", levels[0]);
		return;
	}
	doctor_number(finding, level);
	doctor_finding_set(finding, level > 1 ? DOCTOR_NOTE : DOCTOR_OK, "%lld: %s",
			   (long long)level,
			   levels[TALLY_MIN(TALLY_MAX(level, (int64_t)0), (int64_t)3)]);
}

static const struct doctor_fact tracing[] = {
	{"tracing.tracepoints", DOCTOR_TRACING, "tracepoints", find_tracepoints},
	{"tracing.functions", DOCTOR_TRACING, "kernel functions", find_functions},
	{"tracing.ptrace", DOCTOR_TRACING, "ptrace scope", find_ptrace},
};
const struct doctor_facts doctor_tracing_facts = {tracing, TALLY_ARRAY_SIZE(tracing)};
