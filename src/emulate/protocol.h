/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the preloaded library of a program and the server say to each other.
 *
 * A descriptor of an event is one end of a SEQPACKET socketpair, whose other end is the server's
 * and has a name in the abstract namespace: TALLY_EMULATE_EVENT and the event's token in 16
 * hexadecimal digits. So getpeername(2) says which event a descriptor stands for, however the
 * program came by it: by open, dup, fork, exec or SCM_RIGHTS. What the server sends to it makes it
 * readable, and nothing of it is ever read as data.
 *
 * Calls go over connections to the server's socket, whose name is in the environment. A message is
 * a struct tally_emulate_request and `len` bytes; its answer a struct tally_emulate_reply and `len`
 * bytes, with a descriptor where the call gives one. Both ends are of the same build: the version
 * is checked, nothing is converted.
 */
#ifndef TALLY_EMULATE_PROTOCOL_H
#define TALLY_EMULATE_PROTOCOL_H

#include <stdint.h>

/* The variable that names the server's socket in the abstract namespace; and the other one that has
 * to be kept for a program's children: LD_PRELOAD. */
#define TALLY_EMULATE_VARIABLE "TALLY_EMULATE"

/* How the name of a server begins whose programs speak the ABI of tally/classic.h. */
#define TALLY_EMULATE_CLASSIC "tally-emulate-classic-"

#define TALLY_EMULATE_EVENT "tally-emulate-event-"

enum {
	TALLY_EMULATE_MAGIC = 0x79a11e00,
	TALLY_EMULATE_VERSION = 1,
	TALLY_EMULATE_DATA_MAX = 16384, /* behind a message: the largest read(2), or an attr */
	TALLY_EMULATE_NAME_MAX = 64,
	TALLY_EMULATE_CLASSIC_ATTR =
		56, /* bytes of the classic attr, which does not tell its size */
};

enum tally_emulate_operation {
	TALLY_EMULATE_START,  /* a program begins: after an exec, or as the first one */
	TALLY_EMULATE_FORKED, /* the caller is a new process; argument[0] its parent, or 0 */
	TALLY_EMULATE_FORKS,  /* the caller made the process argument[0] */
	TALLY_EMULATE_END,    /* the program ends by exit(3) */
	TALLY_EMULATE_OPEN,   /* data: the attr; argument: pid, cpu, flags; other: the group */
	TALLY_EMULATE_READ,   /* argument[0]: bytes */
	TALLY_EMULATE_IOCTL,  /* argument: request, value; data: what that points to */
	TALLY_EMULATE_MMAP,   /* argument: bytes, offset in bytes, TALLY_EMULATE_MAP_* */
	TALLY_EMULATE_MUNMAP, /* argument[0]: the mapping, as MMAP answered in value[1] */
	TALLY_EMULATE_PRCTL,  /* argument[0]: the option */
	TALLY_EMULATE_WAIT,   /* the caller is about to wait for events; if START asked for it */
	TALLY_EMULATE_NR_OPERATIONS,
};

enum {
	TALLY_EMULATE_MAP_WRITE = 1 << 0,
	TALLY_EMULATE_MAP_SHARED = 1 << 1,
};

/* `other` where there is none: no group. Every other value that is no event: EBADF. */
#define TALLY_EMULATE_NOTHING UINT64_MAX

struct tally_emulate_request {
	uint32_t magic;
	uint16_t version;
	uint16_t operation;
	int32_t tid; /* the thread that calls */
	uint32_t len;
	uint64_t event, other; /* tokens */
	uint64_t argument[3];
};

struct tally_emulate_reply {
	uint32_t magic;
	uint32_t len;
	int64_t result; /* of the call: -errno where it failed */
	/* START: [0] is whether WAIT is to be told. OPEN that failed with E2BIG: [0] is the size
	 * that is known. MMAP: [0] the offset in the
	 * descriptor that comes along, [1] the mapping. */
	uint64_t value[2];
};

/* ---- what an ioctl's argument points to --------------------------------------------------- */

struct tally_emulate_ioctl {
	uint32_t request;
	uint16_t in, out; /* bytes that are read, that are written */
	uint8_t kind;
};

enum {
	TALLY_EMULATE_VALUE,   /* the argument is a number */
	TALLY_EMULATE_POINTER, /* `in` bytes there are read, `out` written */
	TALLY_EMULATE_STRING,  /* at most `in` bytes with the NUL */
	TALLY_EMULATE_ATTR,    /* a struct perf_event_attr */
	TALLY_EMULATE_FD,      /* a descriptor: an event's token in `other` */
};

#endif
