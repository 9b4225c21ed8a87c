/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/main/print.h"
#include "cli/main/progress.h"

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
	struct tally_progress progress;
	uint64_t started; /* ns */
	long file_bytes;  /* size of the current file */
	uint64_t bytes;   /* total size of all previous files */
	int given_up;     /* -errno if fetching the current file was aborted, or 0 */
};

/* Global because neither a signal handler nor the library's callback takes a user data argument. */
static volatile sig_atomic_t is_interrupted;
static struct tally_debuginfod *current;

static void on_interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

static int progress_check(struct tally_debuginfod *owner, long done, long all)
{
	/* The total is 0 until the transfer has started. */
	if (all > 0)
		owner->file_bytes = done;
	tally_progress_at(&owner->progress, (uint64_t)TALLY_MAX(all > 0 ? done : 0, 0),
			  (uint64_t)TALLY_MAX(all, 0));
	if (is_interrupted)
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

/* Set the servers. By default, give up quickly on a server that does not respond; the user's own
 * settings take precedence. */
static int servers_name(const char *urls)
{
	if (*urls && setenv("DEBUGINFOD_URLS", urls, 1))
		return -ENOMEM;
	urls = getenv("DEBUGINFOD_URLS");
	if (!urls || !urls[strspn(urls, " ")]) {
		tally_print_error("option '--debuginfod': no server specified");
		tally_print_hint("use --debuginfod=URL, or set DEBUGINFOD_URLS in the environment");
		return -EINVAL;
	}
	return setenv("DEBUGINFOD_TIMEOUT", "10", 0) || setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0)
		       ? -ENOMEM
		       : 0;
}

static int client_begin(struct tally_debuginfod *client)
{
	if (!library_load(client)) {
		tally_print_error("--debuginfod: %s",
				  client->handle ? "libdebuginfod.so.1 lacks a required function"
						 : "libdebuginfod.so.1 is not installed");
		tally_print_hint("install Debian's libdebuginfod1 or Fedora's "
				 "elfutils-debuginfod-client package");
		return -ENOSYS;
	}
	client->client = client->library.begin();
	if (!client->client)
		return -ENOMEM;
	client->library.set_progress(client->client, on_progress);
	is_interrupted = 0;
	return 0;
}

int tally_debuginfod_open(const char *urls, struct tally_debuginfod **ret_client)
{
	struct tally_debuginfod *client;
	int ret = servers_name(urls);

	if (ret)
		return ret;
	client = calloc(1, sizeof(*client));
	ret = client ? client_begin(client) : -ENOMEM;
	if (ret)
		tally_debuginfod_close(client);
	else
		*ret_client = client;
	return ret;
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

/* Query the servers, which can take minutes. Returns a file descriptor or -errno. */
static int find(struct tally_debuginfod *client, const uint8_t *build_id, size_t size,
		char **ret_path)
{
	const struct sigaction action = {.sa_handler = on_interrupt};
	struct sigaction before;
	int fd;

	current = client;
	client->started = tally_clock_now();
	client->file_bytes = 0;
	client->given_up = 0;
	sigaction(SIGINT, &action, &before);
	/* SIGINT may be ignored because tally was started in the background; keep ignoring it. */
	if (before.sa_handler == SIG_IGN)
		sigaction(SIGINT, &before, NULL);
	fd = client->library.find(client->client, build_id, (int)size, ret_path);
	sigaction(SIGINT, &before, NULL);
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
	client->progress = tally_progress_start("fetching debug information for",
						tally_str_text(&shown), true);
	fd = find(client, build_id, size, &path);
	tally_progress_end(&client->progress);
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
