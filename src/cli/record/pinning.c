/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/pinning.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/record/unwinding.h"
#include "cli/main/symbol_index.h"
#include "profile/process/machine.h"
#include "symbols/pins.h"

struct record_pins {
	struct tally_pins *pins;
	struct tally_symbols_options options;
	struct tally_str index_dir; /* the options point to this string */
};

int record_pins_start(struct record *record)
{
	const struct record_output *output = &record->output;
	bool has_end = !output->file.is_pipe && !output->file.is_device;
	bool tells_of_files = !record->config->no_buildid || !record->config->no_symbols;
	int ret;

	if (!(has_end && tells_of_files) && !record_unwinding_is_wanted(record))
		return 0;
	record->pins = calloc(1, sizeof(*record->pins));
	if (!record->pins)
		return -ENOMEM;
	ret = tally_pins_new(&record->pins->pins);
	if (!ret)
		ret = tally_index_apply(false, &record->pins->options, &record->pins->index_dir);
	record->pins->options.pins = record->pins->pins;
	record->pins->options.no_unpack = true;
	return ret;
}

const struct tally_symbols_options *record_pins_options(const struct record *record)
{
	return record->pins ? &record->pins->options : NULL;
}

void record_pins_stop(struct record *record)
{
	if (!record->pins)
		return;
	tally_pins_free(record->pins->pins);
	tally_str_free(&record->pins->index_dir);
	free(record->pins);
	record->pins = NULL;
}

void record_pins_abandon(struct record *record)
{
	record->pins = NULL;
}

int record_pins_add(struct record *record, const void *mmap, size_t len)
{
	return record->pins ? tally_machine_pin(record->pins->pins, mmap, len) : 0;
}
