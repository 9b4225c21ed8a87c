/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: user-work WORK NUMBER. Without sanitizers: these trace at an exit, and it is traced; and
 * their start is slow. */
#include <stdlib.h>

#include "held.h"

int main(int argc, char **argv)
{
	return argc == 3 ? work_do(argv[1], atoi(argv[2])) : 2;
}
