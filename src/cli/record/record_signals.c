/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal handling: the command's exit, and requests to stop or to write out the rings. */
#include "cli/record/record_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "sampler/sampler_signals.h"

int record_signals_open(struct record *record)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR2};

	record->signals = tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
	return TALLY_MIN(record->signals, 0);
}

static void on_signal(struct record *record, int signal)
{
	switch (signal) {
	case SIGCHLD:
		tally_child_wait(&record->child, false);
		if (record->child.gone)
			record->stop = true;
		break;
	case SIGUSR2: record->dump = true; break;
	default: record->stop = true; record->interrupts++;
	}
}

void record_signals_read(struct record *record)
{
	struct signalfd_siginfo info;

	while (read(record->signals, &info, sizeof(info)) == sizeof(info))
		on_signal(record, (int)info.ssi_signo);
}
