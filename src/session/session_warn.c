/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings about the problems of a recording. */
#include "base/arith.h"
#include "session/session.h"

/* Warn about records that were skipped. */
static void warn_damaged(const struct tally_session *session)
{
	const struct tally_feed_counts *counts = &session->feed.counts;
	uint64_t records = tally_machine_stats(session->machine)->damaged;

	if (counts->damaged && counts->damage)
		tally_message_warn(session->options.messages,
				   "%s: skipped %llu records that cannot be decoded: %s",
				   session->name, (unsigned long long)counts->damaged,
				   counts->damage);
	else if (counts->damaged)
		tally_message_warn(session->options.messages,
				   "%s: skipped %llu records that are shorter than their attr "
				   "requires, or have no attr",
				   session->name, (unsigned long long)counts->damaged);
	if (session->health.long_samples)
		tally_message_warn(
			session->options.messages,
			"%s: %llu samples are longer than their fields; the extra data is ignored",
			session->name, (unsigned long long)session->health.long_samples);
	if (records)
		tally_message_warn(session->options.messages,
				   "%s: skipped %llu task and mapping records that are too short, "
				   "or have a name over 4095 bytes",
				   session->name, (unsigned long long)records);
}

static void warn_note(const char *name, const struct tally_perfdata_note *note,
		      const struct tally_messages *messages)
{
	struct tally_str where = {0};
	const char *feature = NULL;

	/* Records inside compressed data have no file offset. */
	if (note->offset != UINT64_MAX)
		tally_str_addf(&where, "at byte %llu", (unsigned long long)note->offset);
	if (note->count > 1)
		tally_str_addf(&where, "%s%llu more times", where.len ? ", and " : "",
			       (unsigned long long)note->count - 1);
	if (note->kind == TALLY_NOTE_BAD_FEATURE)
		feature = tally_perfdata_feature_name(note->what);
	if (where.len)
		tally_message_warn(messages, "%s: %s%s%s (%s)", name, feature ? feature : "",
				   feature ? ": " : "", note->text, tally_str_text(&where));
	else
		tally_message_warn(messages, "%s: %s", name, note->text);
	tally_str_free(&where);
}

void tally_notes_warn(const struct tally_perfdata *data, const char *name,
		      const struct tally_messages *messages)
{
	const struct tally_perfdata_note *note;

	for (size_t i = 0; (note = tally_perfdata_note(data, i)); i++)
		warn_note(name, note, messages);
}

static void warn_traces(const struct tally_session *session)
{
	struct tally_str text = {0};

	tally_traces_text(&session->traces, &text);
	if (text.len)
		tally_message_warn(session->options.messages, "%s: %s", session->name,
				   tally_str_text(&text));
	tally_str_free(&text);
}

void tally_session_warn(const struct tally_session *session)
{
	tally_notes_warn(session->data, session->name, session->options.messages);
	warn_damaged(session);
	warn_traces(session);
}

void tally_session_out_of_memory(const struct tally_session *session)
{
	tally_message_error(session->options.messages, "%s: out of memory", session->name);
}

void tally_session_warn_empty(const struct tally_session *session)
{
	tally_message_warn(session->options.messages, "%s has no samples", session->name);
	tally_message_hint(session->options.messages,
			   "the program may have used too little CPU time: record for a longer "
			   "time or with a higher frequency (-F); tally doctor checks what can be "
			   "recorded here");
}
