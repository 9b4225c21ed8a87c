#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench_workload.sh SECONDS DEEP DIR: for SECONDS, run a typical mix of programs in DIR: compilers, scripts,
# compressors, sorting, searching, version control, and DEEP, a program with deep call stacks.
set -u
end=$(($(date +%s) + $1))
deep=$2
source=$(cd "$(dirname "$0")" && pwd)
cd "$3" || exit 1

cat >big.cc <<EOF
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main() { std::map<std::string, int> m; std::regex r("a+b"); for (std::string s; std::cin >> s;) m[s] += std::regex_match(s, r); for (auto &p : m) std::cout << p.first << p.second; }
EOF
seq 1 400000 | awk '{ print ($1 * 7919) % 1000003, "line", $1 }' >lines.txt 2>/dev/null ||
	seq 1 400000 >lines.txt

loop() {
	while [ "$(date +%s)" -lt "$end" ]; do
		"$@" >/dev/null 2>&1 </dev/null
	done
}

several() {
	xz -1 -c lines.txt
	gzip -c lines.txt | gzip -dc
	sort lines.txt
	find /usr/lib /usr/share -name '*.so*' -size +10k
	git -C "$source" log --stat
	grep -c 9.*7 lines.txt
	tar -cf - /usr/include
}

loop "$deep" 1 &
loop g++ -O2 -c big.cc -o big.o &
loop python3 "$source/busy.py" &
loop several &
wait
