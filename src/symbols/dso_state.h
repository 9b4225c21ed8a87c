/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of searching for the symbols, unwind rules and source lines of an object. */
#ifndef TALLY_SYMBOLS_DSO_STATE_H
#define TALLY_SYMBOLS_DSO_STATE_H

/* Result of searching for symbols, see tally_dso_status(). */
enum tally_dso_state {
	TALLY_DSO_NOT_LOADED,  /* no lookup yet */
	TALLY_DSO_LOADED,      /* symbols were found */
	TALLY_DSO_MISSING,     /* no such file; the recording is from elsewhere, or symfs is set */
	TALLY_DSO_MISMATCH,    /* no file has the recorded build-id */
	TALLY_DSO_NO_SYMBOLS,  /* the file is stripped */
	TALLY_DSO_NOT_ELF,     /* the file is not an ELF file */
	TALLY_DSO_BROKEN,      /* the file is malformed */
	TALLY_DSO_DENIED,      /* no permission (or kptr_restrict) */
	TALLY_DSO_UNSUPPORTED, /* compressed module, and no decompressor */
	TALLY_DSO_TOO_LARGE,   /* the file, or a table in it, exceeds a limit */
	TALLY_DSO_TRUNCATED,   /* the file was truncated while it was being read */
	TALLY_DSO_FOREIGN,     /* not known to be from the recorded machine and kernel */
	TALLY_DSO_REPLACED,    /* the file at the path is not the one that was mapped */
	TALLY_DSO_CHANGED,     /* the file has no build-id, and changed after the recording */
	TALLY_DSO_NOT_TRUSTED, /* a JIT compiler's file that belongs to an untrusted user */
	TALLY_DSO_NO_FILE,     /* this kind of object has no symbols */
	TALLY_DSO_NO_MEMORY,
	TALLY_DSO_NO_LINES, /* from here on, states for lines only, see symbols_lines.h */
	TALLY_DSO_TIMEOUT,
	TALLY_DSO_OVER_MEMORY,
	TALLY_DSO_CRASHED,
	TALLY_DSO_DAMAGED,
	TALLY_DSO_INCOMPLETE,
	TALLY_DSO_NO_RESOURCES,
	TALLY_DSO_DEBUG_ONLY, /* for symbols and lines: only the debug file was found */
	TALLY_DSO_REMOVED,    /* recorded on this machine, but the file no longer exists */
};

/* Return a constant, lower-case description of a state. */
const char *tally_dso_state_text(enum tally_dso_state state);

#endif
