/* SPDX-License-Identifier: BSD-2-Clause */
/* Report a program's mappings as MMAP records, and find the addresses of the script's sample
 * locations. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "emulate/emulate_sim_private.h"
#include "hosts/sim/sim_script.h"
#include "symbols/elf/elf.h"
#include "symbols/symbols_table.h"

/* One line from /proc/PID/maps. */
struct maps_line {
	unsigned long start, end, offset, inode;
	unsigned major, minor;
	char rights[5];
	char path[512];
};

static bool maps_parse(const char *text, struct maps_line *line)
{
	line->path[0] = '\0';
	return sscanf(text, "%lx-%lx %4s %lx %x:%x %lu %511[^\n]", &line->start, &line->end,
		      line->rights, &line->offset, &line->major, &line->minor, &line->inode,
		      line->path) >= 7;
}

static void mapping_report(struct emulated_machine *machine, struct emulated_task *task,
			   const struct maps_line *line)
{
	const struct tally_core_mapping mapping = {
		.addr = line->start,
		.len = line->end - line->start,
		.pgoff = line->offset,
		.maj = line->major,
		.min = line->minor,
		.ino = line->inode,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.executable = true,
		.filename = *line->path ? line->path : "//anon",
	};
	const struct tally_sim_step step = SIM_MAP(&mapping);

	tally_sim_execute(machine->sim, task->task, &step);
}

/* ---- places ------------------------------------------------------------------ */

static const struct tally_symbol *symbol_named(const struct tally_symtab *table, const char *name)
{
	for (size_t i = 0; i < table->len; i++)
		if (!strcmp(tally_symtab_name(table, &table->symbols[i]), name))
			return &table->symbols[i];
	return NULL;
}

/* Find the sample locations that are symbols in this file and were not found in an earlier mapping.
 * Symbol addresses are file offsets. */
static void places_match(const struct emulated_machine *machine, struct emulated_task *task,
			 const struct maps_line *line, const struct tally_symtab *table)
{
	for (uint32_t i = 0; i < machine->script->nr_places; i++) {
		const struct tally_script_place *place = &machine->script->places[i];
		const struct tally_symbol *symbol =
			task->places[i] ? NULL : symbol_named(table, place->symbol);

		if (symbol && symbol->start >= line->offset &&
		    symbol->start - line->offset < line->end - line->start)
			task->places[i] =
				line->start + (symbol->start - line->offset) + place->address;
	}
}

static bool has_unresolved_places(const struct emulated_machine *machine,
				  const struct emulated_task *task)
{
	for (uint32_t i = 0; i < machine->script->nr_places; i++)
		if (!task->places[i])
			return true;
	return false;
}

static void places_find(const struct emulated_machine *machine, struct emulated_task *task,
			const struct maps_line *line)
{
	struct tally_symtab table = {0};
	struct tally_file_map map;

	if (!has_unresolved_places(machine, task) || tally_file_map(line->path, &map))
		return;
	if (!tally_elf_parse(map.data, map.len, &table, NULL))
		places_match(machine, task, line, &table);
	tally_symtab_free(&table);
	tally_file_unmap(&map);
}

static void places_init(const struct emulated_machine *machine, struct emulated_task *task)
{
	for (uint32_t i = 0; i < machine->script->nr_places; i++) {
		const struct tally_script_place *place = &machine->script->places[i];

		task->places[i] = *place->symbol ? 0 : place->address;
	}
}

void emulated_maps_read(struct emulated_machine *machine, struct emulated_task *task)
{
	struct maps_line line;
	char path[64], text[1024];
	FILE *file;

	places_init(machine, task);
	snprintf(path, sizeof(path), "/proc/%d/maps", task->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(text, sizeof(text), file)) {
		if (!maps_parse(text, &line) || line.rights[2] != 'x')
			continue;
		mapping_report(machine, task, &line);
		if (*line.path == '/')
			places_find(machine, task, &line);
	}
	fclose(file);
}
