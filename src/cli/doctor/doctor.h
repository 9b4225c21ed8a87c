/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally doctor share: what was found out about the machine. */
#ifndef TALLY_CLI_DOCTOR_DOCTOR_H
#define TALLY_CLI_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/doctor/host.h"
#include "cli/doctor/program.h"
#include "client/probe.h"
#include "tally/client.h"
#include "tally/events.h"

struct doctor_config {
	bool json;
};

/* How far a command gets: opened as the command opens it, and closed again. */
struct doctor_trial {
	int code;          /* 0, or -errno of what failed */
	unsigned fallback; /* enum tally_fallback: what was given up */
	size_t pages;      /* data pages of each ring; 0: no ring was asked for */
	size_t pages_wanted;
	struct tally_refusal why;
	bool via_user;                  /* it took the user host: the kernel refuses all */
	struct tally_refusal by_kernel; /* why, then */
};

struct doctor_tracefs {
	struct tally_event_error events; /* code 0: tracepoints can be found by name */
	struct tally_refusal why;        /* code 0: functions can be traced */
	bool function, function_graph;   /* the kernel has these tracers */
};

struct doctor {
	const struct tally_transport *transport;
	const char *root; /* put before every path; "" */
	struct tally_access access;
	struct tally_probe_call call;
	enum tally_probe_answer *features; /* of tally_probe_features */
	struct tally_pmu_probe pmu;
	enum tally_probe_answer fires[2]; /* breakpoints: of data, of code */
	struct doctor_host host;
	struct doctor_tracefs tracefs;
	int code; /* 0, or -errno: not even a child can be started */
	struct doctor_trial count, sample, sample_all, watch; /* stat; record; record -a; top */
	const char *command; /* that is going to be profiled; NULL: none was named */
	struct doctor_program program;
};

#endif
