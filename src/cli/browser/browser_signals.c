/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/browser_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "sampler/sampler_signals.h"

int tally_browser_signals_open(void)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};

	return tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
}

bool tally_browser_signals_drain(int signals, bool *stop)
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
