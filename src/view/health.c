/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/health.h"

#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "view/health_jit.h"
#include "view/health_lines.h"
#include "view/health_stacks.h"
#include "tally/client.h"

enum { NR_COUNTS = 16, NR_FILES = 5 };

struct count {
	const char *name; /* key in the JSON output */
	const char
		/* Noun for the count: "record", or "address|addresses" if the plural is
		 * irregular. */
		*what;
	const char *how; /* text after the noun */
	uint64_t nr;
	uint64_t of; /* total for the percentage, or 0 to omit it */
};

/* Count the distinct addresses without a mapping, those with a mapping but no symbol, and the
 * functions with a known start but no name. */
static void count_unnamed(const struct tally_profile *profile, uint64_t *ret_unmapped,
			  uint64_t *ret_unnamed, uint64_t *ret_bounds)
{
	/* TALLY_CUT is not an address. It has a DSO and a symbol, and is therefore not counted. */
	*ret_unmapped = *ret_unnamed = *ret_bounds = 0;
	tally_vec_for_each (frame, &profile->frames.all) {
		*ret_unmapped += !frame->dso;
		*ret_unnamed += frame->dso && !frame->symbol;
		*ret_bounds += frame->symbol && tally_symbol_is_bound(frame->dso, frame->symbol);
	}
}

static void health_counts(const struct tally_session *session, const struct tally_profile *profile,
			  struct count counts[NR_COUNTS])
{
	const struct tally_session_health *health = &session->health;
	const struct tally_feed_counts *fed = &session->feed.counts;
	const struct tally_machine_stats *machine = tally_machine_stats(session->machine);
	struct tally_session_lost lost = tally_session_lost(session);
	const struct tally_profile_stats *stats = &profile->stats;
	uint64_t unmapped, unnamed, bounds;

	count_unnamed(profile, &unmapped, &unnamed, &bounds);

	const struct count all[NR_COUNTS] = {
		{"lost_records", "record", " lost (samples, or task and mapping records)",
		 lost.records},
		{"lost_samples", "sample", " lost", lost.samples},
		{"throttled", "time", " throttled", fed->throttled},
		{"damaged", "record", " damaged", fed->damaged + machine->damaged},
		{"out_of_order", "record", " out of order", health->out_of_order},
		{"outside", "sample",
		 " of tasks outside the recorder's PID namespace (PID 0, without names)",
		 machine->outside},
		{"guest", "guest address|guest addresses", " without a mapping", machine->guest},
		{"unmapped", "address|addresses", " without a mapping", unmapped},
		{"unnamed", "address|addresses", " without a symbol", unnamed},
		{"bounds", "function", " without a name (fn@START)", bounds},
		{"cut_chains", "callchain", " truncated at the depth limit", stats->cut_chains},
		{"astray_chains", "callchain", " broken (callers replaced by [cut])", stats->astray,
		 stats->judged},
		{"unjoined_chains", "callchain", " without user callers (callchain record missing)",
		 fed->unjoined},
		{"bad_chains", "callchain", " dropped: broken", stats->bad_chains},
		{"branches", "branch stack", " ignored (rows count samples, not branches)",
		 health->branches},
		{"leaf_only", "user callchain", " with only one frame", stats->leaf_only},
	};

	__builtin_memcpy(counts, all, sizeof(all));
}

/* Append the reason why an object has no symbols. Append nothing if it has symbols or cannot have
 * any. */
static void missing_reason(const struct tally_dso *dso, struct tally_str *out)
{
	struct tally_dso_status status = tally_dso_status(dso);
	enum tally_dso_kind kind = tally_dso_kind(dso);
	struct tally_access access;
	struct tally_refusal why;

	tally_str_clear(out);
	if (!strcmp(tally_dso_name(dso), TALLY_HIDDEN_KERNEL))
		tally_str_add(out, "kernel addresses were hidden from the recorder: "
				   "kernel.kptr_restrict is set, or CAP_SYSLOG was missing");
	else if (status.state != TALLY_DSO_NOT_LOADED && status.state != TALLY_DSO_LOADED &&
		 status.state != TALLY_DSO_NO_FILE)
		tally_str_add(out, status.text);
	if (status.state != TALLY_DSO_DENIED ||
	    (kind != TALLY_DSO_KERNEL && kind != TALLY_DSO_MODULE))
		return;
	tally_access_read(NULL, &access);
	if (!tally_access_kernel_addresses(&access, &why))
		tally_str_addf(out, ": %s; needed: %s", why.found, why.needed);
}

static bool is_kernel(const struct tally_dso *dso)
{
	return tally_dso_kind(dso) == TALLY_DSO_KERNEL ||
	       !strcmp(tally_dso_name(dso), TALLY_HIDDEN_KERNEL);
}

/* List the kernel first so that `max_files` never hides the kernel, which is in every report. */
static void health_files(const struct tally_session *session, size_t max_files,
			 struct tally_str *out)
{
	struct tally_str reason = {0};
	const struct tally_dso *dso;
	size_t nr = 0;

	for (int kernel = 1; kernel >= 0; kernel--) {
		size_t pos = 0;

		while ((dso = tally_dso_next(session->symbols, &pos))) {
			if (is_kernel(dso) != kernel)
				continue;
			missing_reason(dso, &reason);
			if (reason.len && ++nr <= max_files)
				tally_str_add_line(out, "# No symbols: %s: %s", tally_dso_name(dso),
						   tally_str_text(&reason));
		}
	}
	if (nr > max_files)
		tally_str_addf(out, "# No symbols: %zu more file%s\n", nr - max_files,
			       tally_plural(nr - max_files));
	tally_str_free(&reason);
}

/* Append "1 address" or "2 addresses". */
static void add_counted(uint64_t nr, const char *what, struct tally_str *out)
{
	const char *many = strchr(what, '|');
	size_t len = many ? (size_t)(many - what) : strlen(what);

	tally_str_addf(out, "%" PRIu64 " ", nr);
	if (nr != 1 && many)
		tally_str_add(out, many + 1);
	else
		tally_str_addf(out, "%.*s%s", (int)len, what, tally_plural(nr));
}

/* Return a description of how the recording ended, or NULL if it ended normally. */
static const char *bad_end(const struct tally_perfdata *data)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(data);
	struct tally_perfdata_feature feature;

	if (info->is_unfinished)
		return "the recording was not finished; its end is missing";
	/* Every recorder writes features, unless it fails, for example because the disk is full. */
	if (!info->is_pipe && !tally_perfdata_feature(data, 0, &feature))
		return "the recording has no features; a full disk or a size limit may have "
		       "truncated it";
	return NULL;
}

/* Suggest DWARF callchains if more than 10 % of the validated frame-pointer callchains are broken,
 * or if more than 10 % of all callchains contain only the leaf function. */
static void health_hint(const struct tally_profile_stats *stats, struct tally_str *out)
{
	enum { MANY = 10 }; /* % */

	if (stats->judged && (stats->astray * 100.0 / (double)stats->judged > MANY ||
			      (double)stats->leaf_only * 100.0 / (double)stats->chains > MANY))
		tally_str_add(out, "# Hint: callers are missing in programs built without frame "
				   "pointers; 'record --call-graph dwarf' works without them\n");
}

static void add_traces(const struct tally_traces *traces, struct tally_str *out)
{
	struct tally_str text = {0};

	tally_traces_text(traces, &text);
	if (text.len)
		tally_str_add_line(out, "# Trace: %s", tally_str_text(&text));
	out->failed |= text.failed;
	tally_str_free(&text);
}

void tally_health_text(const struct tally_session *session, const struct tally_profile *profile,
		       bool all_files, struct tally_str *out)
{
	const char *end = bad_end(session->data);
	struct count counts[NR_COUNTS];
	const char *joint = "";

	health_counts(session, profile, counts);
	tally_str_add(out, "# Health: ");
	add_counted(session->feed.counts.samples, "sample", out);
	tally_str_add(out, " read");
	if (profile->stats.chains) {
		tally_str_add(out, ", ");
		add_counted(profile->stats.chains, "callchain", out);
	}
	for (int i = 0; i < NR_COUNTS; i++) {
		if (!counts[i].nr)
			continue;
		tally_str_add(out, *joint ? joint : "; ");
		add_counted(counts[i].nr, counts[i].what, out);
		tally_str_add(out, counts[i].how);
		if (counts[i].of)
			tally_str_addf(out, " (%.1f %%)",
				       100.0 * (double)counts[i].nr / (double)counts[i].of);
		joint = ", ";
	}
	if (end)
		tally_str_addf(out, "%s%s", *joint ? joint : "; ", end);
	else if (!*joint && session->feed.counts.samples && !session->traces.infos &&
		 !tally_perfdata_note(session->data, 0))
		tally_str_add(out, "; nothing lost, truncated or unnamed");
	tally_str_add_char(out, '\n');
	add_traces(&session->traces, out);
	tally_health_stacks_text(&session->chains.unwinder, all_files ? SIZE_MAX : 0, out);
	health_files(session, all_files ? SIZE_MAX : NR_FILES, out);
	tally_health_lines_text(session, profile, all_files ? SIZE_MAX : NR_FILES, out);
	tally_health_jit_text(session, profile, out);
	health_hint(&profile->stats, out);
}

void tally_health_json(const struct tally_session *session, const struct tally_profile *profile,
		       struct tally_str *out)
{
	struct count counts[NR_COUNTS];
	struct tally_str reason = {0};
	const struct tally_dso *dso;
	size_t pos = 0;

	health_counts(session, profile, counts);
	tally_json_open(out, "health", '{');
	tally_json_u64(out, "samples", session->feed.counts.samples);
	tally_json_u64(out, "callchains", profile->stats.chains);
	for (int i = 0; i < NR_COUNTS; i++)
		tally_json_u64(out, counts[i].name, counts[i].nr);
	tally_traces_json(&session->traces, out);
	tally_health_stacks_json(&session->chains.unwinder, out);
	tally_health_jit_json(session, profile, out);
	tally_health_lines_json(session, profile, out);
	tally_json_open(out, "files_without_symbols", '[');
	while ((dso = tally_dso_next(session->symbols, &pos))) {
		missing_reason(dso, &reason);
		if (!reason.len)
			continue;
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "file", tally_dso_name(dso));
		tally_json_text(out, "reason", tally_str_text(&reason));
		tally_json_close(out, '}');
	}
	tally_str_free(&reason);
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}
