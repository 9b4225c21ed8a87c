/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "jevents/known.h"

/* Names of events provided by every kernel, by this program, or by the PMU in sysfs. */
static const char *const everywhere[] = {
	"branch-instructions",
	"branch-misses",
	"branches",
	"bus-cycles",
	"cache-misses",
	"cache-references",
	"context-switches",
	"cpu-clock",
	"cpu-cycles",
	"cpu-migrations",
	"cycles",
	"duration_time",
	"faults",
	"instructions",
	"major-faults",
	"minor-faults",
	"page-faults",
	"ref-cycles",
	"slots",
	"stalled-cycles-backend",
	"stalled-cycles-frontend",
	"system_time",
	"task-clock",
	"tsc",
	"user_time",
};

/* Prefixes of event names: cache events, and Intel PMU events listed in sysfs (top-down,
 * transactions). */
static const char *const families[] = {
	"topdown-", "l1-dcache-", "l1-icache-", "llc-", "dtlb-",   "itlb-", "branch-", "node-",
	"l1d-",     "l1i-",       "l2-",        "mem-", "cycles-", "tx-",   "el-",
};

static bool model_has(const struct tally_model *model, const char *name, size_t len)
{
	uint32_t pos = 0;

	return tally_model_event_find(model, -1, name, len, &pos) != NULL;
}

static bool is_everywhere(const char *name, size_t len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(everywhere); i++)
		if (strlen(everywhere[i]) == len && !strncasecmp(everywhere[i], name, len))
			return true;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		if (strlen(families[i]) <= len &&
		    !strncasecmp(families[i], name, strlen(families[i])))
			return true;
	return false;
}

/* Check "pmu/name,term/modifiers". If the model has the PMU, `name` must be a term, an event in the
 * model, or an event that does not depend on the model. */
static bool of_pmu(const struct tally_model *model, const char *text, const char *slash)
{
	const char *name = slash + 1;
	size_t len = strcspn(name, ",/");

	for (uint32_t i = 0; i < model->pmus.nr; i++) {
		const char *pmu = tally_model_text(model, tally_model_pmu(model, i)->name);

		if (strncmp(pmu, text, slash - text) || pmu[slash - text])
			continue;
		return memchr(name, '=', len) || is_everywhere(name, len) ||
		       model_has(model, name, len);
	}
	return true;
}

bool tally_event_is_known(const struct tally_model *model, const char *name)
{
	const char *slash = strchr(name, '/'), *colon = strrchr(name, ':');
	size_t len = strcspn(name, ",");

	if (slash)
		return of_pmu(model, name, slash);
	return model_has(model, name, len) || is_everywhere(name, len) ||
	       (colon &&
		(model_has(model, name, colon - name) || is_everywhere(name, colon - name)));
}
