/* SPDX-License-Identifier: BSD-2-Clause */
/* States of loading, the errors that lead to them, and their descriptions. */
#include "symbols/load_errors.h"

#include "base/arith.h"

static const char *const state_texts[] = {
	[TALLY_DSO_NOT_LOADED] = "not looked up",
	[TALLY_DSO_LOADED] = "symbols loaded",
	[TALLY_DSO_MISSING] = "file missing",
	[TALLY_DSO_MISMATCH] = "build-id differs from the recorded one",
	[TALLY_DSO_NO_SYMBOLS] = "no symbols in the file",
	[TALLY_DSO_NOT_ELF] = "not an ELF file",
	[TALLY_DSO_BROKEN] = "malformed file",
	[TALLY_DSO_DENIED] = "permission denied",
	[TALLY_DSO_UNSUPPORTED] = "the file is compressed, and this build cannot decompress it",
	[TALLY_DSO_TOO_LARGE] = "file too large",
	[TALLY_DSO_TRUNCATED] = "the file was truncated while it was being read",
	[TALLY_DSO_FOREIGN] =
		"cannot be matched with this machine's files: it was recorded elsewhere or before "
		"a reboot, and "
		"has no build-id; use --symfs, -k or --kallsyms to specify the symbols",
	[TALLY_DSO_REPLACED] = "the file at this path is not the one that was mapped: it was "
			       "replaced, or the process ran in a container",
	[TALLY_DSO_CHANGED] = "the file changed after it was recorded, and has no build-id",
	[TALLY_DSO_NOT_TRUSTED] =
		"its perf-PID.map or jitdump file is not owned by root, you or the "
		"process's user; use -f to accept it",
	[TALLY_DSO_NO_FILE] = "memory not backed by a file",
	[TALLY_DSO_NO_MEMORY] = "out of memory",
	[TALLY_DSO_NO_LINES] =
		"no debug information (compile with -g or install its debug symbols)",
	[TALLY_DSO_TIMEOUT] = "gave up reading its debug information, because it took too long",
	[TALLY_DSO_OVER_MEMORY] =
		"gave up reading its debug information, because it needed too much memory",
	[TALLY_DSO_DAMAGED] = "its debug information is damaged or too large: some addresses have "
			      "no line numbers",
	[TALLY_DSO_INCOMPLETE] =
		"parts of its debug information are missing (.dwo files, or the file "
		"made by dwz): some inlined functions cannot be distinguished",
	[TALLY_DSO_NO_RESOURCES] = "out of file descriptors or processes",
	[TALLY_DSO_DEBUG_ONLY] = "only its debug file was found, which does not contain the file "
				 "offsets of its code",
	[TALLY_DSO_REMOVED] = "no such file: it was removed, existed only in memory, or is in a "
			      "container (use tally report --symfs ROOT)",
	[TALLY_DSO_CRASHED] =
		"its debug information is malformed: the process that read it crashed",
};

const char *tally_dso_state_text(enum tally_dso_state state)
{
	return state_texts[state];
}

/* Errors and the corresponding states, the most informative ones first. tally_worse_error() uses
 * the same order. */
static const struct {
	int code;
	enum tally_dso_state state;
} failures[] = {
	{-ENOMEM, TALLY_DSO_NO_MEMORY},
	{-EIO, TALLY_DSO_TRUNCATED},
	{-ESTALE, TALLY_DSO_MISMATCH},
	{TALLY_DSO_ERROR_FOREIGN, TALLY_DSO_FOREIGN},
	{TALLY_DSO_ERROR_REPLACED, TALLY_DSO_REPLACED},
	{TALLY_DSO_ERROR_CHANGED, TALLY_DSO_CHANGED},
	{TALLY_DSO_ERROR_NOT_TRUSTED, TALLY_DSO_NOT_TRUSTED},
	{TALLY_DSO_ERROR_DEBUG_ONLY, TALLY_DSO_DEBUG_ONLY},
	{-ENODATA, TALLY_DSO_NO_SYMBOLS},
	{-ENOSYS, TALLY_DSO_UNSUPPORTED},
	{-EFBIG, TALLY_DSO_TOO_LARGE},
	{-EBADMSG, TALLY_DSO_BROKEN},
	{-ENOEXEC, TALLY_DSO_NOT_ELF},
	{-EACCES, TALLY_DSO_DENIED},
	{-EPERM, TALLY_DSO_DENIED},
	{-EINVAL, TALLY_DSO_BROKEN},
	{-ENODEV, TALLY_DSO_NOT_ELF},
	{-ENOTSUP, TALLY_DSO_NO_SYMBOLS},
	{TALLY_DSO_ERROR_REMOVED, TALLY_DSO_REMOVED},
};

static size_t failure_rank(int code)
{
	size_t rank = 0;

	while (rank < TALLY_ARRAY_SIZE(failures) && failures[rank].code != code)
		rank++;
	return rank;
}

int tally_worse_error(int a, int b)
{
	return failure_rank(b) < failure_rank(a) ? b : a;
}

enum tally_dso_state tally_dso_state_of_error(int code)
{
	size_t rank = failure_rank(code);

	if (!code)
		return TALLY_DSO_LOADED;
	return rank < TALLY_ARRAY_SIZE(failures) ? failures[rank].state : TALLY_DSO_MISSING;
}
