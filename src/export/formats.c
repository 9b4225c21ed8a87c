/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/formats.h"

#include <string.h>

const struct tally_export_format *const tally_export_formats[] = {
	&tally_export_folded,    &tally_export_folded_samples, &tally_export_pprof,
	&tally_export_otlp,      &tally_export_firefox,        &tally_export_speedscope,
	&tally_export_callgrind, &tally_export_perfetto,       NULL,
};

const struct tally_export_format *tally_export_format_find(const char *name)
{
	const struct tally_export_format *const *format = tally_export_formats;

	while (*format && strcmp((*format)->name, name) != 0)
		format++;
	return *format;
}
