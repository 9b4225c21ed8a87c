#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_arm64.sh DIR SYSROOT: build tally, the recorder of the differential suite and the programs of
# tests/hardware/arm64 for arm64, statically linked, in DIR. SYSROOT is the directory that fetch_arm64.sh prints.
exec "$(dirname "$0")/build_cross.sh" arm64 "$1" "$2" tests/differential/differential-record \
	tests/hardware/arm64/self-read tests/hardware/arm64/loop tests/hardware/arm64/regions tests/hardware/arm64/work
