/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protocol between the library preloaded into programs and the server.
 *
 * An event's descriptor is one end of a SEQPACKET socketpair. The other end belongs to the server
 * and is bound to a name in the abstract namespace: TALLY_EMULATE_EVENT followed by the event's
 * token in 16 hexadecimal digits. So getpeername(2) identifies the event, however the program got
 * its descriptor: by open, dup, fork, exec or SCM_RIGHTS. The server sends data only to make the
 * descriptor readable; programs never receive that data.
 *
 * Calls use connections to the server's socket, the name of which is in an environment variable. A
 * message is a struct tally_emulate_request followed by `len` bytes. Its reply is a struct
 * tally_emulate_reply followed by `len` bytes, and is sent with a descriptor if the call returns
 * one. Both ends are from the same build: the version is checked, but nothing is converted.
 */
#ifndef TALLY_EMULATE_PROTOCOL_H
#define TALLY_EMULATE_PROTOCOL_H

#include <stdint.h>

/* Environment variable that contains the name of the server's socket in the abstract namespace. A
 * program's children need this variable and LD_PRELOAD. */
#define TALLY_EMULATE_VARIABLE "TALLY_EMULATE"

/* Prefix of the server's name if the server is for programs that use the ABI of tally/classic.h. */
#define TALLY_EMULATE_CLASSIC "tally-emulate-classic-"

#define TALLY_EMULATE_EVENT "tally-emulate-event-"

enum {
	TALLY_EMULATE_MAGIC = 0x79a11e00,
	TALLY_EMULATE_VERSION = 1,
	TALLY_EMULATE_DATA_MAX = 16384, /* maximum data size: a read(2) result, or an attr */
	TALLY_EMULATE_NAME_MAX = 64,
	TALLY_EMULATE_CLASSIC_ATTR = 56, /* size of the classic attr, which has no size field */
};

enum tally_emulate_operation {
	TALLY_EMULATE_START,       /* a program was started: by exec, or as the first program */
	TALLY_EMULATE_FORK_CHILD,  /* sent by a new process; argument[0]: parent's PID, or 0 */
	TALLY_EMULATE_FORK_PARENT, /* the caller has created process argument[0] */
	TALLY_EMULATE_END,         /* the program has called exit(3) */
	TALLY_EMULATE_OPEN,        /* data: the attr; argument: pid, cpu, flags; other: the group */
	TALLY_EMULATE_READ,        /* argument[0]: maximum number of bytes */
	TALLY_EMULATE_IOCTL,       /* argument: request, value; data: the data pointed to */
	TALLY_EMULATE_MMAP,        /* argument: length, offset, TALLY_EMULATE_MAP_* */
	TALLY_EMULATE_MUNMAP,      /* argument[0]: value[1] from the MMAP reply */
	TALLY_EMULATE_PRCTL,       /* argument[0]: the option */
	TALLY_EMULATE_WAIT, /* the caller is about to wait for events; sent if START requested it */
	TALLY_EMULATE_NR_OPERATIONS,
};

enum {
	TALLY_EMULATE_MAP_WRITE = 1 << 0,
	TALLY_EMULATE_MAP_SHARED = 1 << 1,
};

/* Value of `other` if there is no group. Any other value that does not denote an event fails with
 * EBADF. */
#define TALLY_EMULATE_NO_GROUP UINT64_MAX

struct tally_emulate_request {
	uint32_t magic;
	uint16_t version;
	uint16_t operation;
	int32_t tid; /* the calling thread */
	uint32_t len;
	uint64_t event, other; /* tokens */
	uint64_t argument[3];
};

struct tally_emulate_reply {
	uint32_t magic;
	uint32_t len;
	int64_t result; /* result of the call; -errno if it failed */
	/* START: [0] is non-zero to request WAIT messages. OPEN, if it failed with E2BIG: [0] is
	 * the supported size. MMAP: [0] is the offset in the descriptor sent with the reply, [1]
	 * identifies the mapping. */
	uint64_t value[2];
};

/* ---- arguments of ioctl(2) ---------------------------------------------------------------- */

struct tally_emulate_ioctl {
	uint32_t request;
	uint16_t in, out; /* number of bytes that the request reads and writes */
	uint8_t kind;
};

enum {
	TALLY_EMULATE_VALUE,   /* the argument is a number */
	TALLY_EMULATE_POINTER, /* pointer: `in` bytes are read, `out` bytes written */
	TALLY_EMULATE_STRING,  /* pointer to at most `in` bytes, including the NUL */
	TALLY_EMULATE_ATTR,    /* pointer to a struct perf_event_attr */
	TALLY_EMULATE_FD,      /* a descriptor; `other` is the event's token */
};

#endif
