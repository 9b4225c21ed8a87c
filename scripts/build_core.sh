#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_core.sh ARCH DIR [OPTION...]: build the core alone, freestanding, as DIR/libtally-core-ARCH.a, and print its
# size. Fails if the core needs symbols of libc, of the compiler's run-time library or for floating point.
# ARCH is a name from the table below; with --flags it can be any name.
#   --prefix PREFIX   use tools with this prefix, such as arm-none-eabi-
#   --cc COMPILER     use this compiler instead of PREFIXgcc
#   --flags FLAGS     use these compiler flags for the processor and ABI, instead of those in the table
#   --add FLAGS       add compiler flags, such as -Os, -DTALLY_CORE_DEBUG, -DTALLY_CORE_ATOMIC64=...
#   --needs SYMBOLS   allow these undefined symbols, which the host's header makes the core need
# build_core.sh --classic ...: include the ABI of the design document (tally/classic.h).
# build_core.sh --sources: print the list of sources for other build systems. They also need -I include -I src.
# build_core.sh --wrappers DIR: write one file for each source, which includes it, to DIR. The names of these files do
# not collide with other objects of a kernel.
set -eu
. "$(dirname "$0")/lib.sh"

arm='-mfloat-abi=soft -mthumb'
host_irq='-DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_IRQ -DTALLY_CORE_IRQ_HEADER="ports/riscv/riscv_irq.h"'

# choose ARCH: set tool and flags from the table.
choose() {
	case $1 in
	x86_64) tool='' flags='-m64 -mgeneral-regs-only -mno-red-zone' ;;
	i686) tool='' flags='-m32 -march=i686 -mgeneral-regs-only' ;;
	aarch64) tool=aarch64-linux-gnu- flags='-mgeneral-regs-only -mno-outline-atomics' ;;
	riscv64) tool=riscv64-linux-gnu- flags='-march=rv64imac -mabi=lp64 -mcmodel=medany' ;;
	riscv32) tool=riscv64-linux-gnu- flags="-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany $host_irq" ;;
	armv7a) tool=arm-linux-gnueabi- flags="$arm -march=armv7-a" ;;
	cortex-m3 | cortex-m4) tool=arm-linux-gnueabi- flags="$arm -mcpu=$1" ;;
	*)
		echo "build_core.sh: unknown architecture '$1' (x86_64, i686, aarch64, riscv64, riscv32, armv7a, cortex-m3, cortex-m4); for others use --flags" >&2
		exit 2
		;;
	esac
	[ "$(uname -m)" != "$1" ] || tool=
}

# object_name SOURCE: print the name of the source's object without its suffix. The prefix distinguishes the object from
# a kernel's objects.
object_name() {
	echo "tally_$(echo "${1%.c}" | tr / _)"
}

write_wrappers() {
	mkdir -p "$1"
	for source in $sources; do
		printf '/* SPDX-License-Identifier: BSD-2-Clause */\n#include "%s"\n' "$source" >"$1/$(object_name "$source").c"
	done
}

sources=$(cat "$root/src/core/sources.txt")
if [ "${1-}" = --classic ]; then
	sources="$sources
$(cat "$root/src/core/sources-classic.txt")"
	shift
fi
case ${1-} in
--sources)
	echo "$sources" | sed 's|^|src/|'
	exit
	;;
--wrappers)
	write_wrappers "$2"
	exit
	;;
esac

arch=$1
dir=$2
shift 2
compiler='' prefix='' own_flags='' add='' needs=''
while [ $# -gt 1 ]; do
	case $1 in
	--prefix) prefix=$2 ;;
	--cc) compiler=$2 ;;
	--flags) own_flags=$2 ;;
	--add) add=$2 ;;
	--needs) needs=$2 ;;
	*) break ;;
	esac
	shift 2
done
[ $# = 0 ] || {
	echo "build_core.sh: '$1' is not an option, or requires an argument" >&2
	exit 2
}
if [ -n "$own_flags" ]; then
	tool='' flags=$own_flags
else
	choose "$arch"
fi
tool=${prefix:-$tool}
cc=${compiler:-${tool}gcc}
command -v "$cc" >/dev/null || {
	echo "$cc is not installed" >&2
	exit 77
}

work="$dir/core-$arch"
rm -rf "$work"
mkdir -p "$work"
for source in $sources; do
	# shellcheck disable=SC2086
	$cc -std=c11 -O2 -ffreestanding -nostdlib -nostdinc -isystem "$($cc -print-file-name=include)" \
		-fno-tree-loop-distribute-patterns -fno-stack-protector -fno-pic -fno-pie -fno-asynchronous-unwind-tables \
		-Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
		-I"$root/include" -I"$root/src" -I"$root" $flags $add -c "$root/src/$source" -o "$work/$(object_name "$source").o"
done
rm -f "$dir/libtally-core-$arch.a"
"${tool}ar" rcsD "$dir/libtally-core-$arch.a" "$work"/*.o
# shellcheck disable=SC2086
$cc $flags -nostdlib -r -o "$work/whole" "$work"/*.o
missing=$("${tool}nm" -u "$work/whole")
for symbol in $missing; do
	case " U $needs " in
	*" $symbol "*) ;;
	*)
		echo "the core for $arch has undefined symbols:" $missing >&2
		exit 1
		;;
	esac
done
"${tool}size" "$work/whole" | awk -v arch="$arch" \
	'NR == 2 {printf "%s: text %d, data %d, bss %d, no undefined symbols\n", arch, $1, $2, $3}'
