/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of the recorded machine, named as in OpenTelemetry's semantic conventions. */
#ifndef TALLY_EXPORT_RESOURCE_H
#define TALLY_EXPORT_RESOURCE_H

#include "export/export.h"
#include "tally/perfdata.h"

/* Recorded attributes; labels are added to them. */
enum { TALLY_EXPORT_RECORDED_ATTRIBUTES = 6 };

/* Set the attributes in `out`, which has space for TALLY_EXPORT_RECORDED_ATTRIBUTES and the labels:
 * first the labels, then what was recorded, unless a label has the same key. `host` (may be NULL)
 * replaces the recorded name. `labels` may be `out`. Strings are borrowed. Returns the number of
 * attributes. */
size_t tally_export_resource(const struct tally_perfdata_env *env, const char *host,
			     const struct tally_export_attribute *labels, size_t nr_labels,
			     struct tally_export_attribute *out);

#endif
