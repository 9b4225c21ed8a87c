#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every public header alone, as C11 and as C++17, with nothing but the compiler's own headers.
set -eu
root=$1
for header in "$root"/include/tally/*.h; do
	for language in "c c11 cc" "c++ c++17 c++"; do
		# shellcheck disable=SC2086
		set -- $language
		"$3" -x "$1" -std="$2" -pedantic-errors -Wall -Wextra -Werror -ffreestanding \
			-Wno-pedantic -I "$root/include" -fsyntax-only "$header"
	done
done
echo "$(ls "$root"/include/tally/*.h | wc -l) headers stand alone as C11 and C++17"
