/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/store.h"

#include <malloc.h>
#include <string.h>

#include "archive/embed.h"
#include "cli/main/archive_file.h"
#include "cli/main/print.h"
#include "cli/main/region_files.h"
#include "cli/record/pinning.h"

/* Set the running kernel's build ID, which identifies the kernel immediately. Without the build ID,
 * all of kallsyms would have to be read to identify the kernel by its address. */
static int kernel_set(struct tally_session *session)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size;

	if (tally_kernel_build_id(id, &size))
		return 0;
	return tally_machine_build_id(session->machine, PERF_RECORD_MISC_KERNEL,
				      "[kernel.kallsyms]", id, size);
}

/* Time limit for reading the source lines of one file, because the user is waiting for the
 * recording to finish. */
enum { LINES_SECONDS = 10 };

/* Return the options for reading back the recording. */
static struct tally_recording_options own_recording(const struct record *record)
{
	const struct tally_symbols_options *pins = record_pins_options(record);
	struct tally_recording_options recording = {.session = {.input = record->output.file.path,
								.fd = record->output.file.fd,
								.is_own = true}};
	struct tally_symbols_options *symbols = &recording.session.symbols;

	if (pins)
		*symbols = *pins;
	recording.kallsyms_fd = record->kallsyms;
	symbols->bounds = true;
	symbols->lines_seconds = LINES_SECONDS;
	return recording;
}

static int names_make(struct record *record, struct tally_str *out)
{
	const struct tally_recording_options recording = own_recording(record);
	struct tally_session session;
	int ret;

	ret = tally_recording_open(&recording, &session);
	if (ret)
		return ret;
	ret = kernel_set(&session);
	if (!ret)
		ret = tally_archive_embed(&session, NULL, out);
	tally_recording_close(&session);
	return ret;
}

void record_store(struct record *record)
{
	struct tally_str names = {0};
	int ret;

	if (record->config->no_symbols)
		return;
	ret = names_make(record, &names);
	if (!ret)
		ret = tally_perfdata_writer_feature(record->output.writer,
						    TALLY_FEATURE_EMBEDDED_SYMBOLS, names.data,
						    names.len);
	/* A record that cannot be read back will be reported by the commands that read the file. */
	if (ret && ret != -EINVAL)
		tally_print_warning("cannot embed symbols in the recording: %s", strerror(-ret));
	tally_str_free(&names);
	/* Reading takes far more memory than a continuous recording needs until the next file. */
	(void)malloc_trim(0);
}

void record_store_regions(struct record *record)
{
	struct tally_str documents = {0};
	int ret;

	if (!record->config->regions)
		return;
	ret = region_files_read(&record->regions, &documents);
	if (!ret && documents.len)
		ret = tally_perfdata_writer_feature(record->output.writer, TALLY_FEATURE_REGIONS,
						    documents.data, documents.len);
	if (ret)
		tally_print_warning("cannot store the regions in the recording: %s",
				    strerror(-ret));
	tally_str_free(&documents);
}

int record_redact(const struct record *record, const char *name, int code)
{
	const struct tally_recording_options recording = own_recording(record);
	struct tally_archived done;

	if (!record->config->redact || record->output.file.is_pipe || record->output.file.is_device)
		return code;
	if (!code)
		code = tally_archive_file(&recording, name, true, &done);
	if (code)
		tally_print_error("%s has not been redacted", name);
	return code;
}
