/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/runtimes.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"

/* In order of precedence for a process that contains several runtimes. A Python program that runs
 * Java spends its time in Java code, and any of the runtimes may embed Python. */
static const struct tally_runtime runtimes[] = {
	{"Java",
	 {"java", "libjvm.so"},
	 "'jcmd PID Compiler.perfmap' (JDK 17 and later) at run time, or java "
	 "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, writes symbols for its code to "
	 "/tmp/perf-PID.map; callchains also need -XX:+PreserveFramePointer"},
	{"OpenJ9",
	 {"libj9jit"},
	 "java -XX:+PerfTool writes symbols for its code to /tmp/perf-PID.map"},
	{".NET",
	 {"dotnet", "libcoreclr.so"},
	 "DOTNET_PerfMapEnabled=1 in its environment writes symbols for its code to "
	 "/tmp/perf-PID.map"},
	{"Mono",
	 {"mono", "mono-sgen", "libmonosgen-2"},
	 "mono --jitmap writes symbols for its code to /tmp/perf-PID.map"},
	{"Node.js",
	 {"node", "nodejs"},
	 "node --perf-basic-prof writes symbols for its code to /tmp/perf-PID.map; interpreted "
	 "callers also need --interpreted-frames-native-stack"},
	{"Deno",
	 {"deno"},
	 "deno run --v8-flags=--perf-basic-prof writes symbols for its code to /tmp/perf-PID.map"},
	{"V8", {"d8"}, "d8 --perf-basic-prof writes symbols for its code to /tmp/perf-PID.map"},
	{"Chromium",
	 {"chrome", "chromium", "electron"},
	 "--js-flags=--perf-basic-prof --no-sandbox writes symbols for its code to "
	 "/tmp/perf-PID.map"},
	{"Wasmtime",
	 {"wasmtime"},
	 "wasmtime --profile=perfmap writes symbols for its code to /tmp/perf-PID.map"},
	{"Erlang",
	 {"beam.smp"},
	 "erl +JPperf true writes symbols for its code to /tmp/perf-PID.map"},
	{"Julia",
	 {"julia", "libjulia"},
	 "ENABLE_JITPROFILING=1 in its environment writes its code to jit-PID.dump, for 'record "
	 "-k mono'"},
	{"LuaJIT",
	 {"luajit", "libluajit"},
	 "LuaJIT writes symbols for its traces to /tmp/perf-PID.map if built with "
	 "-DLUAJIT_USE_PERFTOOLS; luajit -jp is its own profiler"},
	{"PHP",
	 {"php"},
	 "php -d opcache.jit_debug=0x10 writes symbols for its code to /tmp/perf-PID.map"},
	{"Ruby",
	 {"ruby", "libruby"},
	 "ruby --yjit --yjit-perf writes symbols for its code to /tmp/perf-PID.map"},
	{"Python",
	 {"python3", "libpython3"},
	 "python3.12 -X perf (or a later version) writes symbols for its functions to "
	 "/tmp/perf-PID.map",
	 true},
};

/* Match "python3.12", "libjvm.so" and "node (deleted)", but not "javac" or "node_exporter". */
static bool name_begins(const char *name, const char *begin)
{
	size_t len = strlen(begin);

	return !strncmp(name, begin, len) && !isalpha((unsigned char)name[len]) &&
	       name[len] != '_' && name[len] != '-';
}

const struct tally_runtime *tally_runtime_of(const char *path)
{
	const char *name = tally_path_name(path);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(runtimes); i++) {
		for (size_t at = 0; at < TALLY_ARRAY_SIZE(runtimes[i].files); at++) {
			const char *begin = runtimes[i].files[at];

			if (begin && name_begins(name, begin))
				return &runtimes[i];
		}
	}
	return NULL;
}
