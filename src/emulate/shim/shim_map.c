/* SPDX-License-Identifier: BSD-2-Clause */
/* Map rings. Mapping an event maps the memory that the server provides for the event. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"

/* Maximum number of tracked mappings. The server is not notified when any other mapping is
 * unmapped; such a mapping stays with its event until the process exits. */
enum { RINGS_MAX = 4096 };

static struct ring {
	uintptr_t start; /* 0 if unused */
	size_t len;
	uint64_t token, mapping;
} rings[RINGS_MAX];
static uint32_t nr_rings; /* number of entries in use */

static void ring_add(uintptr_t start, size_t len, uint64_t token, uint64_t mapping)
{
	for (size_t i = 0; i < RINGS_MAX; i++) {
		uintptr_t free_one = 0;

		/* The value 1, which is not a valid address, marks an entry that is being filled
		 * in. */
		if (!__atomic_compare_exchange_n(&rings[i].start, &free_one, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		rings[i].len = len;
		rings[i].token = token;
		rings[i].mapping = mapping;
		__atomic_store_n(&rings[i].start, start, __ATOMIC_RELEASE);
		__atomic_add_fetch(&nr_rings, 1, __ATOMIC_RELAXED);
		return;
	}
}

static void unmap_notify(uint64_t token, uint64_t mapping)
{
	struct tally_emulate_request request = {
		.operation = TALLY_EMULATE_MUNMAP, .event = token, .argument = {mapping}};
	struct shim_answer answer;

	shim_call(&request, NULL, NULL, 0, false, &answer);
}

/* Remove the rings within the unmapped range. */
static void rings_remove(uintptr_t start, size_t len)
{
	if (!__atomic_load_n(&nr_rings, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < RINGS_MAX; i++) {
		uintptr_t at = __atomic_load_n(&rings[i].start, __ATOMIC_ACQUIRE);
		struct ring gone = rings[i];

		if (at <= 1 || at < start || gone.len > len || at - start > len - gone.len ||
		    !__atomic_compare_exchange_n(&rings[i].start, &at, 0, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_sub_fetch(&nr_rings, 1, __ATOMIC_RELAXED);
		unmap_notify(gone.token, gone.mapping);
	}
}

void shim_map_forked(void)
{
	__builtin_memset(rings, 0, sizeof(rings));
	nr_rings = 0;
}

/* ---- mmap ----------------------------------------------------------------- */

static long raw_mmap(void *at, size_t len, int prot, int flags, int fd, uint64_t offset)
{
	return shim_raw(SYS_mmap, (long)at, (long)len, prot, flags, fd, (long)offset);
}

/* Keep the mapping out of children and core dumps, like the kernel's own rings. */
static void map_advise(long at, size_t len)
{
	shim_raw3(SYS_madvise, at, (long)len, MADV_DONTFORK);
	shim_raw3(SYS_madvise, at, (long)len, MADV_DONTDUMP);
}

static long event_mmap(uint64_t token, void *at, size_t len, int prot, int flags, uint64_t offset)
{
	bool shared = (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
	struct tally_emulate_request request = {
		.operation = TALLY_EMULATE_MMAP,
		.event = token,
		.argument = {len, offset,
			     (prot & PROT_WRITE ? TALLY_EMULATE_MAP_WRITE : 0u) |
				     (shared ? TALLY_EMULATE_MAP_SHARED : 0u)},
	};
	struct shim_answer answer;
	int64_t ret = shim_call(&request, NULL, NULL, 0, true, &answer);
	long mapped;

	/* A mapping without its descriptor is useless. */
	if (answer.reply.result >= 0 && answer.reply.value[1] && answer.fd < 0) {
		unmap_notify(token, answer.reply.value[1]);
		return -EMFILE;
	}
	if (ret < 0)
		return (long)ret;
	mapped = raw_mmap(at, len, prot, flags, answer.fd, answer.reply.value[0]);
	shim_raw3(SYS_close, answer.fd, 0, 0);
	if (mapped < 0 && mapped > -4096) {
		unmap_notify(token, answer.reply.value[1]);
		return mapped;
	}
	map_advise(mapped, len);
	ring_add((uintptr_t)mapped, len, token, answer.reply.value[1]);
	return mapped;
}

static void *map_any(void *at, size_t len, int prot, int flags, int fd, uint64_t offset)
{
	uint64_t token;

	if (!(flags & MAP_ANONYMOUS) && fd >= 0 && shim_event(fd, &token))
		return (void *)shim_result(event_mmap(token, at, len, prot, flags, offset));
	return (void *)shim_result(raw_mmap(at, len, prot, flags, fd, offset));
}

SHIM_EXPORT void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map_any(at, len, prot, flags, fd, (uint64_t)offset);
}

SHIM_EXPORT void *mmap64(void *at, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return map_any(at, len, prot, flags, fd, (uint64_t)offset);
}

SHIM_EXPORT int munmap(void *at, size_t len)
{
	long ret = shim_raw3(SYS_munmap, (long)at, (long)len, 0);

	if (!ret)
		rings_remove((uintptr_t)at, len);
	return (int)shim_result(ret);
}
