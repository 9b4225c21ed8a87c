/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of tally doctor share: what was found out about the machine, and facts, each a row
 * {id, section, title, function} that puts a part of it into words.
 */
#ifndef TALLY_CLI_DOCTOR_DOCTOR_H
#define TALLY_CLI_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "cli/doctor/program.h"
#include "client/probe.h"
#include "tally/client.h"

struct doctor_config {
	bool json;
};

/* ---- findings --------------------------------------------------------------- */

/* How a fact bears on profiling. */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing */
	DOCTOR_WARN,    /* something cannot be had */
	DOCTOR_BAD,     /* stands in the way of profiling */
	DOCTOR_UNKNOWN, /* could not be found out */
};

enum { DOCTOR_FIXES = 5 };

struct doctor_finding {
	enum doctor_state state;
	struct tally_str text, cause, fix[DOCTOR_FIXES]; /* fixes: smallest change first */
	size_t nr_fixes;
	/* The same for programs; a word or a number, if the fact has one. */
	const char *word;
	bool has_number;
	int64_t number;
};

void doctor_say(struct doctor_finding *finding, enum doctor_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_cause(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_fix(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_number(struct doctor_finding *finding, int64_t number);

/* A refusal's rule and what was found as the cause, its fixes as fixes. To ask for less is none: of
 * an event those are left out, and so is the first one of rings larger than the smallest. */
void doctor_refusal(struct doctor_finding *finding, const struct tally_refusal *why);
void doctor_refusal_of_rings(struct doctor_finding *finding, const struct tally_refusal *why);

void doctor_finding_free(struct doctor_finding *finding);

/* ---- what was found out -------------------------------------------------------- */

/* What this runs in, by the traces that it leaves. */
struct doctor_host {
	const char *container;  /* "docker", "wsl2", ...; NULL: none seen */
	const char *trace;      /* where it was seen */
	const char *hypervisor; /* "KVM", "an unknown hypervisor"; NULL: none seen */
	const char *vpmu;       /* how that one is told to offer counters; NULL */
};

/* `root` is put before every path. */
void doctor_host_find(const char *root, struct doctor_host *ret_host);

/* How far a command gets: opened as the command opens it, and closed again. */
struct doctor_trial {
	int code;          /* 0, or -errno of what failed */
	unsigned fallback; /* enum tally_fallback: what was given up */
	size_t pages;      /* data pages of each ring; 0: no ring was asked for */
	size_t pages_wanted;
	struct tally_refusal why;
};

struct doctor_tracefs {
	struct tally_event_error events; /* code 0: tracepoints can be found by name */
	struct tally_refusal why;        /* code 0: functions can be traced */
	bool function, function_graph;   /* the kernel has these tracers */
};

void doctor_tracefs_find(struct doctor_tracefs *ret_tracefs);

struct doctor {
	const struct tally_transport *transport;
	const char *root; /* put before every path; "" */
	struct tally_permits permits;
	struct tally_probe_call call;
	enum tally_probe_answer *features; /* of tally_probe_features */
	struct tally_pmu_probe pmu;
	struct doctor_host host;
	struct doctor_tracefs tracefs;
	int code; /* 0, or -errno: not even a child can be started */
	struct doctor_trial count, sample, sample_all, watch; /* stat; record; record -a; top */
	const char *command; /* that is going to be profiled; NULL: none was named */
	struct doctor_program program;
};

/* What perf_event_open said, in words: the error `code`, or that it kills who calls it. */
const char *doctor_answer(const struct doctor *doctor, int code);

/* Open, map and close what the commands would. */
void doctor_trials(struct doctor *doctor);

/* The whole text of a small file below the doctor's root, to be freed; NULL: not to be read. Ends
 * with a NUL. `ret_len` may be NULL. */
char *doctor_read(const char *root, const char *path, size_t *ret_len);

/* A whole file that is a number. */
bool doctor_read_number(const char *root, const char *path, int64_t *ret_value);

/* ---- facts ------------------------------------------------------------------------ */

enum doctor_section {
	DOCTOR_KERNEL,
	DOCTOR_RIGHTS,
	DOCTOR_COUNTERS,
	DOCTOR_LIMITS,
	DOCTOR_SYMBOLS,
	DOCTOR_TRACING,
	DOCTOR_PROGRAM,
	DOCTOR_VERDICT,
	DOCTOR_NR_SECTIONS,
};

struct doctor_fact {
	const char *id; /* stable: "rights.paranoid" */
	enum doctor_section section;
	const char *title;
	void (*find)(const struct doctor *doctor, struct doctor_finding *finding);
};

struct doctor_facts {
	const struct doctor_fact *facts;
	size_t nr;
};

/* A table for each file of facts. */
extern const struct doctor_facts doctor_kernel_facts, doctor_rights_facts, doctor_counters_facts,
	doctor_limits_facts, doctor_symbols_facts, doctor_tracing_facts, doctor_file_facts,
	doctor_program_facts, doctor_verdict_facts;

/* ---- verdicts ------------------------------------------------------------------------ */

/* Whether anything can be counted or sampled. (A verdict is a fact whose state is OK: works, WARN:
 * works partly, or BAD: does not.) */
bool doctor_works(const struct doctor *doctor);

/* ---- output ---------------------------------------------------------------------------- */

struct doctor_line {
	const struct doctor_fact *fact;
	struct doctor_finding finding;
};

/* All lines in order, to stdout. 0, -ENOMEM, or the error of writing. */
int doctor_print_text(const struct doctor *doctor, const struct doctor_line *lines, size_t nr);
int doctor_print_json(const struct doctor *doctor, const struct doctor_line *lines, size_t nr);

#endif
