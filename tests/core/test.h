/* SPDX-License-Identifier: BSD-2-Clause */
/* Include cmocka and the headers that it requires. */
#ifndef TALLY_TESTS_CORE_TEST_H
#define TALLY_TESTS_CORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
