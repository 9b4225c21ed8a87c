/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that record with this program, and read the recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/selftest/selftest.h"
#include "cli/selftest/selftest_counters.h"
#include "cli/selftest/selftest_program.h"
#include "cli/selftest/selftest_work.h"
#include "sampler/privileges.h"
#include "session/session.h"
#include "tally/perfdata.h"

/* A recording in a directory of its own. */
struct recording {
	char dir[32], path[64], program[4096];
};

static enum selftest_result recording_open(struct selftest *test, struct recording *recording)
{
	ssize_t len =
		readlink("/proc/self/exe", recording->program, sizeof(recording->program) - 1);

	strcpy(recording->dir, "/tmp/tally-test-XXXXXX");
	if (len < 0 || !mkdtemp(recording->dir))
		return selftest_skip(test, "cannot create a directory in /tmp");
	recording->program[len] = '\0';
	snprintf(recording->path, sizeof(recording->path), "%s/perf.data", recording->dir);
	return SELFTEST_OK;
}

static void recording_close(const struct recording *recording)
{
	unlink(recording->path);
	rmdir(recording->dir);
}

/* Record a command of this program; `words` are options of record. */
static enum selftest_result record(struct selftest *test, struct recording *recording,
				   const char *event, const char *period, char *const *words)
{
	char *argv[18] = {(char *)"record", (char *)"--via", (char *)"kernel", (char *)"-q",
			  (char *)"-o",     recording->path, (char *)"-e",     (char *)event,
			  (char *)"-c",     (char *)period,  (char *)"--",     recording->program};
	size_t nr = 12;

	for (; *words && nr + 1 < 18; words++)
		argv[nr++] = *words;
	return selftest_program_run(test, argv);
}

/* Samples found in a recording. */
struct selftest_found {
	uint64_t samples, mapped, named;
	const char *name; /* function to look for, or NULL */
};

static int on_sample(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct selftest_found *found = arg;
	const struct tally_location *location;

	(void)record;
	if (!sample)
		return 0;
	found->samples++;
	location = tally_machine_locate(session->machine, sample->thread, sample->cpumode,
					sample->sample.ip);
	found->mapped += location->dso != NULL;
	found->named += location->symbol && found->name &&
			!strcmp(tally_symbol_name(location->dso, location->symbol), found->name);
	return 0;
}

static enum selftest_result recording_read(struct selftest *test, const char *path,
					   struct selftest_found *found)
{
	const struct tally_session_options options = {.input = path, .is_own = true};
	struct tally_session session;

	if (tally_session_open(&options, &session))
		return selftest_fail(test, "the recording cannot be opened");
	if (tally_session_run(&session, on_sample, found))
		selftest_fail(test, "the recording cannot be read");
	tally_session_close(&session);
	return test->why.len ? SELFTEST_FAILED : SELFTEST_OK;
}

/* A workload of this program, see selftest_work.h. */
static char *const faults[] = {(char *)"test", (char *)"-w", (char *)"faults", NULL};

static enum selftest_result record_faults(struct selftest *test, struct recording *recording)
{
	struct selftest_found found = {0};
	enum selftest_result result = record(test, recording, "page-faults:u", "1", faults);

	if (result == SELFTEST_OK)
		result = recording_read(test, recording->path, &found);
	if (result == SELFTEST_OK)
		result = selftest_expect(test, found.samples >= SELFTEST_PAGES && found.mapped,
					 "a sample for each page fault, in mapped files");
	return result;
}

static enum selftest_result resolve_function(struct selftest *test, struct recording *recording)
{
	struct selftest_found found = {.name = "selftest_pages_touch"};
	enum selftest_result result = record(test, recording, "page-faults:u", "1", faults);

	if (result == SELFTEST_OK)
		result = recording_read(test, recording->path, &found);
	if (result != SELFTEST_OK)
		return result;
	if (!found.named)
		return selftest_skip(test, "this program was installed without symbols");
	return selftest_expect(test, found.named >= SELFTEST_PAGES,
			       "the page faults are in the function that causes them");
}

/* Read a recording that ends after `len` bytes. Returns true if the reader reports that. */
static bool reports_cut(const char *bytes, size_t len)
{
	struct tally_perfdata *data = NULL;
	struct tally_perfdata_record record;
	struct tally_error err = {0};
	bool reported;
	int ret = tally_perfdata_open_bytes(bytes, len, &data, &err);

	if (ret)
		return true;
	while ((ret = tally_perfdata_next(data, &record, &err)) > 0)
		;
	reported = ret < 0 || tally_perfdata_note(data, 0);
	tally_perfdata_close(data);
	return reported;
}

static enum selftest_result read_cut(struct selftest *test, struct recording *recording)
{
	enum { CUTS = 50, LARGEST = 64 << 20 };
	enum selftest_result result = record(test, recording, "page-faults:u", "1", faults);
	char *bytes = NULL;
	size_t len = 0;

	if (result != SELFTEST_OK)
		return result;
	if (tally_file_read(recording->path, LARGEST, &bytes, &len))
		return selftest_fail(test, "the recording cannot be read");
	for (size_t i = 0; i < CUTS && result == SELFTEST_OK; i++)
		if (!reports_cut(bytes, len / CUTS * i))
			result = selftest_fail(test, "no error for a file cut after %zu bytes",
					       len / CUTS * i);
	free(bytes);
	return result;
}

/* Check that page faults can be recorded, and drop the capabilities, because a recording is read
 * afterwards. */
static enum selftest_result check_events(struct selftest *test)
{
	const struct tally_target self = {.per_thread = true, .command = getpid()};
	struct selftest_counters counters = {0};
	enum selftest_result result =
		selftest_counters_open(test, "page-faults:u", NULL, &self, NULL, &counters);

	selftest_counters_close(&counters);
	if (result == SELFTEST_OK && tally_privileges_drop(NULL))
		return selftest_fail(test, "cannot drop the capabilities");
	return result;
}

static enum selftest_result with_recording(struct selftest *test,
					   enum selftest_result (*run)(struct selftest *,
								       struct recording *))
{
	struct recording recording;
	enum selftest_result result = check_events(test);

	if (result == SELFTEST_OK)
		result = recording_open(test, &recording);
	if (result != SELFTEST_OK)
		return result;
	result = run(test, &recording);
	recording_close(&recording);
	return result;
}

static enum selftest_result case_record(struct selftest *test)
{
	return with_recording(test, record_faults);
}

static enum selftest_result case_resolve(struct selftest *test)
{
	return with_recording(test, resolve_function);
}

static enum selftest_result case_cut(struct selftest *test)
{
	return with_recording(test, read_cut);
}

const struct selftest_case selftest_recording_cases[] = {
	{"Record a command and read the recording", case_record, true},
	{"Resolve a symbol of this program", case_resolve, true},
	{"Report where a recording is cut", case_cut, true},
	{0},
};
