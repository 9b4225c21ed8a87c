/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/debuginfod.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef TALLY_STATIC
#include <dlfcn.h>
#endif

#include "base/arith.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/path.h"

#define FETCH_NS_MAX (300 * UINT64_C(1000000000))

enum { FETCH_BYTES_MAX = INT32_MAX };

/* Declarations equivalent to elfutils/debuginfod.h. */
struct debuginfod_client;

struct library {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find)(struct debuginfod_client *client, const unsigned char *id, int len,
		    char **ret_path);
	void (*set_progress)(struct debuginfod_client *client,
			     int (*progress)(struct debuginfod_client *client, long done,
					     long all));
};

struct tally_debuginfod {
	void *handle;
	struct library library;
	struct debuginfod_client *client;
	const struct tally_progress *progress;
	const char *name; /* of the current file */
	bool is_ignored;  /* SIGINT is ignored */
	uint64_t started; /* ns */
	long file_bytes;  /* size of the current file */
	uint64_t bytes;   /* total size of all previous files */
	int given_up;     /* -errno if fetching the current file was aborted, or 0 */
};

/* The client that is fetching in this thread, because the library's callback takes no argument. */
static _Thread_local struct tally_debuginfod *current;

/* Return true if SIGINT is pending. It is blocked during a transfer. */
static bool is_interrupted(const struct tally_debuginfod *owner)
{
	sigset_t pending;

	sigpending(&pending);
	return !owner->is_ignored && sigismember(&pending, SIGINT);
}

static int progress_check(struct tally_debuginfod *owner, long done, long all)
{
	/* The total is 0 until the transfer has started. */
	if (all > 0)
		owner->file_bytes = done;
	tally_progress_at(owner->progress, TALLY_DEBUGINFOD_VERB, owner->name,
			  (uint64_t)TALLY_MAX(all > 0 ? done : 0, 0), (uint64_t)TALLY_MAX(all, 0));
	if (is_interrupted(owner))
		return -EINTR;
	if (TALLY_MAX(done, all) > FETCH_BYTES_MAX)
		return -EFBIG;
	return tally_clock_now() - owner->started > FETCH_NS_MAX ? -ETIME : 0;
}

/* Progress callback, called by libdebuginfod at least once a second. */
static int on_progress(struct debuginfod_client *client, long done, long all)
{
	(void)client;
	current->given_up = progress_check(current, done, all);
	return current->given_up != 0;
}

/* ---- opening --------------------------------------------------------------------- */

#define SYMBOL(member, name)                           \
	{                                              \
		offsetof(struct library, member), name \
	}

static const struct {
	size_t offset;
	const char *name;
} library_symbols[] = {
	SYMBOL(begin, "debuginfod_begin"),
	SYMBOL(end, "debuginfod_end"),
	SYMBOL(find, "debuginfod_find_debuginfo"),
	SYMBOL(set_progress, "debuginfod_set_progressfn"),
};

#ifdef TALLY_STATIC
bool tally_debuginfod_available(void)
{
	return false;
}

static bool library_load(struct tally_debuginfod *client)
{
	(void)client;
	(void)library_symbols;
	return false;
}
#else
bool tally_debuginfod_available(void)
{
	return true;
}

static bool library_load(struct tally_debuginfod *client)
{
	client->handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; client->handle && i < TALLY_ARRAY_SIZE(library_symbols); i++) {
		void *symbol = dlsym(client->handle, library_symbols[i].name);

		if (!symbol)
			return false;
		memcpy((char *)&client->library + library_symbols[i].offset, &symbol,
		       sizeof(symbol));
	}
	return client->handle;
}
#endif

/* Set the servers. By default, give up quickly on a server that does not respond; the user's own
 * settings take precedence. */
static int servers_name(const char *urls, const struct tally_messages *to)
{
	if (*urls && setenv("DEBUGINFOD_URLS", urls, 1))
		return -ENOMEM;
	urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !urls[strspn(urls, " ")]) {
		tally_message_error(to, "option '--debuginfod': no server specified");
		tally_message_hint(
			to, "use --debuginfod=URL, or set DEBUGINFOD_URLS in the environment");
		return -EINVAL;
	}
	return setenv("DEBUGINFOD_TIMEOUT", "10", 0) || setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0)
		       ? -ENOMEM
		       : 0;
}

static int client_begin(struct tally_debuginfod *client, const struct tally_messages *to)
{
	if (!tally_debuginfod_available()) {
		tally_message_error(to, "--debuginfod: a static tally cannot load libdebuginfod");
		tally_message_hint(to, "use a tally that was built without -Dstatic=true");
		return -ENOSYS;
	}
	if (!library_load(client)) {
		tally_message_error(to, "--debuginfod: %s",
				    client->handle ? "libdebuginfod.so.1 lacks a required function"
						   : "libdebuginfod.so.1 is not installed");
		tally_message_hint(to, "install Debian's libdebuginfod1 or Fedora's "
				       "elfutils-debuginfod-client package");
		return -ENOSYS;
	}
	client->client = client->library.begin();
	if (!client->client)
		return -ENOMEM;
	client->library.set_progress(client->client, on_progress);
	return 0;
}

int tally_debuginfod_open(const char *urls, const struct tally_messages *to,
			  const struct tally_progress *progress,
			  struct tally_debuginfod **ret_client)
{
	struct tally_debuginfod *client;
	int ret = servers_name(urls, to);

	if (ret)
		return ret;
	client = calloc(1, sizeof(*client));
	ret = client ? client_begin(client, to) : -ENOMEM;
	if (ret) {
		tally_debuginfod_close(client);
		return ret;
	}
	client->progress = progress;
	*ret_client = client;
	return 0;
}

void tally_debuginfod_close(struct tally_debuginfod *client)
{
	if (!client)
		return;
	if (client->client)
		client->library.end(client->client);
	/* Threads started by libcurl may still be running, so the library stays loaded. */
	free(client);
}

/* ---- fetching -------------------------------------------------------------------- */

/* Reduce DIR/BUILDID/debuginfo to DIR. */
static void dir_of(char *path, struct tally_str *ret_dir)
{
	for (int i = 0; i < 2 && strrchr(path, '/'); i++)
		*strrchr(path, '/') = 0;
	tally_str_clear(ret_dir);
	tally_str_add(ret_dir, path);
}

/* Block SIGINT, so that progress_check() finds it pending. */
static void interrupts_block(struct tally_debuginfod *client, sigset_t *ret_before)
{
	struct sigaction action;
	sigset_t interrupt;

	sigaction(SIGINT, NULL, &action);
	/* A blocked signal becomes pending even if it is ignored. */
	client->is_ignored = action.sa_handler == SIG_IGN;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, ret_before);
}

/* Take the pending SIGINT, if it has canceled the transfer, and restore the signal mask. */
static void interrupts_restore(const struct tally_debuginfod *client, const sigset_t *before)
{
	const struct timespec none = {0};
	sigset_t interrupt;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	if (client->given_up == -EINTR)
		(void)sigtimedwait(&interrupt, NULL, &none);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Query the servers, which can take minutes. Returns a file descriptor or -errno. */
static int find(struct tally_debuginfod *client, const uint8_t *build_id, size_t size,
		char **ret_path)
{
	sigset_t before;
	int fd;

	current = client;
	client->started = tally_clock_now();
	client->file_bytes = 0;
	client->given_up = 0;
	interrupts_block(client, &before);
	fd = client->library.find(client->client, build_id, (int)size, ret_path);
	interrupts_restore(client, &before);
	current = NULL;
	return fd < 0 && client->given_up ? client->given_up : fd;
}

int tally_debuginfod_fetch(struct tally_debuginfod *client, const uint8_t *build_id, size_t size,
			   const char *name, struct tally_str *ret_dir)
{
	struct tally_str shown = {0};
	char *path = NULL;
	int fd;

	tally_str_add_escaped(&shown, tally_path_name(name));
	client->name = tally_str_text(&shown);
	fd = find(client, build_id, size, &path);
	tally_progress_end(client->progress);
	tally_str_free(&shown);
	if (fd < 0)
		return fd;
	client->bytes += (uint64_t)client->file_bytes;
	close(fd);
	dir_of(path, ret_dir);
	free(path);
	return tally_str_error(ret_dir);
}

uint64_t tally_debuginfod_fetched(const struct tally_debuginfod *client)
{
	return client->bytes;
}
