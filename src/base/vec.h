/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growable array, typed by a macro:
 *
 *	TALLY_VEC(uint64_t) ids = {0};
 *	ret = tally_vec_push(&ids, 42);
 *	tally_vec_free(&ids);
 *
 * An all-zero vector is empty. Elements move when the vector grows.
 */
#ifndef TALLY_BASE_VEC_H
#define TALLY_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define TALLY_VEC(type)          \
	struct {                 \
		type *data;      \
		size_t len, cap; \
	}

/* Reserve space for `need` elements in total. Evaluates to 0, or -ENOMEM with the vector
 * unchanged. */
#define tally_vec_reserve(v, need)                                                                \
	({                                                                                        \
		int ret_ = 0;                                                                     \
		if ((size_t)(need) > (v)->cap) {                                                  \
			void *grown_ =                                                            \
				tally_vec_grow((v)->data, &(v)->cap, sizeof(*(v)->data), (need)); \
			if (grown_)                                                               \
				(v)->data = grown_;                                               \
			else                                                                      \
				ret_ = -ENOMEM;                                                   \
		}                                                                                 \
		ret_;                                                                             \
	})

/* Append a copy of the element. Evaluates to 0, or -ENOMEM with the vector unchanged. */
#define tally_vec_push(v, ...)                                    \
	({                                                        \
		int pushed_ = tally_vec_reserve(v, (v)->len + 1); \
		if (!pushed_)                                     \
			(v)->data[(v)->len++] = (__VA_ARGS__);    \
		pushed_;                                          \
	})

/* Iterate with a pointer to each element. */
#define tally_vec_for_each(pos, v) \
	for (__typeof__(*(v)->data) *pos = (v)->data; pos && pos < (v)->data + (v)->len; pos++)

#define tally_vec_free(v)                \
	do {                             \
		free((v)->data);         \
		(v)->data = NULL;        \
		(v)->len = (v)->cap = 0; \
	} while (0)

/* Grow an allocation to at least `need` elements of `size` bytes by doubling it. Return the new
 * block and update `*cap`. If out of memory, return NULL and change nothing. */
void *tally_vec_grow(void *data, size_t *cap, size_t size, size_t need);

#endif
