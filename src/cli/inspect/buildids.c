/* SPDX-License-Identifier: BSD-2-Clause */
/* tally buildid-list: list a recording's files with their build IDs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/escape.h"
#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"
#include "cli/main/arguments.h"
#include "sampler/synth.h"
#include "session/session.h"
#include "symbols/elf/elf.h"

struct buildids_config {
	const char *input;
	bool kernel, maps, with_hits, force;
};

#define AT(member) offsetof(struct buildids_config, member)

static const struct tally_option buildids_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file",
	 "read this recording (default: perf.data), or print the build ID of this ELF file"},
	{'k', "kernel", TALLY_OPTION_FLAG, AT(kernel), NULL,
	 "print the build ID of the running kernel instead"},
	{'m', "kernel-maps", TALLY_OPTION_FLAG, AT(maps), NULL,
	 "print the running kernel and its modules: build ID, start, end, name"},
	{'H', "with-hits", TALLY_OPTION_FLAG, AT(with_hits), NULL,
	 "list only files hit by samples"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL, "ignored; ownership is not checked"},
	TALLY_OPTION_END,
};

static void print_id(const uint8_t *id, size_t size, const char *name)
{
	struct tally_str line = {0};

	tally_str_add_hex_bytes(&line, id, size);
	tally_str_add_line(&line, "%s%s", name ? " " : "", name ? name : "");
	(void)tally_output_flush(&line);
	tally_str_free(&line);
}

static int kernel_id(void)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size;
	int ret = tally_kernel_build_id(id, &size);

	if (ret)
		tally_print_error("cannot read the kernel's build ID: %s", strerror(-ret));
	else
		print_id(id, size, NULL);
	return ret;
}

/* Print the build ID of an ELF file, as perf does. Returns -ENOEXEC if the input is not an ELF
 * file, or -ENOENT after printing an error if the file has no build ID. */
static int elf_id(const char *input)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size;

	int ret = input ? tally_elf_build_id(input, id, &size) : -ENOEXEC;

	if (ret == -ENOENT && !access(input, F_OK)) {
		tally_print_error("%s: the file has no build ID", input);
		return ret;
	}
	if (ret || !size)
		return -ENOEXEC;
	print_id(id, size, NULL);
	return 0;
}

/* Print a map of the kernel or of a module, with "-" if its build ID is unknown. */
static void print_map(const struct tally_mmap *map)
{
	static const char kernel[] = "[kernel.kallsyms]"; /* "_text" or "_stext" follows */
	bool is_module = strncmp(map->filename, kernel, sizeof(kernel) - 1) != 0;
	uint8_t id[TALLY_BUILD_ID_MAX];
	struct tally_str line = {0};
	size_t size;
	int ret;

	if (is_module)
		ret = tally_loaded_module_build_id(map->filename, id, &size);
	else
		ret = tally_kernel_build_id(id, &size);
	if (ret)
		tally_str_add_char(&line, '-');
	else
		tally_str_add_hex_bytes(&line, id, size);
	tally_str_add_line(&line, " %16" PRIx64 " %16" PRIx64 " %s", map->start,
			   map->start + map->len, is_module ? map->filename : kernel);
	(void)tally_output_flush(&line);
	tally_str_free(&line);
}

static int kernel_maps(void)
{
	struct tally_synth synth = {0};
	struct perf_event_header header;
	struct tally_mmap map;
	int ret = tally_synth_kernel(&synth);

	if (!ret)
		ret = tally_synth_modules(&synth);
	if (ret)
		tally_print_error("cannot read the kernel's maps: %s", strerror(-ret));
	else if (!synth.out.len)
		tally_print_error("the kernel hides its addresses from this user: run as root, or "
				  "use -k for the kernel's build ID");
	for (size_t pos = 0; !ret && pos < synth.out.len; pos += header.size) {
		memcpy(&header, synth.out.data + pos, sizeof(header));
		ret = tally_record_mmap(synth.out.data + pos, header.size, &map);
		if (!ret)
			print_map(&map);
	}
	ret = ret || !synth.out.len ? -1 : 0;
	tally_str_free(&synth.out);
	return ret;
}

static int note_hit(void *arg, struct tally_session *session,
		    const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct tally_map *hits = arg;
	const struct tally_location *where;

	if (!sample)
		return 0;
	where = tally_machine_locate(session->machine, sample->thread, sample->cpumode,
				     sample->sample.ip);
	return where->dso ? tally_map_set(hits, (uintptr_t)where->dso, 1) : 0;
}

/* Print the files hit by samples, with the recorded build ID or, if none was recorded, with the
 * build ID in the file. */
static void print_hits(struct tally_session *session, const struct tally_map *hits)
{
	struct tally_dso *dso;
	size_t pos = 0, size;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		const uint8_t *id = tally_dso_build_id(dso, &size);

		if (id && tally_map_get(hits, (uintptr_t)dso) != TALLY_MAP_NONE)
			print_id(id, size, tally_dso_name(dso));
	}
}

static void print_table(const struct tally_session *session)
{
	const struct tally_perfdata_build_id *id;

	for (size_t i = 0; (id = tally_perfdata_build_id(session->data, i)); i++)
		print_id(id->bytes, id->size, id->filename);
}

/* Print the table of build IDs. If there is none, as in compressed recordings, print the files that
 * were hit. A pipe is read to its end before it is known which of its records are the table. */
static int list_ids(struct tally_session *session, bool with_hits)
{
	struct tally_map hits = {0};
	bool has_table = tally_perfdata_build_id(session->data, 0) && !with_hits;
	int ret = has_table ? 0 : tally_session_run(session, note_hit, &hits);

	if (has_table)
		tally_session_warn(session);
	if (!with_hits && tally_perfdata_build_id(session->data, 0))
		print_table(session);
	else if (!ret)
		print_hits(session, &hits);
	tally_map_free(&hits);
	return ret;
}

static int buildids_run(int argc, char **argv)
{
	struct buildids_config config = {0};
	struct tally_session session;
	int first, ret;

	ret = tally_options_parse(&tally_command_buildids, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = tally_words_parse(&tally_command_buildids, argc - first, argv + first,
					&config.input, NULL);
	if (ret)
		return ret - 1;
	if (config.maps)
		return kernel_maps() ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
	if (config.kernel)
		return kernel_id() ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
	ret = elf_id(config.input);
	if (ret != -ENOEXEC)
		return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
	ret = tally_recording_open(&(struct tally_recording_options){.session.input = config.input},
				   &session);
	if (ret)
		return TALLY_EXIT_ERROR;
	ret = list_ids(&session, config.with_hits);
	tally_recording_close(&session);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_buildids = {
	.name = "buildid-list",
	.summary = "List the build IDs of the files in a recording",
	.usage = "[OPTIONS] [FILE]",
	.options = buildids_options,
	.run = buildids_run,
};
