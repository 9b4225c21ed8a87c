/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls into a shared library through its stubs, bound early or at the first call. The library is
 * loaded repeatedly, so the dynamic linker keeps searching it for functions. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int called_1(int n);
int called_2(int n);

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 500, sum = 0;

	for (int i = 0; i < rounds; i++) {
		void *handle = argc > 2 ? dlopen(argv[2], RTLD_LAZY) : NULL;
		int (*all)(int) = handle ? (int (*)(int))dlsym(handle, "calls_all") : NULL;

		if (all)
			sum += all(i);
		if (handle)
			dlclose(handle);
		for (int j = 0; j < 20000; j++)
			sum += called_1(j) + called_2(sum);
	}
	printf("%d\n", sum);
	return 0;
}
