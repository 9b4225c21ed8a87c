/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "differential_script.h"

enum { ANSWER_MAX = 65536, SECONDS_MAX = 300 };

static void run_here(struct suite *suite, const struct case_row *row)
{
	static struct script script;
	struct system *system;
	int error;

	setpgid(0, 0);
	alarm(SECONDS_MAX);
	system = suite->system_new(row->root);
	error = system ? script_run(&script, system, row->text) : -1;
	snprintf(suite->answer, ANSWER_MAX, "%s%s%s", error ? "NO SCRIPT: " : "",
		 script.wrong ? script.wrong : "", error ? "" : tally_str_text(&script.answer));
	_exit(0);
}

const char *suite_run(struct suite *suite, const struct case_row *row)
{
	int status;
	pid_t pid;

	fflush(stdout);
	snprintf(suite->answer, ANSWER_MAX, "NO ANSWER");
	pid = fork();
	if (!pid)
		run_here(suite, row);
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status))
		snprintf(suite->answer, ANSWER_MAX, "KILLED BY SIGNAL %d", WTERMSIG(status));
	return suite->answer;
}

const char *suite_choose(struct suite *suite, const char *system, const char *release)
{
	if (!strcmp(system, "sim")) {
		suite->system_new = sim_system_new;
		return NULL;
	}
	if (!strcmp(system, "sim-pmu")) {
		suite->system_new = sim_pmu_system_new;
		return NULL;
	}
	if (!strcmp(system, "emulated")) {
		suite->system_new = emulated_system_new;
		return emulated_system_prepare();
	}
	suite->system_new = linux_system_new;
	return linux_system_prepare(release);
}

bool suite_load(struct suite *suite, const char *folder)
{
	char path[4096];
	struct dirent **names;
	bool ok = true;
	int nr;

	suite->answer =
		mmap(NULL, ANSWER_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (suite->answer == MAP_FAILED)
		return false;
	snprintf(path, sizeof(path), "%s/cases", folder);
	nr = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/cases/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			ok &= case_rows_load(&suite->cases, path, true);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return ok && suite->cases.nr;
}

void suite_free(struct suite *suite)
{
	case_rows_free(&suite->cases);
	munmap(suite->answer, ANSWER_MAX);
}
