#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install missing packages, build tally, profile a workload, and show where its time went.
set -eu
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086
install_missing $demo_packages
"$root/scripts/build.sh"
tally=$root/build/tally
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" # the demo leaves nothing in the user's cache

g++ -std=c++17 -O2 -pthread -o "$work/words" "$root/demo/words.cpp"
echo
echo "== tally stat: cost of the workload"
"$tally" stat "$root/demo/workload.sh" "$work"
echo
echo "== tally record: sample the workload, with complete callchains for programs without frame pointers"
"$tally" record --call-graph auto -o "$work/demo.data" "$root/demo/workload.sh" "$work"
echo
echo "== tally report: time by program and file"
"$tally" report --stdio -q -i "$work/demo.data" -g none --no-children -s comm,dso --percent-limit 2
echo "== tally report: time by function, with callers"
"$tally" report --stdio -i "$work/demo.data" --no-children -g graph,5 --percent-limit 1
echo
echo "== tally report --html: the same as a page for web browsers"
"$tally" report -i "$work/demo.data" --html "$root/build/demo.html" 2>"$work/page.log" || {
	cat "$work/page.log" >&2
	exit 1
}
echo "$root/build/demo.html"
