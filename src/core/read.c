/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/read.h"

#include "core/context.h"
#include "core/family.h"
#include "core/state.h"

/* FEW is the maximum number of counts read on the stack; larger groups need allocated memory. */
enum { FEW = 16, WORDS_EACH = 3, WORDS_AHEAD = 3 };

struct total {
	uint64_t value, enabled, running;
};

/* ---- updating counts -------------------------------------------------------------------- */

void tally_event_refresh(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	if (cpu) {
		tally_context_advance(event->context, tally_clock(event->core));
		if (event->state == TALLY_STATE_ACTIVE && event->hw.running)
			event->pmu->read(event->pmu, &event->hw);
	}
	if (event->state > TALLY_STATE_EXIT)
		tally_event_account(event);
}

#if TALLY_CORE_SAMPLE_PARTS

/* Compute the current totals without changing the event, because the caller may have interrupted an
 * update of the event. */
static struct total sample_total(struct tally_core_event *event, uint64_t now)
{
	const struct tally_core_times *times = tally_event_times(event);
	uint64_t passed = tally_context_time(event->context, now) - times->stamp;

	if (event->leader->state < TALLY_STATE_INACTIVE || event->state < TALLY_STATE_INACTIVE)
		passed = 0;
	return (struct total){tally_load_relaxed(&event->count) +
				      tally_load_relaxed(&event->child_count),
			      times->enabled + tally_load_relaxed(&event->child_enabled) + passed,
			      times->running + tally_load_relaxed(&event->child_running) +
				      (event->state == TALLY_STATE_ACTIVE ? passed : 0)};
}

#endif

/* ---- encoding --------------------------------------------------------------------------- */

static uint64_t *put_value(uint64_t *at, uint64_t format, uint64_t value,
			   struct tally_core_event *event)
{
	const struct tally_core_event *root = tally_event_root(event);

	*at++ = value;
	if (format & PERF_FORMAT_ID)
		*at++ = root->id;
	if (format & PERF_FORMAT_LOST)
		*at++ = tally_load_relaxed(&root->lost);
	return at;
}

static void put_single(struct tally_read *read, struct tally_core_event *event, uint64_t value)
{
	const struct tally_core_event *root = tally_event_root(event);

	read->nr = 1;
	read->single = (struct tally_read_value){value, root->id, tally_load_relaxed(&root->lost)};
}

#if TALLY_CORE_SAMPLE_PARTS

/* ---- counts in a sample ----------------------------------------------------------------- */

static void sample_group(struct tally_output *output, struct tally_sample *sample, uint64_t now)
{
	struct tally_core_event *leader = output->event->leader;
	uint64_t format = output->event->attr.read_format, bytes;
	uint64_t nr = 1 + (uint64_t)leader->nr_siblings, want = tally_read_size(format, nr);
	uint64_t *words = (uint64_t *)(void *)tally_output_spare(output, want, &bytes);
	uint64_t *at = words;

	sample->read.nr = 0;
	sample->read.group = (struct tally_words){(uint8_t *)words, 0};
	if (bytes < want)
		return;
	tally_group_for_each (event, leader) {
		/* A member that is being removed may still be in the list, but is no longer
		 * included in nr. */
		if (sample->read.nr == nr)
			break;
		if (event != output->event && event->state == TALLY_STATE_ACTIVE &&
		    event->hw.running)
			event->pmu->read(event->pmu, &event->hw);
		at = put_value(at, format, sample_total(event, now).value, event);
		sample->read.nr++;
	}
	sample->read.group = (struct tally_words){(uint8_t *)words, (uint64_t)(at - words)};
}

void tally_read_sample(struct tally_output *output, struct tally_sample *sample)
{
	struct tally_core_event *event = output->event;
	uint64_t format = event->attr.read_format;
	uint64_t now = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
			       ? tally_clock(event->core)
			       : 0;
	struct total total = sample_total(format & PERF_FORMAT_GROUP ? event->leader : event, now);

	sample->read.format = format;
	sample->read.time_enabled = total.enabled;
	sample->read.time_running = total.running;
	if (format & PERF_FORMAT_GROUP)
		sample_group(output, sample, now);
	else
		put_single(&sample->read, event, total.value);
}

#endif

#if TALLY_CORE_INHERITANCE

static uint32_t read_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			  uint64_t cap)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
	} head = {{PERF_RECORD_READ, 0, 0}, 0, 0};
	const struct tally_core_task *task = what;
	const struct tally_core_event *root = event->parent ? event->parent : event;
	struct tally_read read = {
		.format = event->attr.read_format & ~(uint64_t)PERF_FORMAT_GROUP,
		.time_enabled = tally_event_times(event)->enabled,
		.time_running = tally_event_times(event)->running,
		.nr = 1,
		.single = {event->count, root->id, root->lost},
	};

	tally_output_ids(event, task, false, &head.pid, &head.tid);
	__builtin_memcpy(to, &head, sizeof(head));
	tally_read_encode(&read, to + sizeof(head));
	return (uint32_t)(sizeof(head) + tally_read_size(read.format, 1));
}

void tally_read_record(struct tally_core_event *child, const struct tally_core_task *task)
{
	tally_output_record_of(child, task, read_body, task);
}

#endif

/* ---- read(2) ---------------------------------------------------------------------------- */

struct refresh {
	struct tally_core_event *event;
	bool group;
};

static void refresh_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	struct refresh *refresh = arg;
	struct tally_core_event *event = refresh->event;

	if (!refresh->group) {
		tally_event_refresh(cpu, event);
		return;
	}
	tally_group_for_each (member, event->leader)
		tally_event_refresh(cpu, member);
}

static void refresh_one(struct tally_core_event *event, bool group)
{
	struct refresh here = {event, group};

	tally_context_run(event->context, refresh_here, &here);
}

/* Update the counts of the event and its children, on the CPUs that they are running on. */
static void refresh(struct tally_core_event *event, bool group)
{
	refresh_one(event, group);
	tally_list_for_each (link, &event->children)
		refresh_one(tally_container_of(link, struct tally_core_event, child), group);
}

/* Update a member's children that have left their group because the leader's child was closed. */
static void refresh_strays(struct tally_core_event *member)
{
	tally_list_for_each (link, &member->children) {
		struct tally_core_event *child =
			tally_container_of(link, struct tally_core_event, child);

		if (child->leader->parent != member->leader)
			refresh_one(child, false);
	}
}

static void refresh_group(struct tally_core_event *leader)
{
	refresh(leader, true);
	tally_group_for_each (member, leader)
		refresh_strays(member);
}

/* Add the event's own counts. */
static void add_own(const struct tally_core_event *event, struct total *total)
{
	const struct tally_core_times *times = tally_event_times(event);

	total->value += tally_load_relaxed(&event->count);
	total->enabled += tally_load_relaxed(&times->enabled);
	total->running += tally_load_relaxed(&times->running);
}

static struct total add_up(const struct tally_core_event *event)
{
	struct total total = {tally_load_relaxed(&event->child_count),
			      tally_load_relaxed(&event->child_enabled),
			      tally_load_relaxed(&event->child_running)};

	add_own(event, &total);
	tally_list_for_each (link, &event->children)
		add_own(tally_container_of(link, struct tally_core_event, child), &total);
	return total;
}

/* Collect the counts that the event's read_format requests. `words` has space for a whole group. */
static void collect(struct tally_core_event *event, uint64_t *words, struct tally_read *ret_read)
{
	uint64_t format = event->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	struct total total = add_up(group ? event->leader : event);
	uint64_t *at = words;

	*ret_read = (struct tally_read){
		.format = format, .time_enabled = total.enabled, .time_running = total.running};
	if (!group) {
		put_single(ret_read, event, total.value);
		return;
	}
	tally_group_for_each (member, event->leader) {
		at = put_value(at, format, add_up(member).value, member);
		ret_read->nr++;
	}
	ret_read->group = (struct tally_words){(const uint8_t *)words, (uint64_t)(at - words)};
}

/*
 * Shortcut for a task that reads its own event. If the event's context is on this CPU, and the
 * event neither migrates nor has children, nothing else can access the event while interrupts are
 * off. Return false if the shortcut does not apply.
 */
static bool collect_own(struct tally_core_event *event, uint64_t *words,
			struct tally_read *ret_read)
{
	struct tally_core *core = event->core;
	bool group = event->attr.read_format & PERF_FORMAT_GROUP, own;
	struct refresh here = {event, group};
	struct tally_core_cpu *cpu;
	uintptr_t flags;

	if (event->attr.inherit || event->moves)
		return false;
	flags = core->ops->irq_save(core->host);
	cpu = tally_this_cpu(core);
	own = tally_load_relaxed(&event->context->on_cpu) == (int32_t)cpu->number &&
	      (!group || event->leader->nr_siblings < FEW) &&
	      event->leader->state > TALLY_STATE_ERROR;
	if (own) {
		refresh_here(cpu, event->context, &here);
		collect(event, words, ret_read);
	}
	core->ops->irq_restore(core->host, flags);
	return own;
}

/* Return the number of values that a read of the event returns. */
static uint64_t nr_values(const struct tally_core_event *event)
{
	bool group = event->attr.read_format & PERF_FORMAT_GROUP;

	return group ? 1 + (uint64_t)event->leader->nr_siblings : 1;
}

/* Memory for the encoded result, followed by the values that are to be encoded. */
struct room {
	uint64_t *words;
	uint64_t nr; /* capacity in values */
	size_t bytes;
};

static size_t room_bytes(uint64_t nr)
{
	return (WORDS_AHEAD + 2 * nr * WORDS_EACH) * sizeof(uint64_t);
}

/* Read the counts into `room`. Return the size of the result in bytes, 0 (end of file) if the event
 * is in the error state or revoked, or -ENOSPC if `len` is too small. If `room` is too small,
 * return -EAGAIN and the number of values in *ret_nr. Called with the family lock held. */
static int64_t read_into(struct tally_core_event *event, const struct room *room, size_t len,
			 uint64_t *ret_nr)
{
	bool group = event->attr.read_format & PERF_FORMAT_GROUP;
	uint64_t nr = nr_values(event);
	size_t size = tally_read_size(event->attr.read_format, nr);
	struct tally_read read;

	if (tally_load_relaxed(&event->state) == TALLY_STATE_ERROR ||
	    tally_load_relaxed(&event->state) == TALLY_STATE_REVOKED)
		return 0;
	if (len < size)
		return -ENOSPC;
	if (nr > room->nr) {
		*ret_nr = nr;
		return -EAGAIN;
	}
	if (group)
		refresh_group(event->leader);
	else
		refresh(event, false);
	collect(event, room->words + WORDS_AHEAD + nr * WORDS_EACH, &read);
	tally_read_encode(&read, room->words);
	return (int64_t)size;
}

/* Read the counts, with allocated memory if `few` is too small. Try again if the group grows during
 * the allocation. */
static int64_t read_any(struct tally_core *core, struct tally_core_event *event, void *buffer,
			size_t len, const struct room *few)
{
	struct room room = *few;
	uint64_t nr = 0;
	int64_t ret;

	for (;;) {
		tally_event_lock(event);
		ret = read_into(event, &room, len, &nr);
		tally_event_unlock(event);
		if (ret != -EAGAIN)
			break;
		if (room.words != few->words)
			tally_core_free(core, room.words, room.bytes);
		room = (struct room){NULL, nr, room_bytes(nr)};
		room.words = tally_core_alloc(core, room.bytes);
		if (!room.words)
			return -ENOMEM;
	}
	if (ret > 0 && core->ops->copy_to_user(core->host, buffer, room.words, (size_t)ret))
		ret = -EFAULT;
	if (room.words != few->words)
		tally_core_free(core, room.words, room.bytes);
	return ret;
}

int64_t tally_core_read(struct tally_core *core, struct tally_core_event *event, void *buffer,
			size_t len)
{
	uint64_t words[WORDS_AHEAD + 2 * FEW * WORDS_EACH];
	const struct room few = {words, FEW, sizeof(words)};
	struct tally_read read;
	size_t size;

	if (!tally_event_permitted(event, TALLY_HOST_READ))
		return -EACCES;
	if (!collect_own(event, words + WORDS_AHEAD + FEW * WORDS_EACH, &read))
		return read_any(core, event, buffer, len, &few);
	size = tally_read_size(read.format, read.nr);
	if (len < size)
		return -ENOSPC;
	tally_read_encode(&read, words);
	return core->ops->copy_to_user(core->host, buffer, words, size) ? -EFAULT : (int64_t)size;
}

int tally_core_event_read(struct tally_core *core, struct tally_core_event *event,
			  struct tally_core_counts *ret_counts)
{
	struct total total;
	int ret = 0;

	tally_event_lock(event);
	switch (tally_load_relaxed(&event->state)) {
	case TALLY_STATE_ERROR: ret = -ENOSPC; break;
	case TALLY_STATE_REVOKED: ret = -ENODEV; break;
	default: refresh(event, false); break;
	}
	total = add_up(event);
	tally_event_unlock(event);
	if (ret)
		return ret;
	*ret_counts = (struct tally_core_counts){total.value, total.enabled, total.running};
	return 0;
}
