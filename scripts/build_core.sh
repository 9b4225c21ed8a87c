#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_core.sh ARCH DIR: the core alone, freestanding, as DIR/libtally-core-ARCH.a. Fails when it
# needs anything but itself: no libc, no compiler run-time, no floating point. Prints its size.
set -eu
. "$(dirname "$0")/lib.sh"

arch=$1
dir=$2
case $arch in
x86_64) tool='' flags='-mgeneral-regs-only -mno-red-zone' ;;
aarch64) tool=aarch64-linux-gnu- flags='-mgeneral-regs-only -mno-outline-atomics' ;;
riscv64) tool=riscv64-linux-gnu- flags='-march=rv64imac -mabi=lp64 -mcmodel=medany' ;;
*)
	echo "build_core.sh: '$arch' is none of x86_64, aarch64, riscv64" >&2
	exit 2
	;;
esac
[ "$(uname -m)" != "$arch" ] || tool=
# What of abi/ the core is made of; the rest reads recordings.
abi="attr_size read sample_encode sample_fields"

work="$dir/core-$arch"
rm -rf "$work"
mkdir -p "$work"
for source in "$root"/src/core/*.c $(for name in $abi; do echo "$root/src/abi/$name.c"; done); do
	# shellcheck disable=SC2086
	"${tool}gcc" -std=c11 -O2 -ffreestanding -nostdlib -nostdinc \
		-isystem "$("${tool}gcc" -print-file-name=include)" $flags \
		-fno-tree-loop-distribute-patterns -fno-stack-protector -fno-pic -fno-pie -fno-asynchronous-unwind-tables \
		-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-I"$root/include" -I"$root/src" -c "$source" -o "$work/$(basename "$(dirname "$source")")-$(basename "$source" .c).o"
done
rm -f "$dir/libtally-core-$arch.a"
"${tool}ar" rcsD "$dir/libtally-core-$arch.a" "$work"/*.o
"${tool}ld" -r -o "$work/whole" "$work"/*.o
missing=$("${tool}nm" -u "$work/whole")
if [ -n "$missing" ]; then
	echo "the core for $arch needs symbols that are not its own:" $missing >&2
	exit 1
fi
"${tool}size" "$work/whole" | awk -v arch="$arch" \
	'NR == 2 {printf "%s: text %d, data %d, bss %d, nothing undefined\n", arch, $1, $2, $3}'
