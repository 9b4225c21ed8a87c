#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# localize.sh OBJECTS.a LIBRARY.map LIBRARY.a LD OBJCOPY AR: create an archive of one object that exports only the symbols in
# the version script. Each function keeps its own section, so --gc-sections still removes functions that are not called.
set -eu
objects=$1 map=$2 to=$3 ld=$4 objcopy=$5 ar=$6

mkdir -p "$to.p"
sed -n 's/^\t\(tally_[a-z0-9_]*\);$/\1/p' "$map" >"$to.p/names"
"$ld" -r --whole-archive "$objects" -o "$to.p/tally.o"
"$objcopy" --keep-global-symbols="$to.p/names" "$to.p/tally.o"
rm -f "$to"
"$ar" rcsD "$to" "$to.p/tally.o"
