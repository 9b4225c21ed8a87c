/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/stat_prometheus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/stat/exposition.h"
#include "cli/stat/stat_count.h"
#include "cli/stat/stat_show.h"
#include "http/http_server.h"

enum {
	/* Default port: outside of 9100 to 9999, which Prometheus allocates to exporters. */
	PORT = 18255,
	FILE_MS = 1000, /* default interval of a file */
	SERIES_MAX = 100000,
};

#define OPEN_METRICS "application/openmetrics-text"

struct stat_prometheus {
	struct tally_http_server *server; /* NULL for a file */
	bool *exposed;                    /* indexed by row */
	uint64_t *values;                 /* indexed like the cells */
	uint64_t started, start_time;     /* CLOCK_MONOTONIC, and the same in ns since 1970 */
	uint64_t read_errors;
	bool has_failed; /* the last reading failed: the cells are incomplete */
};

/* ---- counts --------------------------------------------------------------- */

/* Store the values of the cells. */
static void keep_values(struct stat_session *session)
{
	struct stat_table table = stat_table_of(session);

	stat_exposition_keep(&table, session->prometheus->values);
}

static uint64_t ns_since_1970(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int read_values(struct stat_session *session)
{
	struct stat_prometheus *prometheus = session->prometheus;
	uint64_t now = tally_clock_now();
	int ret;

	/* --delay changes the start. */
	if (prometheus->started != session->started) {
		prometheus->started = session->started;
		prometheus->start_time = ns_since_1970() - (now - session->started);
	}
	session->times.wall = now - session->started;
	ret = stat_count_read(session, false);
	prometheus->has_failed = ret;
	if (ret)
		prometheus->read_errors++;
	else
		keep_values(session);
	return ret;
}

static int text_add(struct stat_session *session, bool is_open, struct tally_str *out)
{
	const struct stat_prometheus *prometheus = session->prometheus;
	struct stat_table table = stat_table_of(session);
	struct stat_exposition exposition = {
		.table = &table,
		.exposed = prometheus->exposed,
		.values = prometheus->values,
		.start_time = prometheus->start_time,
		.read_errors = prometheus->read_errors,
		.is_open = is_open,
	};

	return stat_exposition_add(&exposition, out);
}

/* ---- HTTP ----------------------------------------------------------------- */

static bool path_is(const struct tally_http_request *request, const char *path)
{
	return request->path_len == strlen(path) && !memcmp(request->path, path, request->path_len);
}

/* Return true if the client prefers OpenMetrics to the text format. */
static bool wants_open(const struct tally_http_request *request)
{
	int open = tally_http_request_accepts(request, OPEN_METRICS, "1.0.0");

	return open > 0 && open >= tally_http_request_accepts(request, "text/plain", "0.0.4");
}

static void answer(void *arg, const struct tally_http_request *request,
		   struct tally_http_response *response)
{
	struct stat_session *session = arg;
	bool is_open = wants_open(request);

	if (path_is(request, "/")) {
		tally_str_add(&response->body, "tally stat: the counters are at /metrics\n");
		return;
	}
	if (!path_is(request, "/metrics")) {
		response->status = TALLY_HTTP_NOT_FOUND;
		return;
	}
	if (!session->config->publish_ms)
		(void)read_values(session);
	if (session->prometheus->has_failed) {
		response->status = TALLY_HTTP_ERROR;
		tally_str_add(&response->body, "cannot read the counters\n");
		return;
	}
	response->type = is_open ? OPEN_METRICS "; version=1.0.0; charset=utf-8"
				 : "text/plain; version=0.0.4; charset=utf-8";
	if (text_add(session, is_open, &response->body)) {
		tally_str_clear(&response->body);
		response->status = TALLY_HTTP_ERROR;
	}
}

/* ---- file ----------------------------------------------------------------- */

static bool is_file(const char *text)
{
	const char *dot = strrchr(text, '.');

	return strchr(text, '/') || (dot && !strcmp(dot, ".prom"));
}

static int replacement_open(const struct stat_config *config,
			    struct tally_replacement *ret_replacement)
{
	return tally_overwrite_open("--prometheus", config->prometheus, TALLY_OVERWRITE_METRICS,
				    config->force, ret_replacement);
}

/* Replace the file. A pending signal, which ends the run, leaves the previous file. */
static int file_write(const struct stat_config *config, const struct tally_str *text)
{
	struct tally_replacement replacement;
	int ret = replacement_open(config, &replacement);

	if (ret)
		return ret;
	ret = tally_file_write_all(replacement.fd, text->data, text->len);
	if (ret)
		tally_replacement_print_error(config->prometheus, ret);
	else
		ret = tally_replacement_commit(&replacement, -1);
	tally_replacement_close(&replacement);
	return ret == -EINTR ? 0 : ret;
}

static int file_publish(struct stat_session *session)
{
	struct tally_str text = {0};
	int ret = text_add(session, false, &text);

	if (!ret)
		ret = file_write(session->config, &text);
	tally_str_free(&text);
	return ret;
}

/* ---- options -------------------------------------------------------------- */

int stat_prometheus_check(struct stat_config *config)
{
	struct tally_http_address address;

	if (!config->prometheus)
		return 0;
	/* The interval publishes the counts instead of printing them. */
	config->publish_ms = config->interval_ms;
	config->interval_ms = 0;
	if (strstr(config->prometheus, "://")) {
		tally_print_error("--prometheus=%s: is a URL", config->prometheus);
		tally_print_hint("use only ADDRESS:PORT; the path is always /metrics");
		return -EINVAL;
	}
	if (is_file(config->prometheus)) {
		config->publish_ms = config->publish_ms ? config->publish_ms : FILE_MS;
		return 0;
	}
	if (!tally_http_address_parse(config->prometheus, PORT, &address))
		return 0;
	tally_print_error("--prometheus=%s: is neither an address nor a file", config->prometheus);
	tally_print_hint("use PORT, IPv4:PORT, [IPv6]:PORT or a file such as /path/name.prom; "
			 "0.0.0.0:PORT is on all networks");
	return -EINVAL;
}

/* ---- session -------------------------------------------------------------- */

static int server_open(struct stat_session *session)
{
	const char *text = session->config->prometheus;
	struct tally_http_address address;
	struct tally_str url = {0};
	int ret = tally_http_address_parse(text, PORT, &address);

	if (!ret)
		ret = tally_http_server_open(&address, answer, session,
					     &session->prometheus->server);
	if (!ret)
		return 0;
	tally_http_address_format(&address, &url);
	tally_print_error("--prometheus: cannot listen on %s: %s", tally_str_text(&url),
			  strerror(-ret));
	if (ret == -EADDRINUSE)
		tally_print_hint("choose another port, or 0 for any free port");
	else if (ret == -EADDRNOTAVAIL)
		tally_print_hint("use an address of this machine");
	else if (ret == -EACCES)
		tally_print_hint("use a port above 1023");
	tally_str_free(&url);
	return ret;
}

int stat_prometheus_open(struct stat_session *session)
{
	const struct stat_config *config = session->config;
	struct tally_replacement tried;
	int ret;

	if (!config->prometheus)
		return 0;
	session->prometheus = calloc(1, sizeof(*session->prometheus));
	if (!session->prometheus)
		return -ENOMEM;
	if (!is_file(config->prometheus))
		return server_open(session);
	ret = replacement_open(config, &tried);
	if (!ret)
		tally_replacement_close(&tried);
	return ret;
}

/* Compare by the labels; of rows with the same labels, those of no metric are first. */
static int compare_labels(const struct stat_row *a, const struct stat_row *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "");
}

static int compare_rows(const void *a, const void *b)
{
	const struct stat_row *x = *(const struct stat_row *const *)a;
	const struct stat_row *y = *(const struct stat_row *const *)b;
	int order = compare_labels(x, y);

	if (order)
		return order;
	return x->of_metric != y->of_metric ? x->of_metric - y->of_metric : (x > y) - (x < y);
}

/* Hide the events of metrics that are exposed anyway. `sorted` has the exposed rows. */
static int hide_repeated(struct stat_session *session, const struct stat_row **sorted, size_t nr)
{
	qsort(sorted, nr, sizeof(struct stat_row *), compare_rows);
	for (size_t i = 1; i < nr; i++) {
		if (compare_labels(sorted[i - 1], sorted[i]))
			continue;
		if (sorted[i]->of_metric) {
			session->prometheus->exposed[sorted[i] - session->rows.data] = false;
			continue;
		}
		tally_print_error("--prometheus: two events have the name '%s'", sorted[i]->name);
		tally_print_hint("give one of them another name with the term name=");
		return -EEXIST;
	}
	return 0;
}

/* Expose each row, except those that another row includes. */
static int expose_rows(struct stat_session *session)
{
	const struct stat_row **sorted = calloc(session->rows.len + 1, sizeof(struct stat_row *));
	size_t nr = 0;
	int ret;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < session->rows.len; i++) {
		session->prometheus->exposed[i] = !session->rows.data[i].merged;
		if (session->prometheus->exposed[i])
			sorted[nr++] = &session->rows.data[i];
	}
	ret = hide_repeated(session, sorted, nr);
	free(sorted);
	return ret;
}

static int check_series(struct stat_session *session)
{
	struct stat_table table = stat_table_of(session);
	size_t nr = stat_exposition_max(&table, session->prometheus->exposed);

	if (nr <= SERIES_MAX)
		return 0;
	tally_print_error("--prometheus: the events need up to %zu series, more than %d", nr,
			  SERIES_MAX);
	tally_print_hint("count fewer events or cgroups, or aggregate with --per-socket");
	return -E2BIG;
}

static void print_url(const struct stat_session *session)
{
	const struct tally_http_server *server = session->prometheus->server;
	struct tally_str url = {0};

	if (!server || session->config->quiet)
		return;
	tally_http_address_format(&server->address, &url);
	fprintf(stderr, "Counters for Prometheus: http://%s/metrics\n", tally_str_text(&url));
	tally_str_free(&url);
}

int stat_prometheus_prepare(struct stat_session *session)
{
	struct stat_prometheus *prometheus = session->prometheus;
	size_t nr_rows = session->rows.len;
	int ret;

	if (!prometheus)
		return 0;
	prometheus->exposed = calloc(nr_rows + 1, sizeof(*prometheus->exposed));
	prometheus->values = calloc(nr_rows * session->keys.len + 1, sizeof(*prometheus->values));
	if (!prometheus->exposed || !prometheus->values)
		return -ENOMEM;
	ret = expose_rows(session);
	return ret ? ret : check_series(session);
}

int stat_prometheus_start(struct stat_session *session)
{
	int ret = session->prometheus ? stat_prometheus_publish(session) : 0;

	if (!ret && session->prometheus)
		print_url(session);
	return ret;
}

int stat_prometheus_fd(const struct stat_session *session)
{
	const struct stat_prometheus *prometheus = session->prometheus;

	return prometheus && prometheus->server ? prometheus->server->fd : -1;
}

void stat_prometheus_serve(struct stat_session *session)
{
	tally_http_server_run(session->prometheus->server);
}

int stat_prometheus_publish(struct stat_session *session)
{
	int ret = read_values(session);

	/* Requests are answered with an error. */
	if (session->prometheus->server)
		return 0;
	if (ret)
		tally_print_error("cannot read the counters: %s", strerror(-ret));
	return ret ? ret : file_publish(session);
}

int stat_prometheus_finish(struct stat_session *session)
{
	if (!session->prometheus || session->prometheus->server)
		return 0;
	keep_values(session);
	return file_publish(session);
}

void stat_prometheus_close(struct stat_session *session)
{
	struct stat_prometheus *prometheus = session->prometheus;

	if (!prometheus)
		return;
	tally_http_server_close(prometheus->server);
	free(prometheus->exposed);
	free(prometheus->values);
	free(prometheus);
	session->prometheus = NULL;
}
