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

/* ---- code of others -------------------------------------------------------------- */

/* Return true if `text` begins with one of the strings in a list that ends with NULL. */
static bool begins_with_any(const char *text, const char *const *list)
{
	for (; *list; list++) {
		if (!strncmp(text, *list, strlen(*list)))
			return true;
	}
	return false;
}

/* Return true if a shared library belongs to the system, and not to the program. */
static bool is_system_library(const char *path)
{
	static const char *const places[] = {"/lib/",       "/lib64/",     "/lib32/", "/usr/",
					     "/nix/store/", "/gnu/store/", "/snap/",  "/app/lib/",
					     "/runtime/",   "[vdso]",      NULL};

	return begins_with_any(path, places) && (is_library(path) || *path == '[');
}

/* Return true for a function of a standard library, of a language's runtime or of the start-up
 * code, all of which may be linked into a program. */
static bool is_standard_name(const char *name)
{
	static const char *const scopes[] = {
		"std::",     "__gnu_cxx::",   "__cxxabiv1::", "core::",
		"alloc::",   "<std::",        "<core::",      "<alloc::",
		"_M_",       "_S_",           "runtime.",     "runtime/",
		"internal/", "sync.",         "sync/",        "syscall.",
		"reflect.",  "__libc_start_", "__libc_csu_",  "_dl_relocate_static_pie",
		NULL};
	static const char *const whole[] = {"_start", "start_thread", "clone3", "clone", NULL};
	size_t len = strlen(name);

	for (size_t i = 0; whole[i]; i++) {
		if (!strcmp(name, whole[i]))
			return true;
	}
	if (begins_with_any(name, scopes))
		return true;
	/* Templates with reserved names, such as __invoke_impl<...>, and stubs that call
	 * libraries. */
	return (!strncmp(name, "__", 2) && strchr(name, '<')) ||
	       (len > 4 && !strcmp(name + len - 4, "@plt"));
}

bool tally_frame_is_foreign(const struct tally_frame *frame, const char *path)
{
	enum tally_frame_kind kind = tally_frame_kind(frame);

	if (kind == TALLY_KIND_KERNEL || (frame->symbol && !frame->dso))
		return true;
	if (kind == TALLY_KIND_JIT || !frame->dso)
		return false;
	return is_system_library(path) ||
	       (frame->symbol && is_standard_name(tally_symbol_name(frame->dso, frame->symbol)));
}

unsigned tally_frame_shade(const struct tally_frame *frame)
{
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	return (unsigned)(tally_hash_bytes(name, strlen(name), 0) >> 7 & 1);
}
