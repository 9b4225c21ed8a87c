/* SPDX-License-Identifier: BSD-2-Clause */
/* How it ends: by a signal, with the tasks that it watches, or with an error. */
#include "cli/top/end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "sampler/signals.h"

int top_signals_open(void)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};

	signal(SIGPIPE, SIG_IGN);
	return tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
}

bool top_drain_signals(int signals, bool *stop)
{
	struct signalfd_siginfo info;
	bool resized = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			resized = true;
		else
			*stop = true;
	}
	return resized;
}

int top_explain_end(struct top *top, int ret)
{
	bool is_over;

	pthread_mutex_lock(&top->lock);
	is_over = top->is_over;
	pthread_mutex_unlock(&top->lock);
	/* Nobody reads on: that is how a pipe is told that it was enough. */
	if (ret == -EPIPE) {
		clearerr(stdout);
		return 0;
	}
	if (ret)
		tally_print_error("tally top ends: %s", strerror(-ret));
	else if (is_over)
		fprintf(stderr, "tally top ends: the tasks it watched are gone\n");
	return ret;
}
