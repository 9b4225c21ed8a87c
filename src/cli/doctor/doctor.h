/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the source files of tally doctor: the facts found about the machine. */
#ifndef TALLY_CLI_DOCTOR_DOCTOR_H
#define TALLY_CLI_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/doctor/doctor_host.h"
#include "cli/doctor/doctor_program.h"
#include "client/client_probe.h"
#include "tally/client.h"
#include "tally/events.h"

struct doctor_config {
	bool json;
};

/* Result of a trial, which opens the same events and ring buffers as a command and closes them
 * again. */
struct doctor_trial {
	int code;          /* 0, or -errno of the step that failed */
	unsigned fallback; /* enum tally_fallback: fallbacks that were necessary */
	size_t pages;      /* data pages per ring buffer, or 0 if none was requested */
	size_t pages_wanted;
	struct tally_refusal why;
	bool via_user;                  /* the user host was used, because the kernel rejects all
	                                 * events */
	struct tally_refusal by_kernel; /* with via_user: the kernel's reason */
};

struct doctor_tracefs {
	struct tally_event_error events; /* code is 0 if tracepoints can be used by name */
	struct tally_refusal why;        /* code is 0 if functions can be traced */
	bool function, function_graph;   /* the kernel has these tracers */
};

struct doctor {
	const struct tally_transport *transport;
	const char *root; /* prefix of all paths, usually "" */
	struct tally_access access;
	struct tally_probe_call call;
	enum tally_probe_answer *features; /* indexed like tally_probe_features */
	struct tally_pmu_probe pmu;
	enum tally_probe_answer fires[2]; /* index 0: data breakpoints; index 1: code breakpoints */
	struct doctor_host host;
	struct doctor_tracefs tracefs;
	int code; /* 0, or -errno if a child process cannot even be started */
	struct doctor_trial count, sample, sample_all, watch; /* stat, record, record -a, top */
	const char *command; /* program to be profiled, or NULL if none was given */
	struct doctor_program program;
};

#endif
