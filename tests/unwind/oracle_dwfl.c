/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle_dwfl.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/str.h"

/* DWARF register numbers by bit in the PERF_SAMPLE_REGS_USER mask. The bits on x86-64 are AX BX CX
 * DX SI DI BP SP IP, then flags and segments, then R8 to R15. On AArch64, bits and numbers are the
 * same: x0 to x30, sp, pc. The unwinder's own table is not used here, so that mistakes in that
 * table are found. */
static const int8_t x86_numbers[] = {0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
				     -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};

enum { NR_REGS = 33, X86_IP = 16, ARM64_IP = 32, X86_SP = 7, ARM64_SP = 31 };

/* Get a sample's registers by DWARF number. Returns false if the sample has no registers. */
static bool regs_convert(uint16_t machine, const struct tally_regs *from, Dwarf_Word regs[NR_REGS])
{
	uint64_t nr = 0;

	if (from->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	memset(regs, 0, NR_REGS * sizeof(*regs));
	for (unsigned i = 0; i < 64 && nr < from->values.nr; i++) {
		int number = (int)i;

		if (!(from->mask >> i & 1))
			continue;
		if (machine == EM_X86_64)
			number = i < TALLY_ARRAY_SIZE(x86_numbers) ? x86_numbers[i] : -1;
		if (number >= 0 && number < NR_REGS)
			regs[number] = tally_words_get(from->values, nr);
		nr++;
	}
	return true;
}

/* ---- libdwfl thread callbacks ----------------------------------------------------- */

static pid_t thread_next(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct oracle_dwfl *oracle = arg;

	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return oracle->sample->tid > 0 ? oracle->sample->tid : 1;
}

static bool thread_get(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	*thread_arg = arg;
	return true;
}

static bool thread_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret_word, void *arg)
{
	struct oracle_dwfl *oracle = arg;
	const struct tally_bytes *stack = &oracle->sample->stack_user;
	uint64_t at = addr - oracle->stack_start;

	if (!tally_range_ok(at, 8, stack->len)) {
		oracle->has_missed = true;
		return false;
	}
	*ret_word = tally_load_u64(stack->data + at, TALLY_HOST_BIG_ENDIAN);
	return true;
}

static bool thread_registers(Dwfl_Thread *thread, void *arg)
{
	struct oracle_dwfl *oracle = arg;
	bool is_x86 = oracle->machine == EM_X86_64;
	Dwarf_Word regs[NR_REGS];

	if (!regs_convert(oracle->machine, &oracle->sample->regs_user, regs))
		return false;
	if (!is_x86)
		dwfl_thread_state_register_pc(thread, regs[ARM64_IP]);
	return dwfl_thread_state_registers(thread, 0, is_x86 ? X86_IP + 1 : ARM64_IP, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = thread_next,
	.get_thread = thread_get,
	.memory_read = thread_memory,
	.set_initial_registers = thread_registers,
};

static int frame_take(Dwfl_Frame *state, void *arg)
{
	struct oracle_dwfl *oracle = arg;
	struct oracle_frame frame;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(state, &pc, &frame.is_activation))
		return DWARF_CB_ABORT;
	oracle->has_missed = false;
	frame.ip = pc;
	if (oracle->frames.len == ORACLE_MAX_FRAMES || tally_vec_push(&oracle->frames, frame))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

/* ---- mappings ------------------------------------------------------------------------ */

/* A file, and the offset from its virtual addresses to the mapped addresses. */
struct oracle_module {
	const struct tally_dso *dso;
	uint64_t bias;
};

struct oracle_modules {
	TALLY_VEC(struct oracle_module) all;
};

/* Get a mapping's bias from the program headers. Returns false for executables that are not mapped
 * at their linked address, such as the second copy of V8's own code, because libdwfl does not
 * support them. */
static bool elf_bias(Elf *elf, const struct tally_mapping *map, uint64_t *ret_bias)
{
	uint64_t offset = tally_mapping_to_dso(map, map->start);
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	size_t nr;

	if (elf_getphdrnum(elf, &nr) || !gelf_getehdr(elf, &ehdr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		/* Mappings begin at page boundaries. */
		uint64_t start = phdr.p_offset & ~UINT64_C(4095);

		if (!(phdr.p_flags & PF_X) || offset < start ||
		    offset >= phdr.p_offset + phdr.p_filesz)
			continue;
		*ret_bias = map->start - phdr.p_vaddr - (offset - phdr.p_offset);
		return !*ret_bias || ehdr.e_type == ET_DYN;
	}
	return false;
}

/* Write this process's vdso to a file, as libdwfl requires. */
static int vdso_open(const struct tally_mapping *map)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	int fd = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	if (fd < 0)
		return -1;
	if (write(fd, image, map->end - map->start) == (ssize_t)(map->end - map->start))
		return fd;
	close(fd);
	return -1;
}

static int module_open(const struct oracle_dwfl *oracle, const struct tally_mapping *map)
{
	const struct tally_dso *dso = map->dso;
	struct tally_str path = {0};
	int fd;

	if (tally_dso_kind(dso) == TALLY_DSO_VDSO && oracle->vdso)
		return open(oracle->vdso, O_RDONLY | O_CLOEXEC);
	if (tally_dso_kind(dso) == TALLY_DSO_VDSO)
		return oracle->symfs ? -1 : vdso_open(map);
	if (tally_dso_kind(dso) != TALLY_DSO_USER)
		return -1;
	tally_str_addf(&path, "%s%s", oracle->symfs ? oracle->symfs : "", tally_dso_name(dso));
	fd = open(tally_str_text(&path), O_RDONLY | O_CLOEXEC);
	tally_str_free(&path);
	return fd;
}

static bool module_is_known(const struct oracle_modules *list, const struct oracle_module *module)
{
	tally_vec_for_each (known, &list->all) {
		if (known->dso == module->dso && known->bias == module->bias)
			return true;
	}
	return false;
}

/* Report a mapping's file to libdwfl, once per address. On success, libdwfl takes ownership of the
 * descriptor. */
static void module_report(struct oracle_dwfl *oracle, struct oracle_module *module, int fd)
{
	const char *name = tally_dso_name(module->dso);

	if (module_is_known(oracle->modules, module) ||
	    !dwfl_report_elf(oracle->dwfl, name, name, fd, module->bias, true))

		close(fd);
	else
		(void)tally_vec_push(&oracle->modules->all, *module);
}

static void map_report(void *arg, struct tally_mapping *map)
{
	struct oracle_module module = {.dso = map->dso};
	struct oracle_dwfl *oracle = arg;
	bool is_data = tally_map_get(&oracle->data_maps, map->start) == 1;
	int fd = is_data ? -1 : module_open(oracle, map);
	bool is_found;
	Elf *elf;

	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	is_found = elf && elf_kind(elf) == ELF_K_ELF && elf_bias(elf, map, &module.bias);
	elf_end(elf);
	if (is_found)
		module_report(oracle, &module, fd);
	else
		close(fd);
}

static void space_end(struct oracle_dwfl *oracle)
{
	if (oracle->modules) {
		tally_vec_free(&oracle->modules->all);
		free(oracle->modules);
	}
	if (oracle->dwfl)
		dwfl_end(oracle->dwfl);
	oracle->dwfl = NULL;
	oracle->modules = NULL;
}

static int space_begin(struct oracle_dwfl *oracle, const struct tally_thread *thread)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct tally_maps *maps = thread->process->maps;

	space_end(oracle);
	oracle->space = maps->space;
	oracle->modules = calloc(1, sizeof(*oracle->modules));
	oracle->dwfl = dwfl_begin(&callbacks);
	if (!oracle->dwfl || !oracle->modules)
		return -ENOMEM;
	dwfl_report_begin(oracle->dwfl);
	tally_maps_walk(maps, map_report, oracle);
	dwfl_report_end(oracle->dwfl, NULL, NULL);
	/* This fails if there is no module, because libdwfl takes the machine type from a
	 * module. */
	oracle->end = NULL;
	if (!dwfl_attach_state(oracle->dwfl, NULL, thread->pid > 0 ? thread->pid : 1,
			       &thread_callbacks, oracle))
		oracle->end = dwfl_errmsg(-1);
	return 0;
}

int oracle_dwfl_record(struct oracle_dwfl *oracle, const void *record, size_t len)
{
	/* Layout: struct perf_event_header, pid, tid, start, len, offset. In MMAP2, these fields
	 * are followed by 24 bytes that describe the file, and by prot. */
	enum { START = 16, PROT = 64 };
	struct perf_event_header head;
	bool is_data;

	memcpy(&head, record, sizeof(head));
	if (len < PROT + 4 || (head.type != PERF_RECORD_MMAP && head.type != PERF_RECORD_MMAP2))
		return 0;
	is_data = head.misc & PERF_RECORD_MISC_MMAP_DATA;
	if (head.type == PERF_RECORD_MMAP2)
		is_data = !(tally_get_u32((const uint8_t *)record + PROT) & PROT_EXEC);
	return tally_map_set(&oracle->data_maps, tally_get_u64((const uint8_t *)record + START),
			     is_data);
}

int oracle_dwfl_unwind(struct oracle_dwfl *oracle, const struct tally_thread *thread,
		       const struct tally_sample *sample)
{
	Dwarf_Word regs[NR_REGS];
	int ret = 0;

	oracle->frames.len = 0;
	oracle->sample = sample;
	if (!regs_convert(oracle->machine, &sample->regs_user, regs))
		return 0;
	oracle->stack_start = regs[oracle->machine == EM_X86_64 ? X86_SP : ARM64_SP];
	if (!oracle->dwfl || oracle->space != thread->process->maps->space)
		ret = space_begin(oracle, thread);
	if (ret)
		return ret;
	if (dwfl_getthread_frames(oracle->dwfl, sample->tid > 0 ? sample->tid : 1, frame_take,
				  oracle))
		oracle->end = oracle->frames.len == ORACLE_MAX_FRAMES ? "limit" : dwfl_errmsg(-1);
	else
		oracle->end = "outermost frame";
	if (oracle->has_missed)
		oracle->end = "memory that was not dumped";
	return 0;
}

void oracle_dwfl_free(struct oracle_dwfl *oracle)
{
	space_end(oracle);
	tally_vec_free(&oracle->frames);
	tally_map_free(&oracle->data_maps);
}
