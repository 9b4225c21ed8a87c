#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_cortexm.sh DIR: build the kernel for a Cortex-M3, with the core and its test threads, as
# DIR/tally-cortexm.elf.
set -eu
. "$(dirname "$0")/lib.sh"

dir=$1
mkdir -p "$dir"
# With TALLY_CORE_DEBUG, accessing an event in a state that does not allow it ends the test.
sh "$root/scripts/build_core.sh" cortex-m3 "$dir" --add -DTALLY_CORE_DEBUG >/dev/null
tool=arm-linux-gnueabi-
work="$dir/cortexm"
rm -rf "$work"
mkdir -p "$work"
for source in "$root"/ports/cortexm/*.[cS] "$root"/tests/hardware/cortexm/*.c; do
	name=$(basename "$source")
	"${tool}gcc" -std=gnu11 -O2 -g -mcpu=cortex-m3 -mthumb -mfloat-abi=soft -ffreestanding -nostdlib -nostdinc \
		-isystem "$("${tool}gcc" -print-file-name=include)" -fno-pic -fno-pie -fno-stack-protector \
		-fno-tree-loop-distribute-patterns -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-exceptions \
		-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-I"$root/include" -I"$root/src" -I"$root" -I"$root/tests/hardware" \
		-c "$source" -o "$work/$(basename "$(dirname "$source")")-${name%.*}.o"
done
"${tool}gcc" -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T "$root/ports/cortexm/link.ld" \
	-o "$dir/tally-cortexm.elf" "$work"/*.o "$dir/libtally-core-cortex-m3.a"
