#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_engines.sh: fetch DuckDB and ClickHouse (chDB, which runs in the process) for node from the npm registry, for
# tests/fleet and bench/fleet.py. Prints the directory. The packages are fetched once, about 150 MB (620 MB unpacked);
# remove the directory to fetch them again. Needs no privileges and does not change the system. This script runs no code
# from the packages.
set -eu

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests/engines
if [ ! -d "$dir/node_modules" ]; then
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	echo '{"private": true}' >"$dir.new/package.json"
	npm install --prefix "$dir.new" --ignore-scripts --no-audit --no-fund --loglevel=error \
		@duckdb/node-api@1.5.6-r.1 chdb@3.4.0 >"$dir.log" 2>&1 || {
		tail -n 5 "$dir.log" >&2
		exit 1
	}
	rm -rf "$dir"
	mv "$dir.new" "$dir"
fi
echo "$dir/node_modules"
