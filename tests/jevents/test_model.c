/* SPDX-License-Identifier: BSD-2-Clause */
/* Build models from JSON in memory, and look up names in the models. */
#include "test_messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/jevents_build.h"
#include "jevents/mapfile.h"

static int model_of(const char *topic, const char *text, const char *standard_text, bool strict,
		    struct told *told, struct tally_model **ret_model)
{
	struct tally_standard standard = {0};
	struct tally_reading reading = {.messages = &told->messages, .standard = &standard};
	const struct tally_source *source;
	const struct tally_json_value *root;
	int ret;

	told_init(told);
	ret = tally_reading_parse(&reading, "std.json", standard_text, strlen(standard_text),
				  &source, &root);
	if (!ret)
		ret = tally_standard_add(&standard, source, root);
	tally_standard_sort(&standard);
	if (!ret)
		ret = tally_reading_parse(&reading, "t.json", text, strlen(text), &source, &root);
	if (!ret)
		ret = tally_reading_add(&reading, source, topic, root);
	if (!ret)
		ret = tally_model_build(&reading, "x86", "vendor/model", false, strict, ret_model);
	tally_standard_free(&standard);
	tally_reading_free(&reading);
	return ret;
}

/* JSON objects with one event each, and the expected terms and messages. */
static const struct {
	const char *object, *terms, *told;
	int ret;
} rows[] = {
	{"\"EventCode\":\"0xB7, 0xBB\",\"UMask\":\"0x1\"", "event=0xb7,umask=0x1", ""},
	{"\"EventCode\":\"0x00\"", "event=0", ""},
	{"\"EventCode\":\"60\",\"UMask\":\"0x00\",\"CounterMask\":\"0\"", "event=0x3c,umask=0x00",
	 ""},
	{"\"EventCode\":\"0XB7 \",\"ExtSel\":\"2\"", "event=0x2b7", ""},
	{"\"SampleAfterValue\":\"7\",\"EventCode\":\"0x1\",\"Invert\":\"1\",\"AnyThread\":\"1\","
	 "\"EdgeDetect\":\"1\",\"CounterMask\":\"3\",\"PortMask\":\"0x4\",\"FCMask\":\"0x5\"",
	 "event=0x1,any=1,ch_mask=0x4,cmask=3,edge=1,fc_mask=0x5,inv=1,period=7", ""},
	{"\"UMask\":\"0x01\",\"UMaskExt\":\"0x10\"", "event=0,umask=0x1001", ""},
	{"\"UMask\":\"0x01\",\"UMaskExt\":\"0x00\"", "event=0,umask=0x01", ""},
	{"\"EventCode\":\"0xCD\",\"MSRIndex\":\"0x3F6\",\"MSRValue\":\"0x80\"",
	 "event=0xcd,ldlat=0x80", ""},
	{"\"EventCode\":\"0xB7\",\"MSRIndex\":\"0x1a6, 0x1a7\",\"MSRValue\":\"0x3fbc000001\"",
	 "event=0xb7,offcore_rsp=0x3fbc000001", ""},
	{"\"EventCode\":\"0xB7\",\"MSRIndex\":\"0x1a6\"", "event=0xb7",
	 "MSRIndex without MSRValue"},
	{"\"EventCode\":\"0xB7\",\"MSRIndex\":\"0x42\",\"MSRValue\":\"1\"", "event=0xb7",
	 "warning: register 0x42"},
	{"\"EventCode\":\"1\",\"Filter\":\"config1=0x40233\"", "event=0x1,config1=0x40233", ""},
	{"\"EventCode\":\"1\",\"Filter\":\"CHAFilter0[26:17]\"", "event=0x1", ""},
	{"\"ConfigCode\":\"0x2c\"", "config=0x2c", ""},
	{"\"EventidCode\":\"0x1\",\"NodeType\":\"0x5\"", "eventid=0x1,type=0x5", ""},
	{"\"EventCode\":\"0xffffffffffffffff\"", "event=0xffffffffffffffff", ""},
	{"\"EventCode\":null", "event=0", ""},
	{"\"UNKNOWN\":[{}],\"EventCode\":\"1\"", "event=0x1", ""},
	{"\"ArchStdEvent\":\"std\",\"UMask\":\"0x2\"", "event=0x40,umask=0x2", ""},
	{"\"ArchStdEvent\":\"LINKED\"", "event=0x40,umask=0x7", ""},
	{"\"EventCode\":\"1\",\"EventCode\":\"2\"", "event=0x1",
	 "warning: duplicate key \"EventCode\""},
	{"\"EventCode\":\"0x10000000000000000\"", NULL, "it does not fit in 64 bits", -EINVAL},
	{"\"EventCode\":\"99999999999999999999999999\"", NULL, "it does not fit in 64 bits",
	 -EINVAL},
	{"\"EventCode\":\"zero\"", NULL, "error: EventCode \"zero\" is not a number", -EINVAL},
	{"\"EventCode\":\"0x\"", NULL, "is not a number", -EINVAL},
	{"\"EventCode\":\"1 2\"", NULL, "is not a number", -EINVAL},
	{"\"EventCode\":17", NULL, "error: \"EventCode\" is not a string", -EINVAL},
	{"\"ArchStdEvent\":\"NOSUCH\"", NULL, "error: standard event \"NOSUCH\"", -EINVAL},
	{"\"ArchStdEvent\":\"ROUND\"", NULL, "refer to each other in a cycle", -EINVAL},
	{"\"ArchStdEvent\":\"SELF\"", NULL, "refer to each other in a cycle", -EINVAL},
	{"\"MetricConstraint\":\"SOMETIMES\"", NULL, "error: invalid value \"SOMETIMES\"", -EINVAL},
};

static const char standard[] = "[{\"EventName\":\"STD\",\"EventCode\":\"0x40\",\"UMask\":\"0x7\","
			       "\"BriefDescription\":\"Std.\"},"
			       "{\"EventName\":\"LINKED\",\"ArchStdEvent\":\"STD\"},"
			       "{\"EventName\":\"SELF\",\"ArchStdEvent\":\"SELF\"},"
			       "{\"EventName\":\"ROUND\",\"ArchStdEvent\":\"TRIP\"},"
			       "{\"EventName\":\"TRIP\",\"ArchStdEvent\":\"ROUND\"}]";

static void objects_become_terms(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_str text = {0};
		struct tally_model *model = NULL;
		struct told told;
		uint32_t pos = 0;

		tally_str_addf(&text, "[{\"EventName\":\"Some.NAME\",%s}]", rows[i].object);
		assert_int_equal(model_of("topic", text.data, standard, false, &told, &model),
				 rows[i].ret);
		told_has(&told, rows[i].told);
		if (!rows[i].ret) {
			const struct tally_model_event *event =
				tally_model_event_find(model, -1, "SOME.name", 9, &pos);

			assert_non_null(event);
			assert_string_equal(tally_model_text(model, event->name), "some.name");
			assert_string_equal(tally_model_text(model, event->terms), rows[i].terms);
		}
		free(model);
		tally_str_free(&told.text);
		tally_str_free(&text);
	}
}

static const char three_pmus[] =
	"[{\"EventName\":\"B\",\"EventCode\":\"1\",\"BriefDescription\":\"Text.\",\"Counter\":\"0,"
	"1,2,3\","
	"\"PEBS\":\"1\",\"Data_LA\":\"1\",\"Errata\":\"X1\",\"ScaleUnit\":\"64Bytes\"},"
	"{\"EventName\":\"A.X\",\"EventCode\":\"2\",\"Unit\":\"iMC\",\"PerPkg\":\"1\",\"Counter\":"
	"\"FIXED\"},"
	"{\"EventName\":\"A.X\",\"EventCode\":\"3\",\"Unit\":\"CBO\",\"Deprecated\":\"1\"},"
	"{\"EventName\":\"A.X\",\"EventCode\":\"4\",\"Unit\":\"CBO\",\"Counter\":\"Fixed counter "
	"2\"},"
	"{\"EventName\":\"A.Y\",\"EventCode\":\"5\",\"Unit\":\"CBO\",\"PEBS\":\"2\",\"Counter\":"
	"\"33\"},"
	"{\"EventName\":\"A\",\"EventCode\":\"6\",\"Unit\":\"CBO\"},"
	"{\"MetricName\":\"Ratio\",\"MetricExpr\":\"(B/a\\\\.x)\",\"MetricGroup\":\"G;H\"}]";

static void prefixes_are_found(const struct tally_model *model)
{
	uint32_t first;

	assert_int_equal(tally_model_event_prefix(model, 1, "a.", 2, &first), 3);
	assert_int_equal(first, 2);
	assert_int_equal(tally_model_event_prefix(model, 1, "a", 1, &first), 4);
	assert_int_equal(tally_model_event_prefix(model, 1, "", 0, &first), 4);
	assert_int_equal(tally_model_event_prefix(model, 1, "zz", 2, &first), 0);
}

static void rows_are_sorted_and_found(void **state)
{
	struct tally_model *model;
	const struct tally_model_event *event;
	struct told told;
	uint32_t pos = 0;

	(void)state;
	assert_int_equal(model_of("t", three_pmus, "[]", false, &told, &model), 0);
	told_has(&told, "warning: duplicate event \"a.x\"");
	assert_int_equal(model->pmus.nr, 3);
	assert_int_equal(tally_model_pmu_find(model, "default_core"), 0);
	assert_int_equal(tally_model_pmu_find(model, "uncore_cbox"), 1);
	assert_int_equal(tally_model_pmu_find(model, "uncore_imc"), 2);
	assert_int_equal(tally_model_pmu_find(model, "cpu"), -1);
	event = tally_model_event_find(model, -1, "A.X", 3, &pos);
	assert_int_equal(event->pmu, 1);
	assert_string_equal(tally_model_text(model, event->terms), "event=0x3");
	assert_int_equal(tally_model_traits(model, event)->flags, TALLY_EVENT_DEPRECATED);
	assert_string_equal(tally_model_text(model, event[1].terms), "event=0x4");
	assert_int_equal(tally_model_traits(model, &event[1])->fixed, 4);
	assert_int_equal(tally_model_traits(model, &event[2])->fixed, 2);
	assert_int_equal(tally_model_traits(model, &event[2])->flags,
			 TALLY_EVENT_PRECISE | TALLY_EVENT_MUST_PRECISE);
	event = tally_model_event_find(model, -1, "A.X", 3, &pos);
	assert_int_equal(event->pmu, 2);
	assert_int_equal(tally_model_traits(model, event)->fixed, 1);
	assert_null(tally_model_event_find(model, -1, "A.X", 3, &pos));
	pos = 0;
	assert_null(tally_model_event_find(model, 0, "A.X", 3, &pos));
	pos = 0;
	event = tally_model_event_find(model, 0, "b", 1, &pos);
	assert_int_equal(tally_model_traits(model, event)->counters, 0xf);
	assert_int_equal(tally_model_traits(model, event)->flags,
			 TALLY_EVENT_PRECISE | TALLY_EVENT_ADDRESS);
	assert_string_equal(
		tally_model_event_desc(model, event),
		"Text  Supports address when precise.  Spec update: X1 (Precise event)");
	assert_string_equal(tally_model_text(model, tally_model_traits(model, event)->unit),
			    "64Bytes");
	prefixes_are_found(model);
	assert_string_equal(
		tally_model_text(model, tally_model_metric_find(model, 0, "RATIO")->expr),
		"B / a\\.x");
	assert_null(tally_model_metric_find(model, 1, "ratio"));
	free(model);
	tally_str_free(&told.text);
}

/* Check that each of many names is found, that other names are not, and that a lookup checks only a
 * few slots. */
static void names_are_found(int nr)
{
	struct tally_str text = {0};
	struct tally_model *model;
	struct told told;
	uint32_t looked = 0;
	char name[32];

	for (int i = 0; i < nr; i++)
		tally_str_addf(&text, "%c{\"EventName\":\"Name_%d.X\",\"EventCode\":\"%d\"}",
			       i ? ',' : '[', i * 7, i);
	tally_str_add_char(&text, ']');
	assert_int_equal(model_of("t", text.data, "[]", true, &told, &model), 0);
	for (int i = 0; i < nr * 7; i++) {
		int len = snprintf(name, sizeof(name), "name_%d.x", i);
		uint32_t pos = 0;
		const struct tally_model_event *event =
			tally_model_event_find(model, -1, name, len, &pos);

		assert_int_equal(event != NULL, i % 7 == 0);
		if (event)
			assert_string_equal(tally_model_text(model, event->name), name);
		looked += event ? pos : 0;
	}
	assert_in_range(looked, nr, nr * 3);
	free(model);
	tally_str_free(&told.text);
	tally_str_free(&text);
}

static void every_name_is_found(void **state)
{
	(void)state;
	names_are_found(5000);
	names_are_found(TALLY_SLOT_NARROW_ROWS_MAX);
	names_are_found(TALLY_SLOT_NARROW_ROWS_MAX + 1);
}

static void pool_shares_ends(void **state)
{
	struct tally_model *model;
	struct told told;
	const struct tally_model_metric *metric;
	uint32_t bytes = 0;

	(void)state;
	assert_int_equal(
		model_of("t",
			 "[{\"EventName\":\"ev\"},{\"MetricName\":\"one\",\"MetricExpr\":\"ev\","
			 "\"BriefDescription\":\"number one\"},{\"MetricName\":\"two\","
			 "\"MetricExpr\":\"ev\",\"BriefDescription\":\"number one\"}]",
			 "[]", true, &told, &model),
		0);
	metric = tally_model_metric_find(model, 0, "one");
	assert_non_null(metric);
	assert_ptr_equal(tally_model_text(model, metric->name),
			 tally_model_text(model, metric->desc) + strlen("number "));
	for (uint32_t i = 0; i + 6 <= model->pool.nr; i++)
		bytes += !memcmp(tally_model_text(model, i), "number", 6);
	assert_int_equal(bytes, 1);
	free(model);
	tally_str_free(&told.text);
}

static const struct {
	const char *metrics, *told;
	int errors; /* number of errors in strict mode */
} metrics[] = {
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"ev / 2\"}", "", 0},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"b\"},{\"MetricName\":\"B\",\"MetricExpr\":\"ev\"}",
	 "", 0},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"A + 1\"}", "depends on a cycle of metrics", 1},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"b\"},{\"MetricName\":\"b\",\"MetricExpr\":\"c\"},"
	 "{\"MetricName\":\"c\",\"MetricExpr\":\"b + ev\"}",
	 "metric \"a\" depends on a cycle of metrics", 3},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"nosuch\"}",
	 "metric \"a\" refers to unknown \"nosuch\"", 1},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"has_event(nosuch)\"}", "", 0},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"duration_time + cycles + topdown\\\\-retiring\"}",
	 "", 0},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"msr@tsc@ + EV:k + EV\\\\,cmask\\\\=1\"}", "", 0},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"default_core@nosuch@\"}", "refers to unknown", 1},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"ev +\"}", "byte 4 of its expression", 1},
	{"{\"MetricName\":\"a\",\"MetricExpr\":\"ev\",\"MetricThreshold\":\"a > \"}", "byte 4 of",
	 1},
};

static void metrics_are_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(metrics); i++) {
		for (int strict = 0; strict < 2; strict++) {
			struct tally_str text = {0};
			struct tally_model *model = NULL;
			struct told told;
			int wrong = strict && metrics[i].errors;

			tally_str_addf(&text, "[{\"EventName\":\"EV\",\"EventCode\":\"1\"},%s]",
				       metrics[i].metrics);
			assert_int_equal(model_of("t", text.data, "[]", strict, &told, &model),
					 wrong ? -EINVAL : 0);
			told_has(&told, metrics[i].told);
			assert_int_equal(told.messages.errors, wrong ? metrics[i].errors : 0);
			free(model);
			tally_str_free(&told.text);
			tally_str_free(&text);
		}
	}
}

static void files_of_other_kinds(void **state)
{
	static const struct {
		const char *topic, *text, *told;
		int ret;
		uint32_t events, groups;
	} kinds[] = {
		{"t", "{\"Header\":{\"Version\":\"1\"},\"Events\":[{\"EventName\":\"E\"}]}", "", 0,
		 1, 0},
		{"t", "{\"Header\":{},\"Metrics\":[]}", "", 0, 0, 0},
		{"t", "[]", "", 0, 0, 0},
		{"t", "[{\"MATRIX_REQUEST\":\"DEMAND\"}]", "", 0, 0, 0},
		{"metricgroups", "{\"B\":\"text\",\"A\":\"text\"}", "", 0, 0, 2},
		{"metricgroups", "{\"B\":1}", "1:6: error: not a string", -EINVAL, 0, 0},
		{"t", "{\"B\":\"text\"}", "error: no list of events", -EINVAL, 0, 0},
		{"t", "\"text\"", "error: no list of events", -EINVAL, 0, 0},
		{"t", "[[]]", "1:2: error: not an object", -EINVAL, 0, 0},
		{"t", "[{\"EventName\":1},\n{\"EventName\":2}]", "2:14: error", -EINVAL, 0,
		 0}, /* both errors are reported */
	};

	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		struct tally_model *model = NULL;
		struct told told;

		assert_int_equal(
			model_of(kinds[i].topic, kinds[i].text, "[]", false, &told, &model),
			kinds[i].ret);
		told_has(&told, kinds[i].told);
		if (model) {
			assert_int_equal(model->events.nr, kinds[i].events);
			assert_int_equal(model->groups.nr, kinds[i].groups);
		}
		if (kinds[i].groups)
			assert_string_equal(tally_model_group_desc(model, "A"), "text");
		free(model);
		tally_str_free(&told.text);
	}
}

/* Check that exceeding one of the tables' limits is reported and that nothing is truncated. */
static void limits_are_told(void **state)
{
	struct tally_str text = {0};
	struct tally_model *model = NULL;
	struct told told;

	(void)state;
	for (int i = 0; i < 1001; i++)
		tally_str_addf(&text, "%c{\"EventName\":\"E\",\"Unit\":\"U%d\"}", i ? ',' : '[', i);
	tally_str_add_char(&text, ']');
	assert_int_equal(model_of("t", text.data, "[]", false, &told, &model), -E2BIG);
	told_has(&told, "a limit of the tables is exceeded");
	tally_str_free(&told.text);
	tally_str_clear(&text);
	for (int i = 0; i < 9000; i++)
		tally_str_addf(&text, "%c{\"EventName\":\"E%d\",\"ScaleUnit\":\"unit %d\"}",
			       i ? ',' : '[', i, i);
	tally_str_add_char(&text, ']');
	assert_int_equal(model_of("t", text.data, "[]", false, &told, &model), -E2BIG);
	told_has(&told, "a limit of the tables is exceeded");
	tally_str_free(&told.text);
	tally_str_free(&text);
}

static const struct {
	const char *text, *told;
	int ret;
	size_t rows;
} maps[] = {
	{"", "", 0, 0},
	{"header", "", 0, 0},
	{"header, is, never, read\n", "", 0, 0},
	{"\n# comment\n\nA-1,v1,dir,core\r\nB,,d,\n", "", 0, 2},
	{"h\nA,1,d,core,0x20,0x01,Atom,more", "", 0, 1},
	{"h\nA,1,d\n", "2:1: error: invalid map line", -EINVAL, 0},
	{"h\nx,1,d,core\n,1,d,core\n", "3:1: error: invalid map line", -EINVAL, 0},
	{"h\nA,1,,core\n", "2:1: error", -EINVAL, 0},
	{"h\nA(,1,d,core\n", "2:1: error: \"A(\" is not a valid regular expression (missing",
	 -EINVAL, 0},
};

static void maps_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(maps); i++) {
		struct tally_mapfile mapfile = {0};
		struct tally_arena arena = {0};
		struct told told;
		const struct tally_source source = {"mapfile.csv", maps[i].text,
						    strlen(maps[i].text), &told.messages};

		told_init(&told);
		assert_int_equal(tally_mapfile_read(&source, &arena, &mapfile), maps[i].ret);
		told_has(&told, maps[i].told);
		if (!maps[i].ret)
			assert_int_equal(mapfile.rows.len, maps[i].rows);
		if (maps[i].rows == 1)
			assert_string_equal(mapfile.rows.data[0].role, "Atom");
		tally_vec_free(&mapfile.rows);
		tally_arena_free(&arena);
		tally_str_free(&told.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_become_terms), cmocka_unit_test(rows_are_sorted_and_found),
		cmocka_unit_test(every_name_is_found),  cmocka_unit_test(pool_shares_ends),
		cmocka_unit_test(metrics_are_checked),  cmocka_unit_test(files_of_other_kinds),
		cmocka_unit_test(limits_are_told),      cmocka_unit_test(maps_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
