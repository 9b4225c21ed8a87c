#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_riscv.sh DIR: the bare-metal machine with the core and its test tasks, as DIR/tally-riscv.elf.
set -eu
. "$(dirname "$0")/lib.sh"

dir=$1
mkdir -p "$dir"
sh "$root/scripts/build_core.sh" riscv64 "$dir" >/dev/null
tool=riscv64-linux-gnu-
work="$dir/riscv"
rm -rf "$work"
mkdir -p "$work"

# compile SOURCE OBJECT FLAG...: user programs keep frame pointers, for their callchains.
compile() {
	source=$1
	object=$2
	shift 2
	"${tool}gcc" -std=gnu11 -O2 -g -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -ffreestanding -nostdlib -nostdinc \
		-isystem "$("${tool}gcc" -print-file-name=include)" -fno-pic -fno-pie -fno-stack-protector -msmall-data-limit=0 \
		-fno-tree-loop-distribute-patterns -fno-asynchronous-unwind-tables \
		-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-I"$root/include" -I"$root/src" -I"$root/tests/hardware" "$@" -c "$source" -o "$work/$object"
}
for source in "$root"/src/hosts/riscv/*.[cS]; do
	name=$(basename "$source")
	compile "$source" "${name%.*}.o"
done
for source in "$root"/tests/hardware/riscv/*.c "$root/src/client/self_read.c"; do
	compile "$source" "task_$(basename "$source" .c).o" -fno-omit-frame-pointer -fno-optimize-sibling-calls
done
# Tasks and kernel share no names: neither can call what the other has.
"${tool}ld" -r -o "$work/whole" "$work"/task_*.o
rm "$work"/task_*.o
"${tool}objcopy" --keep-global-symbol=user_main "$work/whole" "$work/tasks.o"
"${tool}gcc" -nostdlib -static -no-pie -Wl,--build-id=none -Wl,--no-warn-rwx-segments -T "$root/src/hosts/riscv/link.ld" \
	-o "$dir/tally-riscv.elf" "$work"/*.o "$dir/libtally-core-riscv64.a"
