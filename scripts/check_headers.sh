#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check_headers.sh ROOT: check that each public header compiles alone, as C11 and as C++17, with only the compiler's
# headers. linux/perf_event.h after tally/abi.h must have no effect; before it, it must cause one clear error.
set -eu
root=$1
for header in "$root"/include/tally/*.h; do
	for language in "c c11 cc" "c++ c++17 c++"; do
		# shellcheck disable=SC2086
		set -- $language
		"$3" -x "$1" -std="$2" -pedantic-errors -Wall -Wextra -Werror -ffreestanding \
			-I "$root/include" -fsyntax-only - <<END
#include "tally/${header##*/}"
extern int not_empty;
END
	done
done
printf '#include "tally/abi.h"\n#include <linux/perf_event.h>\nstruct perf_event_attr attr;\n' |
	cc -x c -std=c11 -pedantic-errors -Wall -Werror -I "$root/include" -fsyntax-only -
if message=$(printf '#include <linux/perf_event.h>\n#include "tally/abi.h"\n' |
	cc -x c -std=c11 -I "$root/include" -fsyntax-only - 2>&1); then
	echo "tally/abi.h compiles after linux/perf_event.h; it must report an error" >&2
	exit 1
fi
case $message in
*'include tally/abi.h instead of linux/perf_event.h, or include it first'*) ;;
*)
	echo "tally/abi.h after linux/perf_event.h: expected the error 'include tally/abi.h instead', got: $message" >&2
	exit 1
	;;
esac
echo "$(ls "$root"/include/tally/*.h | wc -l) headers compile alone as C11 and C++17"
