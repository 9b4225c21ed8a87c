/* SPDX-License-Identifier: BSD-2-Clause */
/* Records for BPF programs that were loaded before the recording starts: KSYMBOL for each function,
 * and BPF_EVENT. Source: bpf(2), linux/bpf.h, linux/btf.h. */
#include "sampler/synth.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arith.h"
#include "tally/abi.h"

/* FUNCTIONS_MAX and BTF_MAX limit what is asked for; the kernel's own limits are lower. */
enum { KSYMBOL_BPF = 1, LOADED = 1, FUNCTIONS_MAX = 4096, BTF_MAX = 16 << 20 };
enum { TAG = BPF_TAG_SIZE, NAME_MAX_SIZE = 512 };

/* A program's functions, and the types that name them. */
struct bpf_program {
	struct bpf_prog_info info;
	uint64_t *addresses;
	uint32_t *lengths;
	uint8_t *tags; /* TAG bytes each */
	struct bpf_func_info *types;
	uint8_t *btf;
	uint32_t btf_len;
};

static int bpf_call(int command, union bpf_attr *attr)
{
	long ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

/* Get the ID after `id`. */
static int next_id(uint32_t id, uint32_t *ret_id)
{
	union bpf_attr attr = {.start_id = id};
	int ret = bpf_call(BPF_PROG_GET_NEXT_ID, &attr);

	if (!ret)
		*ret_id = attr.next_id;
	return ret;
}

static int get_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)fd, .info_len = size}};

	attr.info.info = (uintptr_t)info;
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static void program_free(struct bpf_program *program)
{
	free(program->addresses);
	free(program->lengths);
	free(program->tags);
	free(program->types);
	free(program->btf);
}

/* Read the names of the functions. Without them, functions are named after the program. */
static int read_btf(struct bpf_program *program, uint32_t id)
{
	union bpf_attr attr = {.btf_id = id};
	struct bpf_btf_info info = {0};
	int fd = bpf_call(BPF_BTF_GET_FD_BY_ID, &attr), ret;

	if (fd < 0)
		return 0;
	ret = get_info(fd, &info, sizeof(info));
	if (!ret && info.btf_size && info.btf_size <= BTF_MAX) {
		program->btf = malloc(info.btf_size);
		program->btf_len = info.btf_size;
		info = (struct bpf_btf_info){.btf = (uintptr_t)program->btf,
					     .btf_size = program->btf_len};
		ret = program->btf ? get_info(fd, &info, sizeof(info)) : -ENOMEM;
		if (ret || info.btf_size != program->btf_len)
			program->btf_len = 0;
	}
	close(fd);
	return ret == -ENOMEM ? ret : 0;
}

/* Read the functions of a program. There are none if their addresses are hidden or not known.
 * Returns 0, -ENOENT if the program cannot be read, or -ENOMEM. */
static int read_functions(struct bpf_program *program, int fd)
{
	struct bpf_prog_info *info = &program->info;
	uint32_t nr = TALLY_MIN(info->nr_jited_ksyms, (uint32_t)FUNCTIONS_MAX);
	uint32_t nr_types = info->func_info_rec_size == sizeof(*program->types)
				    ? TALLY_MIN(info->nr_func_info, nr)
				    : 0;
	uint32_t btf = info->btf_id;

	program->addresses = calloc(nr + 1, sizeof(*program->addresses));
	program->lengths = calloc(nr + 1, sizeof(*program->lengths));
	program->tags = calloc(nr + 1, TAG);
	program->types = calloc(nr + 1, sizeof(*program->types));
	if (!program->addresses || !program->lengths || !program->tags || !program->types)
		return -ENOMEM;
	*info = (struct bpf_prog_info){
		.jited_ksyms = (uintptr_t)program->addresses,
		.nr_jited_ksyms = nr,
		.jited_func_lens = (uintptr_t)program->lengths,
		.nr_jited_func_lens = nr,
		.prog_tags = (uintptr_t)program->tags,
		.nr_prog_tags = nr,
		.func_info = nr_types ? (uintptr_t)program->types : 0,
		.nr_func_info = nr_types,
		.func_info_rec_size = nr_types ? sizeof(*program->types) : 0,
	};
	if (get_info(fd, info, sizeof(*info)))
		return -ENOENT;
	info->nr_jited_ksyms = TALLY_MIN(info->nr_jited_ksyms, nr);
	return btf && nr_types ? read_btf(program, btf) : 0;
}

/* ---- names ------------------------------------------------------------------------- */

/* Return the size of the data after a type, or SIZE_MAX if the kind is not known. */
static size_t btf_extra(uint32_t info)
{
	uint32_t nr = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return nr * (size_t)12;
	case BTF_KIND_FUNC_PROTO: return nr * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return nr * sizeof(struct btf_var_secinfo);
	default: return BTF_INFO_KIND(info) <= BTF_KIND_MAX ? 0 : SIZE_MAX;
	}
}

/* Return the name of type number `wanted`, or NULL. */
static const char *btf_name(const struct bpf_program *program, uint32_t wanted)
{
	const uint8_t *data = program->btf;
	struct btf_header header;
	struct btf_type type;
	size_t at, end, strings;

	if (program->btf_len < sizeof(header) || !wanted)
		return NULL;
	memcpy(&header, data, sizeof(header));
	at = (size_t)header.hdr_len + header.type_off;
	end = at + header.type_len;
	strings = (size_t)header.hdr_len + header.str_off;
	if (end > program->btf_len || strings + header.str_len > program->btf_len ||
	    !header.str_len || data[strings + header.str_len - 1])
		return NULL;
	for (uint32_t id = 1; at + sizeof(type) <= end; id++) {
		size_t extra;

		memcpy(&type, data + at, sizeof(type));
		if (id == wanted)
			return type.name_off < header.str_len
				       ? (const char *)data + strings + type.name_off
				       : NULL;
		extra = btf_extra(type.info);
		if (extra > end - at - sizeof(type))
			return NULL;
		at += sizeof(type) + extra;
	}
	return NULL;
}

/* Make the name that the kernel gives to function number `i`: bpf_prog_TAG_NAME. */
static void function_name(const struct bpf_program *program, uint32_t i, char *name, size_t size)
{
	const struct bpf_prog_info *info = &program->info;
	const uint8_t *tag = program->tags + (size_t)i * TAG;
	const char *own = NULL;
	size_t len = (size_t)snprintf(name, size, "bpf_prog_");

	for (int byte = 0; byte < TAG; byte++)
		len += (size_t)snprintf(name + len, size - len, "%02x", tag[byte]);
	if (i < info->nr_func_info)
		own = btf_name(program, program->types[i].type_id);
	if (!own)
		own = info->nr_jited_ksyms > 1 ? "F" : info->name;
	if (*own)
		snprintf(name + len, size - len, "_%.*s", BPF_OBJ_NAME_LEN * 8, own);
}

/* ---- records ------------------------------------------------------------------------ */

static void add_ksymbol(struct tally_synth *synth, const struct bpf_program *program, uint32_t i)
{
	char name[NAME_MAX_SIZE];

	function_name(program, i, name, sizeof(name));
	tally_synth_begin(synth, PERF_RECORD_KSYMBOL, 0, 16 + tally_round_up(strlen(name) + 1, 8));
	tally_synth_u64(synth, program->addresses[i]);
	tally_synth_u32(synth, program->lengths[i]);
	tally_synth_u32(synth, KSYMBOL_BPF); /* u16 type, u16 flags */
	tally_synth_string(synth, name);
	tally_synth_end(synth);
}

static void add_event(struct tally_synth *synth, const struct bpf_prog_info *info)
{
	tally_synth_begin(synth, PERF_RECORD_BPF_EVENT, 0, 16);
	tally_synth_u32(synth, LOADED); /* u16 type, u16 flags */
	tally_synth_u32(synth, info->id);
	tally_str_add_bytes(&synth->out, info->tag, sizeof(info->tag));
	tally_synth_end(synth);
}

static int add_program(struct tally_synth *synth, int fd)
{
	struct bpf_program program = {0};
	int ret = get_info(fd, &program.info, sizeof(program.info));

	if (ret)
		return 0;
	ret = read_functions(&program, fd);
	for (uint32_t i = 0; i < program.info.nr_jited_ksyms && !ret; i++)
		if (program.addresses[i] && program.lengths[i])
			add_ksymbol(synth, &program, i);
	if (!ret)
		add_event(synth, &program.info);
	program_free(&program);
	return ret == -ENOENT ? 0 : ret;
}

int tally_synth_bpf(struct tally_synth *synth)
{
	uint32_t id = 0;
	int ret = 0;

	while (!ret && !next_id(id, &id)) {
		union bpf_attr attr = {.prog_id = id};
		int fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &attr);

		/* The program may have been unloaded in the meantime. */
		if (fd < 0)
			continue;
		ret = add_program(synth, fd);
		close(fd);
	}
	return ret ? ret : tally_str_error(&synth->out);
}
