/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to emulate/; shared by the server's source files. */
#ifndef TALLY_EMULATE_SERVER_PRIVATE_H
#define TALLY_EMULATE_SERVER_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "emulate/backend.h"
#include "emulate/protocol.h"

/* Limits well above the needs of any program. Requests that exceed them are rejected before memory
 * runs out. */
enum { EMULATE_EVENTS_MAX = 65536, EMULATE_PROCESSES_MAX = 65536 };

struct emulate_mapping {
	int32_t pid; /* process that has mapped the ring */
	uint64_t number;
	void *mapping; /* the backend's mapping */
};

struct emulate_event {
	struct tally_emulate_server *server;
	uint64_t token;
	int fd;         /* our end of the socketpair */
	bool abandoned; /* true once all copies of the other end are closed */
	bool hung;      /* the task has exited; closing the other end goes undetected */
	struct tally_emulate_caller opener;
	void *event; /* the backend's event */
	TALLY_VEC(struct emulate_mapping) mappings;
};

struct emulate_process {
	int32_t pid;
	int fd; /* pidfd */
	/* The running program, if known. */
	uint64_t device, inode;
	char comm[16];
	bool ends; /* END was received: the process is exiting */
};

struct emulate_connection {
	int fd;
	int32_t pid;
};

/* Kind of object that a descriptor belongs to. */
enum emulate_kind {
	EMULATE_NONE,
	EMULATE_CONNECTION,
	EMULATE_PROCESS,
	EMULATE_EVENT,
	EMULATE_WAKEUP
};

struct emulate_watched {
	enum emulate_kind kind;
	void *object;
};

struct tally_emulate_server {
	struct tally_emulate_backend *backend;
	char name[TALLY_EMULATE_NAME_MAX];
	int listen_fd;
	int spare_fd; /* closed to accept and disconnect a client when out of descriptors */
	int calls_fd; /* epoll: connections and the backend */
	int facts_fd; /* epoll: exits and hangups, which are handled before any call */
	TALLY_VEC(struct emulate_watched) watched;
	struct tally_map events;    /* token -> struct emulate_event */
	struct tally_map processes; /* pid -> struct emulate_process */
	uint64_t mappings;          /* number assigned to the most recent mapping */
	/* The current message and its reply. */
	struct tally_emulate_request request;
	struct tally_emulate_reply reply;
	_Alignas(16) uint8_t data[TALLY_EMULATE_DATA_MAX + 16];
};

/* ---- emulate_serve.c ---- */

/* Handle server->request and its data in server->data, and fill in server->reply. `*ret_fd` is -1,
 * or a descriptor to be sent with the reply and then closed. */
void emulate_serve(struct tally_emulate_server *server, const struct tally_emulate_caller *caller,
		   int *ret_fd);

/* ---- emulate_events.c ---- */

/* Create an event for `opener`. `*ret_fd` is the program's end of the event's socketpair. */
int emulate_event_new(struct tally_emulate_server *server,
		      const struct tally_emulate_caller *opener, struct emulate_event **ret_event,
		      int *ret_fd);
void emulate_event_free(struct emulate_event *event);
struct emulate_event *emulate_event_find(const struct tally_emulate_server *server, uint64_t token);
/* Free an event after all copies of its descriptor have been closed. A mapped event is freed with
 * its last mapping. */
void emulate_event_abandon(struct emulate_event *event);
/* Unmap the mapping `number`. If `number` is 0, unmap all mappings of the process; if `pid` is also
 * 0, unmap all mappings. */
void emulate_event_unmap(struct emulate_event *event, int32_t pid, uint64_t number);
void emulate_event_wake(void *wakes, short events);
int emulate_event_watch(void *wakes, int fd);
void emulate_event_unwatch(void *wakes, int fd);

/* ---- processes.c ---- */

/* Find a process, or register it if it is unknown. Returns NULL if out of memory, or if the process
 * has exited. */
struct emulate_process *emulate_process_get(struct tally_emulate_server *server, int32_t pid,
					    int32_t parent);
void emulate_process_exec(struct tally_emulate_server *server, struct emulate_process *process);
/* Check whether the process has executed a program without the library. Called when the process has
 * exited or its connection has been closed. */
void emulate_process_check_exec(struct tally_emulate_server *server,
				struct emulate_process *process);
struct emulate_process *emulate_process_find(const struct tally_emulate_server *server,
					     int32_t pid);
void emulate_process_exit(struct tally_emulate_server *server, struct emulate_process *process);
/* Return true if `tid` is a thread of `pid`. */
bool emulate_is_thread(int32_t pid, int32_t tid);
/* A thread's credentials: real, effective and saved user and group IDs, and effective
 * capabilities. */
struct emulate_rights {
	unsigned user[3], group[3];
	uint64_t capabilities;
	unsigned owner; /* owner of the thread's procfs files; its UID only if dumpable */
};
/* Read a thread's current credentials. Returns false if the thread has exited. */
bool emulate_rights(int32_t tid, struct emulate_rights *ret_rights);

/* ---- server.c ---- */

/* Add `fd` to an epoll set for `events`, and record its kind. Returns 0 or -errno. */
int emulate_watch(struct tally_emulate_server *server, int epoll_fd, int fd, uint32_t events,
		  enum emulate_kind kind, void *object);
void emulate_unwatch(struct tally_emulate_server *server, int fd);

#endif
