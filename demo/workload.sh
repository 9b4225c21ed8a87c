#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A typical workload: several processes and threads, C++, compression, and sorting, on files of the
# system.
set -eu
work=$1

find /usr/bin /usr/lib -maxdepth 2 -type f -size +64k 2>/dev/null | sort | head -n 60 >"$work/list"
xargs cat <"$work/list" 2>/dev/null | head -c 24000000 >"$work/blob"
gzip -6 -c "$work/blob" >"$work/blob.gz" &
xz -0 -T 1 -c "$work/blob" >"$work/blob.xz" &
find / -xdev 2>/dev/null | head -n 200000 >"$work/paths"
sort "$work/paths" | uniq -c | sort -rn >"$work/sorted"
"$work/words" "$work/paths" 4
wait
