/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parser for lines from tracefs/trace_pipe, written by the function and function_graph tracers and
 * by events. The text is intended for humans and differs between kernels. A line that is not
 * understood becomes TALLY_FTRACE_OTHER and is not an error.
 */
#ifndef TALLY_FTRACE_TEXT_H
#define TALLY_FTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_ftrace_kind {
	TALLY_FTRACE_OTHER,
	TALLY_FTRACE_ENTRY,  /* function_graph: name() { */
	TALLY_FTRACE_LEAF,   /* name(); */
	TALLY_FTRACE_RETURN, /* }, and also the name if funcgraph-tail is set */
	TALLY_FTRACE_EVENT,  /* task, CPU, time, name: a tracepoint or a call (function tracer) */
	TALLY_FTRACE_LOST,   /* a gap in the CPU's records */
};

/* System call events are printed with the call's name: "sys_read(fd: 3)", "sys_read -> 0x1". */
enum tally_ftrace_syscall {
	TALLY_FTRACE_NO_SYSCALL,
	TALLY_FTRACE_SYSCALL_ENTER,
	TALLY_FTRACE_SYSCALL_EXIT,
};

struct tally_ftrace_line {
	enum tally_ftrace_kind kind;
	int32_t cpu;      /* -1 if unknown */
	int32_t tid;      /* EVENT only; -1 if unknown */
	bool has_ns;      /* `ns` is valid */
	uint64_t ns;      /* duration for LEAF and RETURN, timestamp for EVENT */
	const char *name; /* points into the line, not NUL-terminated; or NULL */
	size_t name_len;
	enum tally_ftrace_syscall syscall; /* EVENT only */
	uint64_t lost; /* LOST: number of lost events, or 0 if unknown to the kernel */
};

/* Parse a line without its newline. Arbitrary bytes are accepted. */
void tally_ftrace_line_parse(const char *line, size_t len, struct tally_ftrace_line *ret_line);

#endif
