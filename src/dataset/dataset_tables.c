/* SPDX-License-Identifier: BSD-2-Clause */
#include "dataset/dataset_tables.h"

#include "base/arith.h"

#define COLUMN(name, type, shape)                                 \
	{                                                         \
		name, TALLY_PARQUET_##type, TALLY_PARQUET_##shape \
	}

static const struct tally_parquet_column samples[] = {
	[SAMPLE_RECORDING] = COLUMN("recording", INT64, REQUIRED),
	[SAMPLE_NUMBER] = COLUMN("sample", INT64, REQUIRED),
	[SAMPLE_TIME] = COLUMN("time_ns", INT64, OPTIONAL),
	[SAMPLE_PID] = COLUMN("pid", INT32, OPTIONAL),
	[SAMPLE_TID] = COLUMN("tid", INT32, OPTIONAL),
	[SAMPLE_CPU] = COLUMN("cpu", INT32, OPTIONAL),
	[SAMPLE_COMM] = COLUMN("comm", TEXT, REQUIRED),
	[SAMPLE_EVENT] = COLUMN("event", TEXT, REQUIRED),
	[SAMPLE_PERIOD] = COLUMN("period", UINT64, REQUIRED),
	[SAMPLE_STACK] = COLUMN("stack", INT64, OPTIONAL),
};

static const struct tally_parquet_column stacks[] = {
	[STACK_ID] = COLUMN("stack", INT64, REQUIRED),
	[STACK_FRAMES] = COLUMN("frames", INT64, LIST),
};

static const struct tally_parquet_column frames[] = {
	[FRAME_ID] = COLUMN("frame", INT64, REQUIRED),
	[FRAME_DEPTH] = COLUMN("depth", INT32, REQUIRED),
	[FRAME_FUNCTION] = COLUMN("function", TEXT, OPTIONAL),
	[FRAME_FILE] = COLUMN("file", TEXT, OPTIONAL),
	[FRAME_LINE] = COLUMN("line", INT32, OPTIONAL),
	[FRAME_MODULE] = COLUMN("module", TEXT, OPTIONAL),
	[FRAME_BUILD_ID] = COLUMN("build_id", TEXT, OPTIONAL),
	[FRAME_ADDRESS] = COLUMN("address", UINT64, REQUIRED),
	[FRAME_MODE] = COLUMN("mode", TEXT, REQUIRED),
	[FRAME_INLINED] = COLUMN("inlined", BOOL, REQUIRED),
	[FRAME_IS_RETURN] = COLUMN("is_return", BOOL, REQUIRED),
};

static const struct tally_parquet_column recordings[] = {
	[RECORDING_ID] = COLUMN("recording", INT64, REQUIRED),
	[RECORDING_FILE] = COLUMN("file", TEXT, REQUIRED),
	[RECORDING_HOSTNAME] = COLUMN("hostname", TEXT, REQUIRED),
	[RECORDING_KERNEL] = COLUMN("kernel", TEXT, OPTIONAL),
	[RECORDING_ARCH] = COLUMN("arch", TEXT, OPTIONAL),
	[RECORDING_CPU_MODEL] = COLUMN("cpu_model", TEXT, OPTIONAL),
	[RECORDING_CPUS] = COLUMN("cpus", INT32, OPTIONAL),
	[RECORDING_COMMAND] = COLUMN("command", TEXT, OPTIONAL),
	[RECORDING_RECORDER] = COLUMN("recorder", TEXT, OPTIONAL),
	[RECORDING_START] = COLUMN("start_ns", INT64, OPTIONAL),
	[RECORDING_END] = COLUMN("end_ns", INT64, OPTIONAL),
	[RECORDING_CLOCK_OFFSET] = COLUMN("clock_offset_ns", INT64, REQUIRED),
	[RECORDING_CLOCK] = COLUMN("clock", TEXT, OPTIONAL),
	[RECORDING_SAMPLES] = COLUMN("samples", INT64, REQUIRED),
	[RECORDING_LOST_SAMPLES] = COLUMN("lost_samples", INT64, REQUIRED),
	[RECORDING_LOST_RECORDS] = COLUMN("lost_records", INT64, REQUIRED),
	[RECORDING_DAMAGED] = COLUMN("damaged", INT64, REQUIRED),
	[RECORDING_TRUNCATED] = COLUMN("truncated", INT64, REQUIRED),
	[RECORDING_UNNAMED] = COLUMN("unnamed", INT64, REQUIRED),
	[RECORDING_RESOLVED] = COLUMN("resolved", BOOL, REQUIRED),
	[RECORDING_LABEL_KEYS] = COLUMN("labels", TEXT, MAP_KEY),
	[RECORDING_LABEL_VALUES] = COLUMN("labels", TEXT, MAP_VALUE),
};

const struct dataset_schema dataset_schemas[TALLY_DATASET_TABLES] = {
	[TALLY_DATASET_SAMPLES] = {samples, TALLY_ARRAY_SIZE(samples)},
	[TALLY_DATASET_STACKS] = {stacks, TALLY_ARRAY_SIZE(stacks)},
	[TALLY_DATASET_FRAMES] = {frames, TALLY_ARRAY_SIZE(frames)},
	[TALLY_DATASET_RECORDINGS] = {recordings, TALLY_ARRAY_SIZE(recordings)},
};

const char *tally_dataset_table_name(enum tally_dataset_table table)
{
	static const char *const names[] = {
		[TALLY_DATASET_SAMPLES] = "samples",
		[TALLY_DATASET_STACKS] = "stacks",
		[TALLY_DATASET_FRAMES] = "frames",
		[TALLY_DATASET_RECORDINGS] = "recordings",
	};

	return names[table];
}
