/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/frame_kind.h"

#include <string.h>

#include "base/hash.h"
#include "base/path.h"

static bool is_library(const char *name)
{
	const char *last = tally_path_name(name), *so = strstr(last, ".so");

	return so && (!so[3] || so[3] == '.');
}

/* Return the kind of a frame in an unknown DSO. Even hidden kernel addresses are known to belong to
 * the kernel. */
static enum tally_frame_kind unknown_kind(const struct tally_frame *frame)
{
	bool is_kernel = frame->dso && !strcmp(tally_dso_name(frame->dso), TALLY_HIDDEN_KERNEL);

	return is_kernel ? TALLY_KIND_KERNEL : TALLY_KIND_UNKNOWN;
}

enum tally_frame_kind tally_frame_kind(const struct tally_frame *frame)
{
	enum tally_dso_kind kind = frame->dso ? tally_dso_kind(frame->dso) : TALLY_DSO_UNKNOWN;

	switch (kind) {
	case TALLY_DSO_KERNEL:
	case TALLY_DSO_MODULE: return TALLY_KIND_KERNEL;
	case TALLY_DSO_PERF_MAP:
	case TALLY_DSO_JITDUMP: return TALLY_KIND_JIT;
	case TALLY_DSO_UNKNOWN: return unknown_kind(frame);
	case TALLY_DSO_USER:
	case TALLY_DSO_VDSO: break;
	}
	if (frame->symbol && tally_symbol_is_inlined(frame->dso, frame->symbol))
		return TALLY_KIND_INLINED;
	if (!frame->symbol)
		return TALLY_KIND_UNKNOWN;
	return is_library(tally_dso_name(frame->dso)) ? TALLY_KIND_LIBRARY : TALLY_KIND_USER;
}

unsigned tally_frame_shade(const struct tally_frame *frame)
{
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	return (unsigned)(tally_hash_bytes(name, strlen(name), 0) >> 7 & 1);
}
