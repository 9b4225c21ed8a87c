#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_riscv.sh DIR [BITS]: build the bare-metal kernel for RISC-V, with the core and its test tasks, as
# DIR/tally-riscv.elf. BITS is 64 (the default) or 32. With 32, a 64-bit word is two halves and a sequence number,
# because there are two harts.
set -eu
. "$(dirname "$0")/lib.sh"

dir=$1
mkdir -p "$dir"
bits=${2:-64}
tool=riscv64-linux-gnu-
if [ "$bits" = 64 ]; then
	flags='-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany' words=''
	sh "$root/scripts/build_core.sh" riscv64 "$dir" >/dev/null
else
	flags='-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany'
	words='-DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_SEQUENCE -DTALLY_CORE_IRQ_HEADER="ports/riscv/riscv_irq.h"'
	sh "$root/scripts/build_core.sh" riscv32 "$dir" --prefix "$tool" --flags "$flags $words" --needs host_sequences >/dev/null
fi
work="$dir/riscv"
rm -rf "$work"
mkdir -p "$work"

# compile SOURCE OBJECT FLAG...: compile one source. User programs pass flags that keep frame pointers for callchains.
compile() {
	source=$1
	object=$2
	shift 2
	# shellcheck disable=SC2086
	"${tool}gcc" -std=gnu11 -O2 -g $flags $words -ffreestanding -nostdlib -nostdinc \
		-isystem "$("${tool}gcc" -print-file-name=include)" -fno-pic -fno-pie -fno-stack-protector -msmall-data-limit=0 \
		-fno-tree-loop-distribute-patterns -fno-asynchronous-unwind-tables \
		-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-I"$root/include" -I"$root/src" -I"$root" -I"$root/tests/hardware" "$@" -c "$source" -o "$work/$object"
}
for source in "$root"/ports/riscv/*.[cS]; do
	name=$(basename "$source")
	compile "$source" "${name%.*}.o"
done
for source in "$root"/tests/hardware/riscv/*.c "$root/src/client/client_self_read.c"; do
	compile "$source" "task_$(basename "$source" .c).o" -fno-omit-frame-pointer -fno-optimize-sibling-calls
done
# Tasks and the kernel share no symbols except for user_main, so neither can call the other's functions.
"${tool}ld" -r -m "elf${bits}lriscv" -o "$work/whole" "$work"/task_*.o
rm "$work"/task_*.o
"${tool}objcopy" --keep-global-symbol=user_main "$work/whole" "$work/tasks.o"
# shellcheck disable=SC2086
"${tool}gcc" $flags -nostdlib -static -no-pie -Wl,--build-id=none -Wl,--no-warn-rwx-segments -T "$root/ports/riscv/link.ld" \
	-o "$dir/tally-riscv.elf" "$work"/*.o "$dir/libtally-core-riscv$bits.a"
