#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# scripts.sh SECONDS: run two shell scripts for SECONDS, which process header files with small standard
# tools. This creates thousands of short processes, like configure scripts and build systems do.
set -u
end=$(($(date +%s) + $1))

look() {
	name=$(basename "$1" .h)
	grep -c define "$1" | sed 's/^/macros: /'
	case $name in
	a*) expr "$(wc -c <"$1")" + 1 ;;
	*) echo "$name" | tr a-z A-Z ;;
	esac
	test "$(wc -l <"$1")" -gt 10 && head -n 3 "$1" | cut -c 1-20
}

look_through() {
	while [ "$(date +%s)" -lt "$end" ]; do
		for header; do
			look "$header"
		done
	done >/dev/null 2>&1
}

look_through /usr/include/[a-m]*.h &
look_through /usr/include/[n-z]*.h &
wait
