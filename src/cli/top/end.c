/* SPDX-License-Identifier: BSD-2-Clause */
/* Report why tally top terminates: the watched tasks have exited, or an error has occurred. */
#include "cli/top/end.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/main/print.h"

int top_explain_end(struct top *top, int ret)
{
	bool is_over;

	pthread_mutex_lock(&top->lock);
	is_over = top->is_over;
	pthread_mutex_unlock(&top->lock);
	/* EPIPE is not an error: the reader may close the pipe as soon as it has read enough. */
	if (ret == -EPIPE) {
		clearerr(stdout);
		return 0;
	}
	if (ret)
		tally_print_error("tally top: %s", strerror(-ret));
	else if (is_over)
		fprintf(stderr, "tally top: all watched tasks have exited\n");
	return ret;
}
