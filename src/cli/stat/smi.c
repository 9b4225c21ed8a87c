/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/smi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/main/print.h"

#define FREEZE "/sys/devices/cpu/freeze_on_smi"

static int write_setting(char value)
{
	int fd = open(FREEZE, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : tally_file_write_all(fd, &value, 1);

	if (fd >= 0)
		close(fd);
	return ret;
}

int stat_smi_freeze(struct stat_session *session)
{
	char *text;
	size_t len;
	int ret;

	if (!session->config->smi_cost)
		return 0;
	ret = tally_file_read(FREEZE, 64, &text, &len);
	if (ret) {
		tally_print_error("--smi-cost: cannot read " FREEZE ": %s", strerror(-ret));
		tally_print_hint("only Intel CPUs since Haswell have this setting, and only on "
				 "real hardware");
		return -ENOTSUP;
	}
	session->unfreeze = *text == '0';
	free(text);
	ret = session->unfreeze ? write_setting('1') : 0;
	if (!ret)
		return 0;
	session->unfreeze = false;
	tally_print_error("--smi-cost: cannot write " FREEZE ": %s", strerror(-ret));
	tally_print_hint("run as root, or let root write 1 to the file");
	return -ENOTSUP;
}

void stat_smi_restore(struct stat_session *session)
{
	int ret = session->unfreeze ? write_setting('0') : 0;

	if (ret)
		tally_print_warning("cannot write 0 to " FREEZE ": %s", strerror(-ret));
	session->unfreeze = false;
}
