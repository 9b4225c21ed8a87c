/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about the program to be profiled. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/doctor/facts.h"
#include "cli/doctor/finding.h"
#include "view/runtimes.h"

static const char *machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {{EM_X86_64, "x86-64"}, {EM_386, "x86"},
		     {EM_AARCH64, "arm64"}, {EM_RISCV, "RISC-V"},
		     {EM_ARM, "arm"},       {EM_PPC64, "ppc64"},
		     {EM_S390, "s390"},     {EM_LOONGARCH, "LoongArch"}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (names[i].machine == machine)
			return names[i].name;
	}
	return "another machine";
}

static void find_file(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_program *program = &doctor->program;

	if (!program->path) {
		doctor_finding_set(finding, DOCTOR_BAD, "'%s' does not exist or is not executable",
				   program->name);
		return;
	}
	if (program->code) {
		doctor_finding_set(finding, program->code == -ENOEXEC ? DOCTOR_NOTE : DOCTOR_WARN,
				   "%s: %s", program->path,
				   program->code == -ENOEXEC   ? "not an ELF file"
				   : program->code == -EBADMSG ? "a malformed ELF file"
							       : strerror(-program->code));
		return;
	}
	doctor_finding_set(finding, DOCTOR_OK, "%s: ELF, %s %s bit, %s%s", program->path,
			   machine_name(program->machine), program->is64 ? "64" : "32",
			   program->is_static ? "static" : "dynamic",
			   program->is_pie ? ", PIE" : "");
	if (program->script)
		doctor_cause(finding, "this is the interpreter of %s", program->script);
}

/* Check whether the program gains privileges when it starts. If so, the kernel removes unprivileged
 * users' events. */
static void find_rights(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_program *program = &doctor->program;
	bool ends = program->changes_ids || !program->readable;

	if (!program->path) {
		doctor_finding_set(finding, DOCTOR_UNKNOWN, "no file");
	} else if (!ends) {
		doctor_finding_set(finding, DOCTOR_OK, "no special privileges");
	} else {
		doctor_finding_set(
			finding, doctor->access.uid ? DOCTOR_WARN : DOCTOR_NOTE,
			"%s: the kernel removes unprivileged users' events when it starts",
			program->changes_ids ? "set-user-id or set-group-id" : "not readable");
		if (doctor->access.uid)
			doctor_fix(finding, "profile it as root");
	}
}

static void find_build_id(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_program *program = &doctor->program;
	struct tally_str hex = {0};

	tally_str_add_hex_bytes(&hex, program->build_id, program->build_id_size);
	finding->word = hex.len ? "yes" : "no";
	if (hex.len) {
		doctor_finding_set(finding, DOCTOR_OK, "%s", tally_str_text(&hex));
	} else {
		doctor_finding_set(
			finding, DOCTOR_NOTE,
			"none: a changed file cannot be distinguished from the recorded one");
		doctor_fix(finding, "link with -Wl,--build-id");
	}
	tally_str_free(&hex);
}

static void find_symbols(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_program *program = &doctor->program;

	doctor_number(finding, (int64_t)program->nr_functions);
	finding->word = program->nr_functions ? "yes" : "stripped";
	if (program->nr_functions) {
		doctor_finding_set(finding, DOCTOR_OK, "%zu functions", program->nr_functions);
		return;
	}
	doctor_finding_set(finding, DOCTOR_WARN, "stripped: only %zu exported functions have names",
			   program->nr_exported);
	if (program->debug == DOCTOR_DEBUG_FILE)
		doctor_cause(finding, "the debug file may contain the other names: %s",
			     program->debug_path);
	else
		doctor_fix(finding, "use an unstripped build, or install its debug package");
}

static void find_debug(const struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const words[] = {[DOCTOR_DEBUG_NONE] = "no",
					    [DOCTOR_DEBUG_OWN] = "yes",
					    [DOCTOR_DEBUG_FILE] = "file"};
	const struct doctor_program *program = &doctor->program;

	finding->word = words[program->debug];
	switch (program->debug) {
	case DOCTOR_DEBUG_OWN: doctor_finding_set(finding, DOCTOR_OK, "in the file"); return;
	case DOCTOR_DEBUG_FILE:
		doctor_finding_set(finding, DOCTOR_OK, "in %s", program->debug_path);
		return;
	case DOCTOR_DEBUG_NONE: break;
	}
	doctor_finding_set(finding, DOCTOR_NOTE, "none: no source lines or inlined functions");
	if (program->debug_link)
		doctor_cause(finding, "the debug file %s does not exist", program->debug_link);
	doctor_fix(finding, "compile with -g, or install the debug package%s",
		   getenv("DEBUGINFOD_URLS") && program->build_id_size
			   ? "; 'debuginfod-find debuginfo FILE' fetches the debug file"
			   : "");
}

static void find_frames(const struct doctor *doctor, struct doctor_finding *finding)
{
	enum { MOST = 80, HARDLY = 20 };
	const struct doctor_program *program = &doctor->program;
	const struct tally_prologues *prologues = &program->prologues;
	size_t percent;

	if (program->prologues_code) {
		doctor_finding_set(
			finding, DOCTOR_UNKNOWN, "%s",
			program->prologues_code == -ENOTSUP
				? "function prologues are not supported on this architecture"
				: "no function found");
		return;
	}
	percent = prologues->frames * 100 / prologues->looked;
	doctor_number(finding, (int64_t)percent);
	finding->word = percent >= MOST ? "yes" : percent > HARDLY ? "some" : "no";
	doctor_finding_set(finding, percent >= MOST ? DOCTOR_OK : DOCTOR_WARN,
			   "%zu%% of %zu examined functions set up a frame pointer%s", percent,
			   prologues->looked,
			   percent >= MOST ? "" : ", so callchains (-g) are incomplete");
	doctor_cause(finding, "based on their first instructions; functions from %s",
		     prologues->from);
	if (percent >= MOST)
		return;
	doctor_fix(finding, "compile with -fno-omit-frame-pointer");
	if (program->has_unwind)
		doctor_fix(finding,
			   "record with --call-graph auto or dwarf, which use its unwind tables");
}

static void find_unwind(const struct doctor *doctor, struct doctor_finding *finding)
{
	bool has = doctor->program.has_unwind;

	finding->word = has ? "yes" : "no";
	doctor_finding_set(finding, has ? DOCTOR_OK : DOCTOR_NOTE, "%s",
			   has ? "present: callchains can be unwound from stack dumps" : "none");
}

static void find_runtime(const struct doctor *doctor, struct doctor_finding *finding)
{
	const struct doctor_program *program = &doctor->program;

	finding->word = program->language;
	if (program->runtime)
		doctor_finding_set(finding, DOCTOR_NOTE,
				   "code generated at run time has no symbols by default");
	else
		doctor_finding_set(finding, DOCTOR_OK, "%s",
				   program->language ? program->language : "nothing special");
	if (program->runtime)
		doctor_fix(finding, "%s", program->runtime->hint);
}

static const struct doctor_fact file_facts[] = {
	{"command.file", DOCTOR_PROGRAM, "file", find_file},
	{"command.rights", DOCTOR_PROGRAM, "rights", find_rights},
};
const struct doctor_facts doctor_file_facts = {file_facts, TALLY_ARRAY_SIZE(file_facts)};

static const struct doctor_fact facts[] = {
	{"command.build-id", DOCTOR_PROGRAM, "build id", find_build_id},
	{"command.symbols", DOCTOR_PROGRAM, "symbols", find_symbols},
	{"command.debug", DOCTOR_PROGRAM, "debug information", find_debug},
	{"command.frame-pointers", DOCTOR_PROGRAM, "frame pointers", find_frames},
	{"command.unwind", DOCTOR_PROGRAM, "unwind tables", find_unwind},
	{"command.runtime", DOCTOR_PROGRAM, "runtime", find_runtime},
};
const struct doctor_facts doctor_program_facts = {facts, TALLY_ARRAY_SIZE(facts)};
