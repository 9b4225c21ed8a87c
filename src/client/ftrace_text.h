/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of tracefs/trace_pipe: of the function and function_graph tracers and of events. The text
 * is made for people and differs between kernels, so what is not understood is no error but
 * TALLY_FTRACE_OTHER.
 */
#ifndef TALLY_CLIENT_FTRACE_TEXT_H
#define TALLY_CLIENT_FTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_ftrace_kind {
	TALLY_FTRACE_OTHER,
	TALLY_FTRACE_ENTRY,  /* function_graph: name() { */
	TALLY_FTRACE_LEAF,   /* name(); */
	TALLY_FTRACE_RETURN, /* } with its name where funcgraph-tail is set */
	TALLY_FTRACE_EVENT,  /* task, CPU, time, name: a tracepoint, or a call by function */
	TALLY_FTRACE_LOST,   /* a gap in the CPU's records */
};

/* The events of system calls are told by the call's name: "sys_read(fd: 3)", "sys_read -> 0x1". */
enum tally_ftrace_syscall {
	TALLY_FTRACE_NO_SYSCALL,
	TALLY_FTRACE_SYSCALL_ENTER,
	TALLY_FTRACE_SYSCALL_EXIT,
};

struct tally_ftrace_line {
	enum tally_ftrace_kind kind;
	int32_t cpu;      /* -1: not told */
	int32_t tid;      /* of EVENT; -1: not told */
	bool has_ns;      /* `ns` is set */
	uint64_t ns;      /* LEAF, RETURN: how long it took; EVENT: when it was */
	const char *name; /* in the line, not NUL-terminated; NULL: none */
	size_t name_len;
	enum tally_ftrace_syscall syscall; /* of EVENT */
	uint64_t lost; /* LOST: events, 0 where the kernel does not know how many */
};

/* Take a line, without its newline, apart. Any bytes will do. */
void tally_ftrace_line_parse(const char *line, size_t len, struct tally_ftrace_line *ret_line);

#endif
