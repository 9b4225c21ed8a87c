/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/sideband.h"

#include "core/output.h"
#include "tally/classic.h"

/* ---- record bodies ---------------------------------------------------------------------- */

struct body {
	uint8_t *at, *end;
};

/* Append bytes to the body. Apart from strings, bodies are small and always fit. */
static void body_put(struct body *body, const void *bytes, uint64_t len)
{
	__builtin_memcpy(body->at, bytes, len);
	body->at += len;
}

static void put_header(struct body *body, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {type, misc, 0};

	body_put(body, &header, sizeof(header));
}

#if TALLY_CORE_SIDEBAND

static void put_pair(struct body *body, int32_t a, int32_t b)
{
	const int32_t pair[] = {a, b};

	body_put(body, pair, sizeof(pair));
}

/* Append the IDs of the task that the record is about, as the event's opener sees them. */
static void put_ids(struct body *body, const struct tally_core_event *event,
		    const struct tally_core_task *task)
{
	int32_t pid, tid;

	tally_output_ids(event, task, false, &pid, &tid);
	put_pair(body, pid, tid);
}

/* Append a string with its NUL, truncated if the record would be too long. Padding is added
 * later. */
static void put_string(struct body *body, const char *text)
{
	while (*text && body->at < body->end - 1)
		*body->at++ = (uint8_t)*text++;
	*body->at++ = 0;
}

/* ---- selecting events ------------------------------------------------------------------- */

static void emit_in_slice(struct tally_core_cpu *cpu, struct tally_core_slice *slice,
			  tally_body_fn body, const void *what)
{
	tally_list_for_each (link, &slice->events) {
		struct tally_core_event *event =
			tally_container_of(link, struct tally_core_event, all);

		if (event->state >= TALLY_STATE_INACTIVE && tally_event_matches(event, cpu))
			tally_output_record(event, body, what);
	}
}

static void emit_in_context(struct tally_core_cpu *cpu, struct tally_core_context *context,
			    enum tally_wants wants, tally_body_fn body, const void *what)
{
	struct tally_core_slice *slice;

	if (!context || !context->wants[wants])
		return;
	emit_in_slice(cpu, &context->any, body, what);
	slice = tally_context_slice(context, cpu);
	if (slice)
		emit_in_slice(cpu, slice, body, what);
}

/* Write a record for the events of this CPU and of the running task. */
static void emit_sideband(struct tally_core *core, enum tally_wants wants, tally_body_fn body,
			  const void *what)
{
	uintptr_t flags = core->ops->irq_save(core->host);
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	emit_in_context(cpu, &cpu->own, wants, body, what);
	emit_in_context(cpu, cpu->of_task, wants, body, what);
	core->ops->irq_restore(core->host, flags);
}

/* ---- SWITCH ----------------------------------------------------------------------------- */

struct switched {
	const struct tally_core_task *other;
	uint16_t misc;
};

static uint32_t switch_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			    uint64_t cap)
{
	const struct switched *switched = what;
	struct body body = {to, to + cap};
	const struct tally_core_task *other = switched->other;

	if (!event->attr.context_switch)
		return 0;
	if (event->hw.task) {
		put_header(&body, PERF_RECORD_SWITCH, switched->misc);
	} else {
		put_header(&body, PERF_RECORD_SWITCH_CPU_WIDE, switched->misc);
		put_ids(&body, event, other);
	}
	return (uint32_t)(body.at - to);
}

void tally_sideband_switched(struct tally_core_cpu *cpu, const struct tally_core_task *task,
			     const struct tally_core_task *other, bool in, bool preempt)
{
	struct switched switched = {other, 0};

	if (!in)
		switched.misc |= PERF_RECORD_MISC_SWITCH_OUT;
	if (!in && preempt)
		switched.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	emit_in_context(cpu, &cpu->own, TALLY_WANTS_SWITCH, switch_body, &switched);
	if (task)
		emit_in_context(cpu, cpu->of_task, TALLY_WANTS_SWITCH, switch_body, &switched);
}

/* ---- FORK, EXIT ------------------------------------------------------------------------- */

struct forked {
	const struct tally_core_task *task;
	uint64_t time;
	uint32_t type;
};

static uint32_t task_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			  uint64_t cap)
{
	const struct forked *forked = what;
	const struct perf_event_attr *attr = &event->attr;
	struct body body = {to, to + cap};
	int32_t pid, tid, ppid, ptid;

	if (!attr->task && !attr->comm && !attr->mmap && !attr->mmap2 && !attr->mmap_data)
		return 0;
	put_header(&body, forked->type, 0);
	tally_output_ids(event, forked->task, false, &pid, &tid);
	tally_output_ids(event, forked->task, true, &ppid, &ptid);
	put_pair(&body, pid, ppid);
	put_pair(&body, tid, ptid);
	body_put(&body, &forked->time, sizeof(forked->time));
	return (uint32_t)(body.at - to);
}

void tally_sideband_task(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 const struct tally_core_task *task, bool fork)
{
	struct forked forked = {task, tally_clock(cpu->core),
				fork ? PERF_RECORD_FORK : PERF_RECORD_EXIT};

	/* The CPU's events received the record about a reaped task when the task ended. */
	if (!task->left_by)
		emit_in_context(cpu, &cpu->own, TALLY_WANTS_TASK, task_body, &forked);
	emit_in_context(cpu, context, TALLY_WANTS_TASK, task_body, &forked);
}

/* ---- COMM ------------------------------------------------------------------------------- */

struct named {
	const struct tally_core_task *task;
	const char *comm;
	bool exec;
};

static uint32_t comm_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			  uint64_t cap)
{
	const struct named *named = what;
	struct body body = {to, to + cap};

	if (!event->attr.comm)
		return 0;
	put_header(&body, PERF_RECORD_COMM, named->exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_ids(&body, event, named->task);
	put_string(&body, named->comm);
	return (uint32_t)(body.at - to);
}

void tally_core_watched_comm(struct tally_core *core, struct tally_core_task *task,
			     const char *comm, bool exec)
{
	struct named named = {task, comm, exec};

	emit_sideband(core, TALLY_WANTS_COMM, comm_body, &named);
}

/* ---- MMAP, MMAP2, MUNMAP ---------------------------------------------------------------- */

struct mapped {
	const struct tally_core_task *task;
	const struct tally_core_mapping *mapping;
	bool unmapped;
};

static void put_mmap2(struct body *body, const struct perf_event_attr *attr,
		      const struct tally_core_mapping *mapping)
{
	const uint32_t device[] = {mapping->maj, mapping->min};
	const uint64_t inode[] = {mapping->ino, mapping->ino_generation};
	const uint32_t access[] = {mapping->prot, mapping->flags};
	struct {
		uint8_t size, reserved[3], bytes[sizeof(mapping->build_id)];
	} build_id = {TALLY_MIN(mapping->build_id_size, sizeof(mapping->build_id)), {0}, {0}};

	/* Do not copy the bytes after a short build ID: they belong to the host. */
	__builtin_memcpy(build_id.bytes, mapping->build_id, build_id.size);
	if (attr->build_id && mapping->build_id_size) {
		body_put(body, &build_id, sizeof(build_id));
	} else {
		body_put(body, device, sizeof(device));
		body_put(body, inode, sizeof(inode));
	}
	body_put(body, access, sizeof(access));
}

static bool wants_mapping(const struct tally_core_event *event, const struct mapped *mapped)
{
	if (mapped->unmapped)
		return event->classic;
	return mapped->mapping->executable ? event->attr.mmap || event->attr.mmap2
					   : event->attr.mmap_data;
}

static uint32_t mmap_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			  uint64_t cap)
{
	const struct mapped *mapped = what;
	const struct tally_core_mapping *mapping = mapped->mapping;
	const uint64_t range[] = {mapping->addr, mapping->len, mapping->pgoff};
	const struct perf_event_attr *attr = &event->attr;
	struct body body = {to, to + cap};
	uint16_t misc = PERF_RECORD_MISC_USER;

	if (!wants_mapping(event, mapped))
		return 0;
	if (!mapping->executable)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (attr->mmap2 && attr->build_id && mapping->build_id_size)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	put_header(&body,
		   mapped->unmapped ? TALLY_CLASSIC_CORE_MUNMAP
		   : attr->mmap2    ? PERF_RECORD_MMAP2
				    : PERF_RECORD_MMAP,
		   misc);
	put_ids(&body, event, mapped->task);
	body_put(&body, range, sizeof(range));
	if (attr->mmap2 && !mapped->unmapped)
		put_mmap2(&body, attr, mapping);
	put_string(&body, mapping->filename);
	return (uint32_t)(body.at - to);
}

void tally_core_watched_mapped(struct tally_core *core, struct tally_core_task *task,
			       const struct tally_core_mapping *mapping, bool unmapped)
{
	struct mapped mapped = {task, mapping, unmapped};

	emit_sideband(core, TALLY_WANTS_MMAP, mmap_body, &mapped);
}

/* ---- NAMESPACES, KSYMBOL ---------------------------------------------------------------- */

struct namespaces_change {
	const struct tally_core_task *task;
	const struct perf_ns_link_info *links;
	uint32_t nr;
};

static uint32_t namespaces_body(const struct tally_core_event *event, const void *what, uint8_t *to,
				uint64_t cap)
{
	const struct namespaces_change *moved = what;
	struct body body = {to, to + cap};
	uint64_t nr = moved->nr;

	if (!event->attr.namespaces || cap < 24 + nr * sizeof(*moved->links))
		return 0;
	put_header(&body, PERF_RECORD_NAMESPACES, 0);
	put_ids(&body, event, moved->task);
	body_put(&body, &nr, sizeof(nr));
	body_put(&body, moved->links, nr * sizeof(*moved->links));
	return (uint32_t)(body.at - to);
}

void tally_core_namespaces(struct tally_core *core, struct tally_core_task *task,
			   const struct perf_ns_link_info *links, uint32_t nr)
{
	struct namespaces_change moved = {task, links, nr};

	emit_sideband(core, TALLY_WANTS_NAMESPACES, namespaces_body, &moved);
}

struct ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	const char *name;
};

static uint32_t ksymbol_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			     uint64_t cap)
{
	const struct ksymbol *ksymbol = what;
	struct body body = {to, to + cap};

	if (!event->attr.ksymbol)
		return 0;
	put_header(&body, PERF_RECORD_KSYMBOL, 0);
	body_put(&body, &ksymbol->addr, sizeof(ksymbol->addr));
	body_put(&body, &ksymbol->len, sizeof(ksymbol->len));
	body_put(&body, &ksymbol->type, sizeof(ksymbol->type));
	body_put(&body, &ksymbol->flags, sizeof(ksymbol->flags));
	put_string(&body, ksymbol->name);
	return (uint32_t)(body.at - to);
}

void tally_core_ksymbol(struct tally_core *core, uint64_t addr, uint32_t len, uint16_t type,
			bool gone, const char *name)
{
	struct ksymbol ksymbol = {addr, len, type, gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
				  name};

	emit_sideband(core, TALLY_WANTS_KSYMBOL, ksymbol_body, &ksymbol);
}

/* ---- TEXT_POKE, BPF_EVENT, CGROUP ------------------------------------------------------- */

struct poke {
	uint64_t addr;
	const void *before, *after;
	uint16_t before_len, after_len;
};

static uint32_t poke_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			  uint64_t cap)
{
	const struct poke *poke = what;
	const uint16_t lens[] = {poke->before_len, poke->after_len};
	struct body body = {to, to + cap};

	if (!event->attr.text_poke || cap < 24 + (uint64_t)lens[0] + lens[1])
		return 0;
	put_header(&body, PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL);
	body_put(&body, &poke->addr, sizeof(poke->addr));
	body_put(&body, lens, sizeof(lens));
	body_put(&body, poke->before, lens[0]);
	body_put(&body, poke->after, lens[1]);
	return (uint32_t)(body.at - to);
}

void tally_core_text_poke(struct tally_core *core, uint64_t addr, const void *before,
			  uint32_t before_len, const void *after, uint32_t after_len)
{
	struct poke poke = {addr, before, after, (uint16_t)before_len, (uint16_t)after_len};

	if (before_len <= UINT16_MAX && after_len <= UINT16_MAX)
		emit_sideband(core, TALLY_WANTS_TEXT_POKE, poke_body, &poke);
}

struct bpf {
	uint16_t type;
	uint32_t id;
	const uint8_t *tag;
};

static uint32_t bpf_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			 uint64_t cap)
{
	const struct bpf *bpf = what;
	const uint16_t words[] = {bpf->type, 0 /* no flags are defined */};
	struct body body = {to, to + cap};

	if (!event->attr.bpf_event)
		return 0;
	put_header(&body, PERF_RECORD_BPF_EVENT, 0);
	body_put(&body, words, sizeof(words));
	body_put(&body, &bpf->id, sizeof(bpf->id));
	body_put(&body, bpf->tag, 8);
	return (uint32_t)(body.at - to);
}

void tally_core_bpf(struct tally_core *core, uint16_t type, uint32_t id, const uint8_t *tag)
{
	struct bpf bpf = {type, id, tag};

	emit_sideband(core, TALLY_WANTS_BPF, bpf_body, &bpf);
}

struct cgroup {
	uint64_t id;
	const char *path;
};

static uint32_t cgroup_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			    uint64_t cap)
{
	const struct cgroup *cgroup = what;
	struct body body = {to, to + cap};

	if (!event->attr.cgroup)
		return 0;
	put_header(&body, PERF_RECORD_CGROUP, 0);
	body_put(&body, &cgroup->id, sizeof(cgroup->id));
	put_string(&body, cgroup->path);
	return (uint32_t)(body.at - to);
}

void tally_core_cgroup(struct tally_core *core, uint64_t id, const char *path)
{
	struct cgroup cgroup = {id, path};

	emit_sideband(core, TALLY_WANTS_CGROUP, cgroup_body, &cgroup);
}

#else

/* Empty hooks for records that are not built into this core. */

void tally_core_watched_comm(struct tally_core *core, struct tally_core_task *task,
			     const char *comm, bool exec)
{
}

void tally_core_watched_mapped(struct tally_core *core, struct tally_core_task *task,
			       const struct tally_core_mapping *mapping, bool unmapped)
{
}

void tally_core_namespaces(struct tally_core *core, struct tally_core_task *task,
			   const struct perf_ns_link_info *links, uint32_t nr)
{
}

void tally_core_ksymbol(struct tally_core *core, uint64_t addr, uint32_t len, uint16_t type,
			bool gone, const char *name)
{
}

void tally_core_text_poke(struct tally_core *core, uint64_t addr, const void *before,
			  uint32_t before_len, const void *after, uint32_t after_len)
{
}

void tally_core_bpf(struct tally_core *core, uint16_t type, uint32_t id, const uint8_t *tag)
{
}

void tally_core_cgroup(struct tally_core *core, uint64_t id, const char *path)
{
}

#endif

/* ---- THROTTLE --------------------------------------------------------------------------- */

static uint32_t throttle_body(const struct tally_core_event *event, const void *what, uint8_t *to,
			      uint64_t cap)
{
	struct body body = {to, to + cap};
	const uint64_t words[] = {tally_clock(event->core),
				  event->parent ? event->parent->id : event->id, event->id};

	put_header(&body, *(const uint32_t *)what, 0);
	body_put(&body, words, sizeof(words));
	return (uint32_t)(body.at - to);
}

void tally_sideband_throttle(struct tally_core_event *event, bool throttled)
{
	uint32_t type = throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;

	tally_output_record(event, throttle_body, &type);
}
