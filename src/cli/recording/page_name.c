/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/page_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/map.h"
#include "base/path.h"
#include "tally/perfdata.h"

/* Maximum length of the program name in the file name. */
enum { PROGRAM_MAX = 100 };

static bool ends_with(const char *word, const char *end)
{
	size_t len = strlen(word), tail = strlen(end);

	return len > tail && !strcmp(word + len - tail, end);
}

/* Detect the pipe that a shell creates for <(zcat FILE). This pipe is open for reading only. */
static bool is_for_reading(const char *word)
{
	int fd = -1, flags;

	if (sscanf(word, "/dev/fd/%d", &fd) != 1 && sscanf(word, "/proc/self/fd/%d", &fd) != 1)
		return false;
	flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

bool tally_html_is_page_name(const char *word)
{
	if (word[0] == '-')
		return !word[1];
	return ends_with(word, ".html") ||
	       (!tally_perfdata_is_recording(word) && !is_for_reading(word));
}

bool tally_html_is_name_before_command(const char *word)
{
	static const char *const ends[] = {".html", ".htm", ".html.gz", ".htm.gz"};
	bool is_page = false;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ends); i++)
		is_page = is_page || ends_with(word, ends[i]);
	return !strcmp(word, "-") || (word[0] != '-' && is_page);
}

void tally_html_add_name(const char *program, struct tally_str *out)
{
	const char *name = tally_path_name(program);

	tally_str_add(out, "tally-");
	for (int i = 0; name[i] && i < PROGRAM_MAX; i++) {
		unsigned char byte = (unsigned char)name[i];

		tally_str_add_char(out, byte <= ' ' || byte == 0x7f || byte == '/' ? '_' : name[i]);
	}
	tally_str_add(out, ".html");
}

const char *tally_html_program(const struct tally_profile *profile)
{
	const struct tally_intern *comms = tally_machine_comms(profile->machine);
	struct tally_map sums = {0};
	const char *found = "profile";
	uint64_t most = 0;

	for (size_t i = 0; i < profile->buckets.len; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];
		uint32_t comm = tally_machine_comm_of(profile->machine, bucket->key.comm);
		uint64_t sum = tally_map_get(&sums, comm);

		sum = (sum == TALLY_MAP_NONE ? 0 : sum) + bucket->nr;
		if (tally_map_set(&sums, comm, sum))
			break;
		if (sum > most) {
			most = sum;
			found = tally_intern_text(comms, comm);
		}
	}
	tally_map_free(&sums);
	return *found ? found : "profile";
}
