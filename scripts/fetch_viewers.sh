#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_viewers.sh: speedscope and the command line of the Firefox Profiler, which tests/cli/report/export_viewers.py opens
# exported profiles with, from npm's registry, under the directory that it prints. They are fetched once; remove the
# directory to have them anew. Needs no rights, and changes nothing on the system; nothing of what is fetched runs here.
set -eu

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tally/viewers
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
