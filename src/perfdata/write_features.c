/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes features as bytes, for file and pipe mode. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "perfdata/encode.h"
#include "perfdata/writer.h"

struct tally_writer_feature *tally_writer_find_feature(struct tally_perfdata_writer *writer,
						       uint32_t id)
{
	tally_vec_for_each (feature, &writer->features) {
		if (feature->id == id)
			return feature;
	}
	return NULL;
}

int tally_perfdata_writer_feature(struct tally_perfdata_writer *writer, uint32_t id,
				  const void *bytes, size_t len)
{
	struct tally_writer_feature feature = {.id = id, .len = len};
	struct tally_writer_feature *old = tally_writer_find_feature(writer, id);

	if (id >= TALLY_FEATURE_LIMIT)
		return -EINVAL;
	feature.bytes = malloc(len ? len : 1);
	if (!feature.bytes)
		return -ENOMEM;
	if (len)
		memcpy(feature.bytes, bytes, len);
	if (old) {
		free(old->bytes);
		*old = feature;
	} else if (tally_vec_push(&writer->features, feature)) {
		free(feature.bytes);
		return -ENOMEM;
	}
	return 0;
}

/* Store the encoded bytes as a feature, and free them. */
static int set_str(struct tally_perfdata_writer *writer, uint32_t id, struct tally_str *out)
{
	int ret = tally_str_error(out);

	if (!ret)
		ret = tally_perfdata_writer_feature(writer, id, out->data, out->len);
	tally_str_free(out);
	return ret;
}

/* ---- features derived from the writer itself ----------------------------- */

static int make_event_desc(struct tally_perfdata_writer *writer)
{
	bool swap = writer->options.foreign;
	uint32_t size = tally_writer_attr_size(writer);
	struct tally_str out = {0};

	tally_put32(&out, swap, (uint32_t)writer->events.list.len);
	tally_put32(&out, swap, size);
	tally_vec_for_each (event, &writer->events.list) {
		tally_write_attr(&out, swap, &(*event)->pub.attr, size);
		tally_put32(&out, swap, (uint32_t)(*event)->ids.len);
		tally_write_string(&out, swap, (*event)->pub.name);
		for (size_t i = 0; i < (*event)->ids.len; i++)
			tally_put64(&out, swap, (*event)->ids.data[i]);
	}
	return set_str(writer, TALLY_FEATURE_EVENT_DESC, &out);
}

static int make_compressed(struct tally_perfdata_writer *writer)
{
	bool swap = writer->options.foreign;
	uint64_t ratio = writer->data_bytes ? writer->raw_bytes / writer->data_bytes : 0;
	struct tally_str out = {0};

	tally_put32(&out, swap, 1); /* version */
	tally_put32(&out, swap, 1); /* zstd */
	tally_put32(&out, swap, (uint32_t)writer->options.compress_level);
	tally_put32(&out, swap, (uint32_t)ratio);
	tally_put32(&out, swap, 2 * TALLY_DEFLATE_SLICE);
	return set_str(writer, TALLY_FEATURE_COMPRESSED, &out);
}

static bool has_branch_stack(struct tally_perfdata_writer *writer)
{
	tally_vec_for_each (event, &writer->events.list) {
		if ((*event)->pub.attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	}
	return false;
}

static bool is_missing(struct tally_perfdata_writer *writer, uint32_t id)
{
	return !tally_writer_find_feature(writer, id);
}

int tally_writer_build_features(struct tally_perfdata_writer *writer)
{
	int ret = 0;

	if (writer->events.list.len && is_missing(writer, TALLY_FEATURE_EVENT_DESC))
		ret = make_event_desc(writer);
	if (!ret && writer->deflater && is_missing(writer, TALLY_FEATURE_COMPRESSED))
		ret = make_compressed(writer);
	if (!ret && has_branch_stack(writer) && is_missing(writer, TALLY_FEATURE_BRANCH_STACK))
		ret = tally_perfdata_writer_feature(writer, TALLY_FEATURE_BRANCH_STACK, NULL, 0);
	/* In pipe mode, IDs added after the table was written form a second table. */
	if (!ret && writer->build_ids.len) {
		ret = tally_perfdata_writer_feature(writer, TALLY_FEATURE_BUILD_ID,
						    writer->build_ids.data, writer->build_ids.len);
		tally_str_clear(&writer->build_ids);
	}
	return ret;
}

/* ---- setters ------------------------------------------------------------- */

int tally_perfdata_writer_string(struct tally_perfdata_writer *writer, uint32_t feature,
				 const char *text)
{
	static const uint32_t strings[] = {TALLY_FEATURE_HOSTNAME, TALLY_FEATURE_OSRELEASE,
					   TALLY_FEATURE_VERSION,  TALLY_FEATURE_ARCH,
					   TALLY_FEATURE_CPUDESC,  TALLY_FEATURE_CPUID};
	struct tally_str out = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(strings); i++) {
		if (strings[i] != feature)
			continue;
		tally_write_string(&out, writer->options.foreign, text);
		return set_str(writer, feature, &out);
	}
	return -EINVAL;
}

int tally_perfdata_writer_nrcpus(struct tally_perfdata_writer *writer, uint32_t online,
				 uint32_t avail)
{
	struct tally_str out = {0};

	tally_put32(&out, writer->options.foreign, avail);
	tally_put32(&out, writer->options.foreign, online);
	return set_str(writer, TALLY_FEATURE_NRCPUS, &out);
}

int tally_perfdata_writer_cmdline(struct tally_perfdata_writer *writer, int argc,
				  const char *const *argv)
{
	struct tally_str out = {0};

	tally_put32(&out, writer->options.foreign, (uint32_t)argc);
	for (int i = 0; i < argc; i++)
		tally_write_string(&out, writer->options.foreign, argv[i]);
	return set_str(writer, TALLY_FEATURE_CMDLINE, &out);
}

static int set_u64s(struct tally_perfdata_writer *writer, uint32_t feature, const uint64_t *values,
		    int nr)
{
	struct tally_str out = {0};

	for (int i = 0; i < nr; i++)
		tally_put64(&out, writer->options.foreign, values[i]);
	return set_str(writer, feature, &out);
}

int tally_perfdata_writer_total_mem(struct tally_perfdata_writer *writer, uint64_t kb)
{
	return set_u64s(writer, TALLY_FEATURE_TOTAL_MEM, &kb, 1);
}

int tally_perfdata_writer_sample_time(struct tally_perfdata_writer *writer, uint64_t first_ns,
				      uint64_t last_ns)
{
	uint64_t times[] = {first_ns, last_ns};

	return set_u64s(writer, TALLY_FEATURE_SAMPLE_TIME, times, 2);
}

int tally_perfdata_writer_clockid(struct tally_perfdata_writer *writer, uint64_t res_ns)
{
	return set_u64s(writer, TALLY_FEATURE_CLOCKID, &res_ns, 1);
}

int tally_perfdata_writer_clock_data(struct tally_perfdata_writer *writer, uint32_t clockid,
				     uint64_t wall_ns, uint64_t clock_ns)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	tally_put32(&out, swap, 1); /* version */
	tally_put32(&out, swap, clockid);
	tally_put64(&out, swap, wall_ns);
	tally_put64(&out, swap, clock_ns);
	return set_str(writer, TALLY_FEATURE_CLOCK_DATA, &out);
}

int tally_perfdata_writer_build_id(struct tally_perfdata_writer *writer,
				   const struct tally_perfdata_build_id *build_id)
{
	bool swap = writer->options.foreign;
	struct tally_str *out = &writer->build_ids;
	size_t len = strlen(build_id->filename), room = tally_round_up(len + 1, 64);
	uint8_t size = TALLY_MIN(build_id->size, sizeof(build_id->bytes));

	if (room > 4096 + 64)
		return -EINVAL;
	tally_write_record(out, swap, 0, build_id->misc | PERF_RECORD_MISC_BUILD_ID_SIZE,
			   36 + room);
	tally_put32(out, swap, (uint32_t)build_id->pid);
	tally_str_add_bytes(out, build_id->bytes, size);
	tally_write_zeros(out, sizeof(build_id->bytes) - size);
	tally_str_add_char(out, (char)size);
	tally_write_zeros(out, 3);
	tally_str_add_bytes(out, build_id->filename, len);
	tally_write_zeros(out, room - len);
	return tally_str_error(out);
}

int tally_perfdata_writer_tracing(struct tally_perfdata_writer *writer, const void *blob,
				  size_t len)
{
	return tally_perfdata_writer_feature(writer, TALLY_FEATURE_TRACING_DATA, blob, len);
}
