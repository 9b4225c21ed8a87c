/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: user-work WORK NUMBER. Built without sanitizers, because they start slowly and use ptrace
 * at exit, when the program is already being traced. */
#include <stdlib.h>

#include "workload.h"

int main(int argc, char **argv)
{
	return argc == 3 ? work_do(argv[1], atoi(argv[2])) : 2;
}
