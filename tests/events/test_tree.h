/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated sysfs and tracefs trees in a temporary directory. */
#ifndef TALLY_TESTS_TREE_H
#define TALLY_TESTS_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices/"

static const char *const tree_files[][2] = {
	{DEVICES "cpu/type", "4\n"},
	{DEVICES "cpu/caps/max_precise", "2\n"},
	{DEVICES "cpu/format/event", "config:0-7,32-35\n"},
	{DEVICES "cpu/format/umask", "config:8-15\n"},
	{DEVICES "cpu/format/edge", "config:18\n"},
	{DEVICES "cpu/format/inv", "config:23\n"},
	{DEVICES "cpu/format/cmask", "config:24-31\n"},
	{DEVICES "cpu/format/offcore_rsp", "config1:0-63\n"},
	{DEVICES "cpu/format/ldlat", "config1:0-15\n"},
	{DEVICES "cpu/format/metr", "config2:4-7,0-3\n"},
	{DEVICES "cpu/format/third", "config3:0-7\n"},
	{DEVICES "cpu/format/broken", "config:64-70\n"},
	{DEVICES "cpu/events/cpu-cycles", "event=0x3c\n"},
	{DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{DEVICES "cpu/events/bad-alias", "event=0xcd,nonsense=1\n"},
	{DEVICES "cpu/events/topdown-slots", "event=0x00,umask=0x4\n"},
	{DEVICES "uncore_cbox_0/type", "20\n"},
	{DEVICES "uncore_cbox_0/cpumask", "0,18\n"},
	{DEVICES "uncore_cbox_0/format/event", "config:0-7\n"},
	{DEVICES "uncore_cbox_0/events/clockticks", "event=0x0\n"},
	{DEVICES "uncore_cbox_1/type", "21\n"},
	{DEVICES "uncore_cbox_1/cpumask", "0,18\n"},
	{DEVICES "uncore_cbox_1/format/event", "config:0-7\n"},
	{DEVICES "uncore_cbox_1/events/clockticks", "event=0x0\n"},
	{DEVICES "power/type", "30\n"},
	{DEVICES "power/cpumask", "0\n"},
	{DEVICES "power/format/event", "config:0-7\n"},
	{DEVICES "power/events/energy-pkg", "event=0x02\n"},
	{DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
	{DEVICES "power/events/energy-pkg.unit", "Joules\n"},
	{DEVICES "power/events/energy-pkg.per-pkg", "1\n"},
	{DEVICES "power/events/energy-pkg.snapshot", "1\n"},
	{DEVICES "cpu_core/type", "40\n"},
	{DEVICES "cpu_core/cpus", "0-3\n"},
	{DEVICES "cpu_core/format/event", "config:0-7\n"},
	{DEVICES "software/type", "1\n"},
	{DEVICES "uprobe/type", "8\n"},
	{DEVICES "uprobe/format/retprobe", "config:0\n"},
	{DEVICES "uprobe/format/ref_ctr_offset", "config:32-63\n"},
	{DEVICES "rubbish/type", "not a number\n"},
	{"tracing/events/enable", "0\n"},
	{"tracing/events/sched/enable", "0\n"},
	{"tracing/events/sched/sched_switch/id", "316\n"},
	{"tracing/events/sched/sched_waking/id", "318\n"},
	{"tracing/events/sched/sched_process_exit/id", "310\n"},
	{"tracing/events/syscalls/sys_enter_read/id", "700\n"},
	{"tracing/events/syscalls/sys_exit_read/id", "699\n"},
	{"tracing/events/ftrace/function/format", "name: function\n"},
	{"tracing/events/odd/broken/id", "x\n"},
};

struct tree {
	char root[64], sysfs[80], tracefs[80];
};

static void tree_mkdirs(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

static int tree_make(struct tree *tree)
{
	char path[512];

	snprintf(tree->root, sizeof(tree->root), "/tmp/tally-events-XXXXXX");
	if (!mkdtemp(tree->root))
		return -1;
	snprintf(tree->sysfs, sizeof(tree->sysfs), "%s/sys", tree->root);
	snprintf(tree->tracefs, sizeof(tree->tracefs), "%s/tracing", tree->root);
	for (size_t i = 0; i < sizeof(tree_files) / sizeof(tree_files[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", tree->root, tree_files[i][0]);
		tree_mkdirs(path);
		file = fopen(path, "w");
		if (!file)
			return -1;
		fputs(tree_files[i][1], file);
		fclose(file);
	}
	return 0;
}

static int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void tree_remove(struct tree *tree)
{
	nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
