/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that the threads in a Firefox profile share. A table consists of columns of equal
 * length. */
#include "base/json.h"
#include "base/path.h"
#include "export/firefox.h"

enum { NATIVE_LIBRARY = 1, ADDRESS_MAX = INT32_MAX };

/* Append a row's cell to the stream's text. Returns 0 or -errno. */
typedef int firefox_cell(struct firefox *firefox, uint32_t row);

struct firefox_column {
	const char *name;
	firefox_cell *cell; /* NULL to use `fixed` */
	const char *fixed;  /* value in all rows */
};

static int add_table(struct firefox *firefox, const char *name, uint64_t nr,
		     const struct firefox_column *columns)
{
	struct tally_str *out = &firefox->stream.text;
	int ret = 0;

	tally_json_open(out, name, '{');
	for (; columns->name && !ret; columns++) {
		tally_json_open(out, columns->name, '[');
		for (uint32_t row = 0; row < nr && !ret; row++) {
			if (columns->cell) {
				ret = columns->cell(firefox, row);
			} else {
				tally_str_add(out, row ? "," : "");
				tally_str_add(out, columns->fixed);
			}
			ret = ret ? ret : tally_export_flush_some(&firefox->stream);
		}
		tally_json_close(out, ']');
	}
	tally_json_u64(out, "length", nr);
	tally_json_close(out, '}');
	return ret;
}

/* Append a number, or null if `is_there` is false. */
static void add_number(struct firefox *firefox, bool is_there, uint64_t number)
{
	struct tally_str *out = &firefox->stream.text;

	if (is_there) {
		tally_json_u64(out, NULL, number);
	} else {
		tally_str_add(out, out->data[out->len - 1] == '[' ? "" : ",");
		tally_str_add(out, "null");
	}
}

static int add_string(struct firefox *firefox, const char *text)
{
	uint32_t id;
	int ret = tally_intern(&firefox->strings, text, strlen(text), &id);

	if (!ret)
		tally_json_u64(&firefox->stream.text, NULL, id);
	return ret;
}

/* ---- libs ---------------------------------------------------------------------- */

/* Append the build ID in Breakpad's form: a GUID, in which the first three numbers are
 * little-endian, followed by an age of 0. */
static void add_breakpad_id(struct tally_str *out, const uint8_t *id, size_t size)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	char text[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order) && size; i++) {
		unsigned byte = order[i] < size ? id[order[i]] : 0;

		text[2 * i] = "0123456789ABCDEF"[byte >> 4];
		text[2 * i + 1] = "0123456789ABCDEF"[byte & 15];
		text[2 * i + 2] = '0';
	}
	tally_json_text(out, "breakpadId", text);
}

static void add_lib(struct firefox *firefox, struct tally_dso *dso)
{
	struct tally_str *out = &firefox->stream.text;
	const char *path = tally_dso_name(dso), *name = tally_path_name(path);
	size_t size = 0;
	const uint8_t *id = tally_dso_build_id(dso, &size);

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "arch", "");
	tally_json_text(out, "name", name);
	tally_json_text(out, "path", path);
	tally_json_text(out, "debugName", name);
	tally_json_text(out, "debugPath", path);
	add_breakpad_id(out, id, size);
	if (size)
		tally_json_hex(out, "codeId", id, size);
	else
		tally_str_add(out, ",\"codeId\":null");
	tally_json_close(out, '}');
}

int firefox_add_libs(struct firefox *firefox)
{
	int ret = 0;

	tally_json_open(&firefox->stream.text, "libs", '[');
	tally_vec_for_each (function, &firefox->model.functions) {
		uint64_t key = (uintptr_t)function->dso;

		if (!function->dso || tally_map_get(&firefox->lib_of, key) != TALLY_MAP_NONE)
			continue;
		ret = tally_map_set(&firefox->lib_of, key, firefox->dsos.len);
		if (!ret)
			ret = tally_vec_push(&firefox->dsos, function->dso);
		if (ret)
			break;
		add_lib(firefox, function->dso);
		ret = tally_export_flush_some(&firefox->stream);
		if (ret)
			break;
	}
	tally_json_close(&firefox->stream.text, ']');
	return ret;
}

/* ---- stacks and frames --------------------------------------------------------- */

static int stack_frame(struct firefox *firefox, uint32_t row)
{
	tally_json_u64(&firefox->stream.text, NULL, firefox->tree.paths.all.data[row + 1].frame);
	return 0;
}

static int stack_prefix(struct firefox *firefox, uint32_t row)
{
	uint32_t parent = firefox->tree.paths.all.data[row + 1].parent;

	add_number(firefox, parent != TALLY_PATH_NONE, parent - 1);
	return 0;
}

static const struct firefox_column stack_columns[] = {
	{"frame", stack_frame}, {"prefix", stack_prefix}, {0}};

static const struct tally_frame *frame_at(const struct firefox *firefox, uint32_t row)
{
	return &firefox->profile->frames.all.data[firefox->model.frames.data[row]];
}

/* Append the frame's address, or -1. The format has 32-bit addresses relative to the start of an
 * image, so kernel code and JIT code have no address. */
static int frame_address(struct firefox *firefox, uint32_t row)
{
	const struct tally_frame *frame = frame_at(firefox, row);
	uint64_t address = firefox->model.addresses[row];
	bool is_relative = frame->dso && tally_dso_kind(frame->dso) == TALLY_DSO_USER &&
			   address <= ADDRESS_MAX;

	tally_json_s64(&firefox->stream.text, NULL, is_relative ? (int64_t)address : -1);
	return 0;
}

static int frame_depth(struct firefox *firefox, uint32_t row)
{
	tally_json_u64(&firefox->stream.text, NULL,
		       firefox->inlining[firefox->model.frames.data[row]].depth);
	return 0;
}

static int frame_category(struct firefox *firefox, uint32_t row)
{
	uint8_t mode = frame_at(firefox, row)->cpumode & PERF_RECORD_MISC_CPUMODE_MASK;
	bool is_kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
	bool is_user = mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_GUEST_USER;

	tally_json_u64(&firefox->stream.text, NULL,
		       is_kernel ? FIREFOX_KERNEL
		       : is_user ? FIREFOX_USER
				 : FIREFOX_OTHER);
	return 0;
}

static int frame_function(struct firefox *firefox, uint32_t row)
{
	uint32_t frame = firefox->model.frames.data[row];

	tally_json_u64(&firefox->stream.text, NULL, firefox->model.function_of[frame]);
	return 0;
}

/* Append the index of the frame's symbol, which is the index of its function. */
static int frame_symbol(struct firefox *firefox, uint32_t row)
{
	uint32_t outer = firefox->inlining[firefox->model.frames.data[row]].outer;
	uint32_t number = firefox->model.function_of[outer];
	const struct tally_export_function *function = &firefox->model.functions.data[number];

	add_number(firefox, function->dso && function->symbol, number);
	return 0;
}

static int frame_line(struct firefox *firefox, uint32_t row)
{
	const struct tally_line *line = frame_at(firefox, row)->line;

	add_number(firefox, line && line->line, line ? line->line : 0);
	return 0;
}

static const struct firefox_column frame_columns[] = {
	{"address", frame_address},         {"inlineDepth", frame_depth},
	{"category", frame_category},       {"subcategory", .fixed = "0"},
	{"func", frame_function},           {"nativeSymbol", frame_symbol},
	{"innerWindowID", .fixed = "null"}, {"line", frame_line},
	{"column", .fixed = "null"},        {0},
};

/* ---- functions ----------------------------------------------------------------- */

static int function_name(struct firefox *firefox, uint32_t row)
{
	struct tally_str name = {0};
	int ret;

	tally_export_add_function(&firefox->model.functions.data[row], &name);
	ret = tally_str_error(&name);
	if (!ret)
		ret = add_string(firefox, tally_str_text(&name));
	tally_str_free(&name);
	return ret;
}

static int function_lib(struct firefox *firefox, uint32_t row)
{
	const struct tally_dso *dso = firefox->model.functions.data[row].dso;
	uint64_t lib = dso ? tally_map_get(&firefox->lib_of, (uintptr_t)dso) : TALLY_MAP_NONE;

	tally_json_s64(&firefox->stream.text, NULL, lib == TALLY_MAP_NONE ? -1 : (int64_t)lib);
	return 0;
}

/* Append the index of the function's source, which is the index of the function. Equal file names
 * share a string. */
static int function_source(struct firefox *firefox, uint32_t row)
{
	add_number(firefox, firefox->model.functions.data[row].file, row);
	return 0;
}

static const struct firefox_column function_columns[] = {
	{"name", function_name},
	{"isJS", .fixed = "false"},
	{"relevantForJS", .fixed = "false"},
	{"resource", function_lib},
	{"source", function_source},
	{"lineNumber", .fixed = "null"},
	{"columnNumber", .fixed = "null"},
	{0},
};

static int source_file(struct firefox *firefox, uint32_t row)
{
	const char *file = firefox->model.functions.data[row].file;

	return add_string(firefox, file ? file : "");
}

static const struct firefox_column source_columns[] = {
	{"id", .fixed = "null"}, {"filename", source_file}, {0}};

static int symbol_lib(struct firefox *firefox, uint32_t row)
{
	const struct tally_dso *dso = firefox->model.functions.data[row].dso;

	tally_json_u64(&firefox->stream.text, NULL,
		       dso ? tally_map_get(&firefox->lib_of, (uintptr_t)dso) : 0);
	return 0;
}

static int symbol_address(struct firefox *firefox, uint32_t row)
{
	const struct tally_export_function *function = &firefox->model.functions.data[row];
	bool is_there = function->symbol && function->start <= ADDRESS_MAX;

	tally_json_u64(&firefox->stream.text, NULL, is_there ? function->start : 0);
	return 0;
}

static int symbol_size(struct firefox *firefox, uint32_t row)
{
	const struct tally_symbol *symbol = firefox->model.functions.data[row].symbol;
	uint64_t size = symbol && symbol->end > symbol->start ? symbol->end - symbol->start : 0;

	add_number(firefox, size && size <= ADDRESS_MAX, size);
	return 0;
}

static const struct firefox_column symbol_columns[] = {{"libIndex", symbol_lib},
						       {"address", symbol_address},
						       {"name", function_name},
						       {"functionSize", symbol_size},
						       {0}};

/* ---- files --------------------------------------------------------------------- */

static int resource_lib(struct firefox *firefox, uint32_t row)
{
	tally_json_u64(&firefox->stream.text, NULL, row);
	return 0;
}

static int resource_name(struct firefox *firefox, uint32_t row)
{
	return add_string(firefox, tally_path_name(tally_dso_name(firefox->dsos.data[row])));
}

static int resource_type(struct firefox *firefox, uint32_t row)
{
	(void)row;
	tally_json_u64(&firefox->stream.text, NULL, NATIVE_LIBRARY);
	return 0;
}

static const struct firefox_column resource_columns[] = {{"lib", resource_lib},
							 {"name", resource_name},
							 {"host", .fixed = "null"},
							 {"type", resource_type},
							 {0}};

/* Add the table of strings. It is written last, when all strings are known. */
static int add_strings(struct firefox *firefox)
{
	struct tally_str *out = &firefox->stream.text;
	int ret = 0;

	tally_json_open(out, "stringArray", '[');
	tally_vec_for_each (string, &firefox->strings.strings) {
		tally_json_bytes(out, NULL, string->text, string->len);
		ret = tally_export_flush_some(&firefox->stream);
		if (ret)
			break;
	}
	tally_json_close(out, ']');
	return ret;
}

int firefox_add_shared(struct firefox *firefox)
{
	uint64_t nr_functions = firefox->model.functions.len;
	const struct {
		const char *name;
		uint64_t nr;
		const struct firefox_column *columns;
	} tables[] = {
		{"stackTable", firefox->tree.paths.all.len - 1, stack_columns},
		{"frameTable", firefox->model.frames.len, frame_columns},
		{"funcTable", nr_functions, function_columns},
		{"nativeSymbols", nr_functions, symbol_columns},
		{"sources", nr_functions, source_columns},
		{"resourceTable", firefox->dsos.len, resource_columns},
	};
	int ret = 0;

	tally_json_open(&firefox->stream.text, "shared", '{');
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !ret; i++)
		ret = add_table(firefox, tables[i].name, tables[i].nr, tables[i].columns);
	if (!ret)
		ret = add_strings(firefox);
	tally_json_close(&firefox->stream.text, '}');
	return ret;
}
