#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_viewers.sh: fetch speedscope and the command line tool of the Firefox Profiler from the npm registry, for
# tests/cli/report/export_viewers.py, which opens exported profiles with them. Prints the directory. The packages are
# fetched once; remove the directory to fetch them again. Needs no privileges and does not change the system. This script
# runs no code from the packages.
set -eu

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests/viewers
if [ ! -d "$dir/node_modules" ]; then
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	echo '{"private": true}' >"$dir.new/package.json"
	npm install --prefix "$dir.new" --ignore-scripts --no-audit --no-fund --loglevel=error \
		speedscope@1.25.0 @firefox-devtools/profiler-cli@0.10.0 >"$dir.log" 2>&1 || {
		tail -n 5 "$dir.log" >&2
		exit 1
	}
	rm -rf "$dir"
	mv "$dir.new" "$dir"
fi
echo "$dir/node_modules"
