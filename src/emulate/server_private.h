/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the server share. */
#ifndef TALLY_EMULATE_SERVER_PRIVATE_H
#define TALLY_EMULATE_SERVER_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "emulate/backend.h"
#include "emulate/protocol.h"

/* More of one kind than any program opens: who does is refused, not served until memory is gone. */
enum { EMULATE_EVENTS_MAX = 65536, EMULATE_PROCESSES_MAX = 65536 };

struct emulate_mapping {
	int32_t pid; /* whose */
	uint64_t number;
	void *mapping; /* the backend's */
};

struct emulate_event {
	struct tally_emulate_server *server;
	uint64_t token;
	int fd;         /* our end of its socket */
	bool abandoned; /* nobody has the other end any more */
	bool hung;      /* its task is gone: whether the other end is closed cannot be seen */
	struct tally_emulate_caller opener;
	void *event; /* the backend's */
	TALLY_VEC(struct emulate_mapping) mappings;
};

struct emulate_process {
	int32_t pid;
	int fd; /* pidfd */
	/* The program it runs, as far as it was heard of. */
	uint64_t device, inode;
	char comm[16];
	bool ends; /* it said so */
};

struct emulate_connection {
	int fd;
	int32_t pid;
};

/* What a descriptor of ours is, by its number. */
enum emulate_kind {
	EMULATE_NONE,
	EMULATE_CONNECTION,
	EMULATE_PROCESS,
	EMULATE_EVENT,
	EMULATE_SOURCE
};

struct emulate_watched {
	enum emulate_kind kind;
	void *object;
};

struct tally_emulate_server {
	struct tally_emulate_backend *backend;
	char name[TALLY_EMULATE_NAME_MAX];
	int listen_fd;
	int spare_fd; /* given up to turn a client away when there are no descriptors left */
	int calls_fd; /* epoll: connections, and the backend */
	int facts_fd; /* epoll: what ended. Looked at before each call, as it happened before */
	TALLY_VEC(struct emulate_watched) watched;
	struct tally_map events;    /* token -> struct emulate_event */
	struct tally_map processes; /* pid -> struct emulate_process */
	uint64_t mappings;          /* numbers given out */
	/* One message, and its answer. */
	struct tally_emulate_request request;
	struct tally_emulate_reply reply;
	_Alignas(16) uint8_t data[TALLY_EMULATE_DATA_MAX + 16];
};

/* ---- serve.c ---- */

/* Answer server->request, `len` bytes of data behind it, into server->reply; `*ret_fd` goes along
 * and is closed, unless it is -1. */
void emulate_serve(struct tally_emulate_server *server, const struct tally_emulate_caller *caller,
		   int *ret_fd);

/* ---- events.c ---- */

/* Make the event of `opener`: `*ret_fd` is the program's end of its socket. */
int emulate_event_new(struct tally_emulate_server *server,
		      const struct tally_emulate_caller *opener, struct emulate_event **ret_event,
		      int *ret_fd);
void emulate_event_free(struct emulate_event *event);
struct emulate_event *emulate_event_find(const struct tally_emulate_server *server, uint64_t token);
/* Nobody has its descriptor any more: it goes with its last mapping. */
void emulate_event_abandon(struct emulate_event *event);
/* The mapping of that number, or (0) all of a process, or (pid 0 as well) all. */
void emulate_event_unmap(struct emulate_event *event, int32_t pid, uint64_t number);
void emulate_event_wake(void *wakes, short events);
int emulate_event_watch(void *wakes, int fd);
void emulate_event_unwatch(void *wakes, int fd);

/* ---- processes.c ---- */

/* The process, which is made known if it is not. NULL: no memory, or it is gone. */
struct emulate_process *emulate_process_get(struct tally_emulate_server *server, int32_t pid,
					    int32_t parent);
void emulate_process_exec(struct tally_emulate_server *server, struct emulate_process *process);
/* It executed a program without the library, perhaps: its connection was closed, or it ended. */
void emulate_process_look(struct tally_emulate_server *server, struct emulate_process *process);
struct emulate_process *emulate_process_find(const struct tally_emulate_server *server,
					     int32_t pid);
void emulate_process_exit(struct tally_emulate_server *server, struct emulate_process *process);
/* Whether `tid` is a thread of `pid`. */
bool emulate_is_thread(int32_t pid, int32_t tid);
/* Whose a thread is: user and group, each real, effective and saved, and effective capabilities. */
struct emulate_rights {
	unsigned user[3], group[3];
	uint64_t capabilities;
	unsigned owner; /* of its files in procfs: not its user if it must not be looked at */
};
/* As they are now. False: it is gone. */
bool emulate_rights(int32_t tid, struct emulate_rights *ret_rights);

/* ---- server.c ---- */

/* Wait for `events` of `fd` in an epoll and note what it is. 0 or -errno. */
int emulate_watch(struct tally_emulate_server *server, int epoll_fd, int fd, uint32_t events,
		  enum emulate_kind kind, void *object);
void emulate_unwatch(struct tally_emulate_server *server, int fd);

#endif
