/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a command with the preloaded library and a server that uses the running kernel as its
 * backend. Exits with the command's status. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "emulate/run.h"

int main(int argc, char **argv)
{
	struct tally_emulate_backend *backend;
	struct tally_emulate_server *server = NULL;
	int ret, status = 0;

	if (argc < 2)
		return 2;
	ret = tally_emulate_linux_new(&backend);
	if (ret)
		return 2;
	ret = tally_emulate_server_new(backend, &server);
	if (!ret)
		ret = tally_emulate_run(server, argv + 1, &status);
	if (ret)
		fprintf(stderr, "serve: %s\n", strerror(-ret));
	tally_emulate_server_free(server);
	tally_emulate_linux_free(backend);
	if (ret)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
