/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/frame_text.h"

#include <inttypes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "profile/profile_model.h"
#include "profile/short_names.h"
#include "symbols/demangle.h"

void tally_frame_add_file(const struct tally_frame *frame, bool has_pid, struct tally_str *out)
{
	const char *name = frame->dso ? tally_dso_name(frame->dso) : "[unknown]";
	const char *slash = name[0] != '[' ? strrchr(name, '/') : NULL;
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;
	char module[128];
	int tid;

	if (kind == TALLY_DSO_MODULE) {
		tally_module_name(name, module, sizeof(module));
		tally_str_add(out, module);
	} else if (!has_pid && (kind == TALLY_DSO_PERF_MAP || kind == TALLY_DSO_JITDUMP)) {
		tally_str_add(out, "[JIT]");
	} else if (kind == TALLY_DSO_PERF_MAP && slash &&
		   sscanf(slash, "/perf-%d.map", &tid) == 1) {
		tally_str_addf(out, "[JIT] tid %d", tid); /* as in perf */
	} else {
		tally_str_add(out, slash ? slash + 1 : name);
	}
}

void tally_frame_add_name(const struct tally_frame *frame, struct tally_str *out)
{
	uint64_t addr = frame->addr, start;

	if (frame->symbol) {
		tally_str_add(out, tally_symbol_name(frame->dso, frame->symbol));
		return;
	}
	if (frame->dso && tally_dso_kind(frame->dso) == TALLY_DSO_MODULE &&
	    tally_dso_address(frame->dso, &start))
		addr -= start;
	tally_str_add_bytes(out, "0x", 2);
	tally_str_add_hex(out, addr, 16);
}

void tally_frame_add_variant(const struct tally_frame *frame, uint64_t *left, struct tally_str *out)
{
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";
	const char *raw = frame->symbol ? tally_symbol_raw_name(frame->dso, frame->symbol) : "";
	char *full = strcmp(name, raw) ? tally_demangle(raw, true, left) : NULL;

	if (full)
		tally_str_add(out, full);
	else
		tally_frame_add_name(frame, out);
	free(full);
}

void tally_frame_add_place(const struct tally_frame *frame, struct tally_str *out)
{
	if (frame->symbol)
		tally_str_addf(out, "%s+%" PRIu64, tally_symbol_name(frame->dso, frame->symbol),
			       frame->addr - frame->symbol->start);
	else
		tally_str_addf(out, "%s[%" PRIx64 "]",
			       frame->dso ? tally_mapped_name(tally_dso_name(frame->dso))
					  : "[unknown]",
			       frame->addr);
}

/* Maximum length of a name in a label. All labels are rebuilt after each key press. */
enum { LABEL_MAX_BYTES = 4096 };

/* Append a name. The start of a very long name is left out, because the function's own name is at
 * the end. */
static void add_bounded(const char *name, struct tally_str *out)
{
	size_t len = strlen(name), from = len > LABEL_MAX_BYTES ? len - LABEL_MAX_BYTES : 0;

	while (from && from < len && ((unsigned char)name[from] & 0xc0) == 0x80)
		from++;
	tally_str_add(out, from ? "..." : "");
	tally_str_add_bytes(out, name + from, len - from);
}

void tally_frame_add_label(const struct tally_profile *profile, uint32_t number,
			   struct tally_str *out)
{
	const struct tally_frame *frame = &profile->frames.all.data[number];
	const char *name = frame->dso ? tally_dso_name(frame->dso) : "[unknown]";

	if (frame->symbol)
		add_bounded(tally_profile_short_name(profile, number), out);
	else if (*name == '[')
		tally_str_add(out, name);
	else
		tally_str_addf(out, "[%s]", tally_path_name(name));
}

bool tally_frame_is_inlined(const struct tally_frame *frame)
{
	return frame->symbol && tally_symbol_is_inlined(frame->dso, frame->symbol);
}
