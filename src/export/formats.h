/* SPDX-License-Identifier: BSD-2-Clause */
/* Export formats. Each one is defined in the source file of the same name. */
#ifndef TALLY_EXPORT_FORMATS_H
#define TALLY_EXPORT_FORMATS_H

#include "export/export.h"

extern const struct tally_export_format tally_export_folded, tally_export_folded_samples,
	tally_export_pprof, tally_export_otlp, tally_export_firefox, tally_export_speedscope,
	tally_export_callgrind, tally_export_perfetto;

#endif
