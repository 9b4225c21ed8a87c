/* SPDX-License-Identifier: BSD-2-Clause */
/* Provide the counts of a session to Prometheus, over HTTP or in a file (--prometheus). */
#ifndef TALLY_CLI_STAT_PROMETHEUS_H
#define TALLY_CLI_STAT_PROMETHEUS_H

#include "cli/stat/stat.h"

/* Check the argument of the option, an address or a file, and set publish_ms. Returns 0, or -EINVAL
 * after printing an error. */
int stat_prometheus_check(struct stat_config *config);

/* Listen on the address, or check that the file can be written. Does nothing without the option,
 * like the functions below. Returns 0, or -errno after printing an error. */
int stat_prometheus_open(struct stat_session *session);

/* Choose the series, after the counters were opened. Returns 0, or -errno after printing an error;
 * -E2BIG if there would be too many series, -EEXIST if two would be equal. */
int stat_prometheus_prepare(struct stat_session *session);

/* Publish the first counts, after counting has started, and print the URL. Returns 0, or -errno
 * after printing an error. */
int stat_prometheus_start(struct stat_session *session);

/* Return the descriptor that is readable if there are requests, or -1. */
int stat_prometheus_fd(const struct stat_session *session);

/* Handle requests without waiting. A request reads the counters unless -I is given. */
void stat_prometheus_serve(struct stat_session *session);

/* Read the counters, and write them to the file or keep them for requests. Returns 0, or -errno
 * after printing an error. */
int stat_prometheus_publish(struct stat_session *session);

/* Write the current cells, which are the counts of the whole run, to the file. Returns 0, or -errno
 * after printing an error. */
int stat_prometheus_finish(struct stat_session *session);

/* Stop listening. */
void stat_prometheus_close(struct stat_session *session);

#endif
