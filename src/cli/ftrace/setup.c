/* SPDX-License-Identifier: BSD-2-Clause */
/* Apply the options to the tracer. */
#include "cli/ftrace/setup.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "base/size.h"
#include "cli/main/print.h"
#include "sampler/privileges.h"
#include "sampler/sampler_refuse.h"

enum { CPU_BITS = 32 };

/* A keyword of --graph-opts or --func-opts. A keyword that writes to several files has several
 * rows. */
struct ftrace_word {
	const char *name;
	const char *file;
	const char *value; /* NULL if the keyword takes a number: name=<n> */
};

static const struct ftrace_word graph_words[] = {
	{"nosleep-time", "options/sleep-time", "0"},
	{"sleep-time", "options/sleep-time", "1"},
	{"noirqs", "options/funcgraph-irqs", "0"},
	{"verbose", "options/funcgraph-proc", "1"},
	{"verbose", "options/funcgraph-abstime", "1"},
	{"verbose", "options/latency-format", "1"},
	{"tail", "options/funcgraph-tail", "1"},
	{"args", "options/funcgraph-args", "1"},
	{"retval", "options/funcgraph-retval", "1"},
	{"retval-hex", "options/funcgraph-retval-hex", "1"},
	{"retaddr", "options/funcgraph-retaddr", "1"},
	{"thresh", "tracing_thresh", NULL},
	{"depth", "max_graph_depth", NULL},
	{0},
};

static const struct ftrace_word function_words[] = {
	{"call-graph", "options/func_stack_trace", "1"},
	{"irq-info", "options/irq-info", "1"},
	{0},
};

/* Default settings. A new tracefs instance has these settings, and so does the top level unless
 * someone has changed them. The value "" is an empty list. */
static const struct {
	const char *file, *value;
	bool graph_only;
} baseline[] = {
	{"set_ftrace_filter", "", false},
	{"set_ftrace_notrace", "", false},
	{"set_ftrace_pid", "", false},
	{"set_ftrace_notrace_pid", "", false},
	{"options/function-trace", "1", false},
	{"options/func_stack_trace", "0", false},
	{"options/latency-format", "0", false},
	{"set_graph_function", "", true},
	{"set_graph_notrace", "", true},
	{"max_graph_depth", "0", true},
	{"tracing_thresh", "0", true},
	{"options/sleep-time", "1", true},
	{"options/funcgraph-irqs", "1", true},
	{"options/funcgraph-cpu", "1", true},
	{"options/funcgraph-duration", "1", true},
	{"options/funcgraph-overhead", "1", true},
	{"options/funcgraph-proc", "0", true},
	{"options/funcgraph-abstime", "0", true},
	{"options/funcgraph-tail", "0", true},
};

/* State of the setup. After the first error, further settings are skipped. */
struct setup {
	struct ftrace_session *session;
	struct tally_refusal why;
	int ret;
};

static void set(struct setup *setup, const char *file, const char *value)
{
	if (!setup->ret)
		setup->ret = tally_tracer_set(setup->session->tracer, file, value, &setup->why);
}

static void set_list(struct setup *setup, const char *file, const struct tally_option_list *list)
{
	if (!setup->ret && list->nr)
		setup->ret = tally_tracer_set_list(setup->session->tracer, file, list->items,
						   list->nr, &setup->why);
}

/* Write the baseline settings. Files that this kernel does not have are skipped. */
static void set_baseline(struct setup *setup)
{
	struct tally_tracer *tracer = setup->session->tracer;
	const char *name = setup->session->config->tracer;
	bool graph = !strcmp(name, "function_graph");

	if (!graph && strcmp(name, "function"))
		return;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(baseline) && !setup->ret; i++) {
		if (baseline[i].graph_only && !graph)
			continue;
		setup->ret = tally_tracer_set_list(tracer, baseline[i].file, &baseline[i].value,
						   *baseline[i].value != '\0', &setup->why);
		if (setup->ret != -ENOENT)
			continue;
		setup->ret = 0;
		setup->why = (struct tally_refusal){0};
	}
}

/* ---- keywords ------------------------------------------------------------- */

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* Apply a keyword. Return false if the keyword is unknown, or if a number is missing or not
 * allowed. */
static bool set_word(struct setup *setup, const struct ftrace_word *table, const char *word)
{
	size_t len = strcspn(word, "=");
	const char *number = word[len] ? word + len + 1 : NULL;
	bool found = false;

	for (; table->name; table++) {
		if (strncmp(table->name, word, len) || table->name[len])
			continue;
		if (table->value ? number != NULL : !number || !is_number(number))
			return false;
		found = true;
		set(setup, table->file, table->value ? table->value : number);
	}
	return found;
}

static void set_words(struct setup *setup, const struct ftrace_word *table,
		      const struct tally_option_list *lists)
{
	for (size_t i = 0; i < lists->nr && !setup->ret; i++) {
		char *text = strdup(lists->items[i]), *rest = text, *word;

		while (!setup->ret && (word = strsep(&rest, ","))) {
			if (set_word(setup, table, word))
				continue;
			setup->ret = -EINVAL;
			tally_print_error(
				"'%s' in '%s' is not a tracer option, or its number is missing",
				word, lists->items[i]);
		}
		if (!text)
			setup->ret = -ENOMEM;
		free(text);
	}
}

/* ---- CPUs, tasks, events -------------------------------------------------- */

/* Append a CPU mask in the kernel's format: one word for every 32 CPUs, starting with the
 * highest. */
static void add_mask(struct tally_str *out, const struct tally_cpus *cpus)
{
	int32_t words = cpus->cpu[cpus->nr - 1].number / CPU_BITS + 1;
	size_t at = cpus->nr;

	for (int32_t word = words; word--;) {
		uint32_t bits = 0;

		for (; at && cpus->cpu[at - 1].number / CPU_BITS == word; at--)
			bits |= UINT32_C(1) << cpus->cpu[at - 1].number % CPU_BITS;
		tally_str_addf(out, word == words - 1 ? "%x" : ",%08x", bits);
	}
}

static void set_cpus(struct setup *setup)
{
	const struct tally_target *target = &setup->session->config->target;
	struct tally_target_error why = {0};
	struct tally_cpus *cpus = NULL;
	struct tally_str mask = {0};

	if (setup->ret || !target->cpus)
		return;
	setup->ret = tally_target_cpus(target, &cpus, &why);
	if (setup->ret) {
		tally_refuse_target(&why, &tally_print_messages);
		return;
	}
	add_mask(&mask, cpus);
	set(setup, "tracing_cpumask", tally_str_text(&mask));
	tally_str_free(&mask);
	free(cpus);
}

static void set_buffer(struct setup *setup)
{
	const char *size = setup->session->config->buffer;
	char kb[32];
	uint64_t bytes;

	if (setup->ret || !size)
		return;
	if (!tally_size_parse(size, 1, &bytes) || !bytes) {
		setup->ret = -EINVAL;
		tally_print_error("-m %s: must be a size such as 512K or 2M", size);
		return;
	}
	snprintf(kb, sizeof(kb), "%llu", (unsigned long long)(bytes / 1024 + (bytes % 1024 != 0)));
	set(setup, "buffer_size_kb", kb);
}

/* Find the threads selected by -p and --tid, regardless of the CPUs that are traced. */
static int find_threads(struct ftrace_session *session)
{
	struct tally_target target = session->config->target;
	struct tally_target_error why = {0};
	int ret;

	if (!tally_target_has_tasks(&target))
		return 0;
	target.all_cpus = false;
	target.cpus = NULL;
	ret = tally_target_threads(&target, &session->threads, &why);
	if (ret)
		tally_refuse_target(&why, &tally_print_messages);
	else
		tally_target_warn_gone(session->threads, &tally_print_messages);
	return ret;
}

static void add_id(struct setup *setup, struct tally_option_list *ids, int32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", id);
	ids->items[ids->nr] = tally_arena_strndup(&setup->session->strings, text, strlen(text));
	if (ids->items[ids->nr])
		ids->nr++;
	else
		setup->ret = -ENOMEM;
}

/* Restrict tracing to the tasks and, with --inherit, to their children. With only -a or -C, trace
 * all tasks. */
static void set_tasks(struct setup *setup)
{
	struct ftrace_session *session = setup->session;
	size_t nr = session->threads ? session->threads->nr : 0;
	struct tally_option_list ids = {0};

	if (setup->ret || session->config->target.all_cpus || (!nr && !session->child.pid))
		return;
	ids.items = calloc(nr + 1, sizeof(*ids.items));
	if (!ids.items)
		setup->ret = -ENOMEM;
	for (size_t i = 0; i < nr && !setup->ret; i++)
		add_id(setup, &ids, session->threads->thread[i].tid);
	if (session->child.pid && !setup->ret)
		add_id(setup, &ids, session->child.pid);
	if (strcmp(session->config->tracer, "nop")) {
		set_list(setup, "set_ftrace_pid", &ids);
		set(setup, "options/function-fork", session->config->inherit ? "1" : "0");
	}
	if (session->config->events.nr) {
		set_list(setup, "set_event_pid", &ids);
		set(setup, "options/event-fork", session->config->inherit ? "1" : "0");
	}
	free(ids.items);
}

static void set_events(struct setup *setup)
{
	const struct tally_option_list *events = &setup->session->config->events;
	char file[256];

	for (size_t i = 0; i < events->nr && !setup->ret; i++) {
		const char *event = events->items[i], *colon = strchr(event, ':');

		if (!colon || strchr(event, '/') || *event == '.' || colon[1] == '.' ||
		    snprintf(file, sizeof(file), "events/%.*s/%s/enable", (int)(colon - event),
			     event, colon + 1) >= (int)sizeof(file)) {
			setup->ret = -EINVAL;
			tally_print_error("-e %s: must be a tracepoint of the form SYSTEM:NAME",
					  event);
			return;
		}
		set(setup, file, "1");
	}
}

/* ---- functions ------------------------------------------------------------ */

/* Reject names with a colon, because tracefs treats them as commands, and their effects could not
 * be undone. */
static void check_functions(struct setup *setup, const struct tally_option_list *functions)
{
	for (size_t i = 0; i < functions->nr && !setup->ret; i++) {
		const char *name = functions->items[i];

		if (*name && *name != '#' && *name != '!' && !strpbrk(name, ": \t\n"))
			continue;
		setup->ret = -EINVAL;
		tally_print_error("'%s' is not a valid function name", name);
	}
}

static void set_functions(struct setup *setup)
{
	const struct ftrace_config *config = setup->session->config;
	const struct {
		const char *file;
		const struct tally_option_list *functions;
	} rows[] = {
		{"set_ftrace_filter", &config->trace},
		{"set_ftrace_notrace", &config->notrace},
		{"set_graph_function", &config->graph},
		{"set_graph_notrace", &config->nograph},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		check_functions(setup, rows[i].functions);
		set_list(setup, rows[i].file, rows[i].functions);
	}
}

static void set_all(struct setup *setup)
{
	const struct ftrace_config *config = setup->session->config;
	char depth[32];

	set_baseline(setup);
	set_cpus(setup);
	set_buffer(setup);
	set_tasks(setup);
	set_events(setup);
	set_functions(setup);
	/* Durations are summed by function name, so the return line must contain the name. */
	if (setup->session->what != FTRACE_TRACE && !config->events.nr)
		set(setup, "options/funcgraph-tail", "1");
	set_words(setup, graph_words, &config->graph_options);
	set_words(setup, function_words, &config->function_options);
	snprintf(depth, sizeof(depth), "%llu", (unsigned long long)config->depth);
	if (config->has_depth)
		set(setup, "max_graph_depth", depth);
	if (!setup->ret)
		setup->ret = tally_tracer_arm(setup->session->tracer, &setup->why);
}

/* Warn if function tracing is disabled by the sysctl that controls it. */
static void check_switch(const struct ftrace_session *session)
{
	char *text;
	size_t len;

	if (!strcmp(session->config->tracer, "nop") ||
	    tally_file_read("/proc/sys/kernel/ftrace_enabled", 16, &text, &len))
		return;
	if (*text == '0') {
		tally_print_warning("function tracing is disabled: kernel.ftrace_enabled is 0");
		tally_print_hint("as root: sysctl kernel.ftrace_enabled=1");
	}
	free(text);
}

static void warn_top_level(const struct ftrace_session *session)
{
	if (!tally_tracer_is_top_level(session->tracer))
		return;
	tally_print_warning(
		"this kernel supports %s only at the top level of tracefs: other tools cannot use "
		"this tracer until tally has restored the settings",
		session->config->tracer);
}

/* Set up the session. The command is forked first, so that it does not inherit the tracer's open
 * files, which would keep the tracer busy. */
int ftrace_setup(struct ftrace_session *session)
{
	const struct ftrace_config *config = session->config;
	struct tally_tracer_options options = {.name = config->tracer, .force = config->force};
	struct setup setup = {.session = session};

	setup.ret = find_threads(session);
	if (!setup.ret && session->command) {
		setup.ret = tally_child_start(&session->child, session->command, STDOUT_FILENO);
		if (setup.ret)
			tally_refuse_start(session->command[0], setup.ret, &tally_print_messages);
	}
	/* Ignore SIGPIPE only after the fork, so that the command is not affected. If the output
	 * fails, tracefs is still restored. */
	signal(SIGPIPE, SIG_IGN);
	tally_privileges_raise();
	if (!setup.ret)
		setup.ret = tally_tracer_open(&options, &session->tracer, &setup.why);
	if (!setup.ret)
		set_all(&setup);
	if (setup.why.code)
		tally_refusal_report("cannot trace", &setup.why, &tally_print_messages);
	if (tally_privileges_drop(&tally_print_messages))
		setup.ret = -EPERM;
	if (setup.ret)
		return setup.ret;
	check_switch(session);
	warn_top_level(session);
	if (config->bpf)
		tally_print_warning("-b is ignored: tally measures with function_graph, not BPF");
	return 0;
}
