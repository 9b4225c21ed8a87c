/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/event_dump.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/main/overwrite.h"
#include "cli/main/print.h"

/* Set the path of an event's file. Characters that are not usual in file names are replaced, and a
 * name that is in use is followed by the event's number. */
static void name_file(const struct script_event_dumps *dumps, struct script_event_dump *dump,
		      const char *input, const char *event, uint32_t number)
{
	char *at = stpcpy(stpcpy(dump->path, input), ".");
	bool is_used = false;

	for (; *event; event++)
		*at++ = isalnum((unsigned char)*event) || strchr(":-+,=.@", *event) ? *event : '_';
	strcpy(at, ".dump");
	tally_vec_for_each (other, &dumps->by_event)
		is_used |= *other && !strcmp((*other)->path, dump->path);
	if (is_used)
		sprintf(at, ".%" PRIu32 ".dump", number + 1);
}

/* The user did not name the files, so do not follow links or write into FIFOs. */
static int check_place(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	tally_print_error("--per-event-dump: refusing to write to %s, which is not a regular file",
			  path);
	return -EINVAL;
}

static int dump_new(struct script_event_dumps *dumps, struct tally_session *session, uint32_t event,
		    struct script_event_dump **ret_dump)
{
	const char *name = tally_perfdata_event(session->data, event)->name;
	const char *input =
		tally_perfdata_info(session->data)->is_pipe ? "perf.data" : session->path;
	size_t len = strlen(input) + strlen(name) + sizeof("..4294967295.dump");
	struct script_event_dump *dump = calloc(1, sizeof(*dump) + len);
	struct tally_document_place place = {
		.option = "--per-event-dump", .kinds = TALLY_OVERWRITE_DUMP, .force = dumps->force};
	int ret = dump ? 0 : -ENOMEM;

	if (ret)
		return ret;
	name_file(dumps, dump, input, name, event);
	place.path = dump->path;
	ret = check_place(dump->path);
	if (!ret)
		ret = tally_document_check(&place);
	if (!ret)
		ret = tally_script_printer_init(&dump->printer, session);
	if (ret) {
		free(dump);
		return ret;
	}
	tally_document_begin(&place, &dump->document);
	dump->printer.document = &dump->document;
	*ret_dump = dump;
	return 0;
}

int script_event_dump_get(struct script_event_dumps *dumps, struct tally_session *session,
			  uint32_t event, struct script_event_dump **ret_dump, bool *ret_is_new)
{
	struct script_event_dump **slot;
	int ret = 0;

	while (!ret && dumps->by_event.len <= event)
		ret = tally_vec_push(&dumps->by_event, NULL);
	if (ret)
		return ret;
	slot = &dumps->by_event.data[event];
	*ret_is_new = !*slot;
	if (!*slot)
		ret = dump_new(dumps, session, event, slot);
	*ret_dump = *slot;
	return ret;
}

static int dump_finish(struct script_event_dump *dump, int ret)
{
	char what[48];

	if (!ret)
		ret = tally_script_flush(&dump->printer, true);
	/* This is reported here, for the file that could not be written. */
	if (dump->printer.failed)
		ret = dump->printer.failed;
	ret = tally_document_close(&dump->document, ret);
	if (!ret) {
		snprintf(what, sizeof(what), "%" PRIu64 " samples", dump->samples);
		tally_document_print(&dump->document, "script", what);
	}
	tally_script_printer_free(&dump->printer);
	free(dump);
	return ret;
}

int script_event_dumps_finish(struct script_event_dumps *dumps, int ret)
{
	tally_vec_for_each (dump, &dumps->by_event)
		if (*dump)
			ret = dump_finish(*dump, ret);
	tally_vec_free(&dumps->by_event);
	return ret;
}
