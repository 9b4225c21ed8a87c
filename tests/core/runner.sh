# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Sourced by the run.sh of words, threads and switches: check whether this machine runs programs built with some flags.

# can_run FLAGS [threads]: build probe_linux.c with FLAGS in $dir and run it. Set `runner` to the command that runs such
# programs, or to nothing if they run directly. If they do not run, return 1 with the reason in `why`.
#
# A machine with a compiler for 32-bit programs may have a kernel that cannot run them, but qemu-i386 can. TSan does not
# start if the kernel randomizes mappings too much, unless setarch disables randomization.
can_run() {
	mkdir -p "$dir"
	# shellcheck disable=SC2086
	if ! ${CC:-gcc} $1 -pthread -o "$dir/probe" "$root/tests/core/probe_linux.c" >"$dir/probe.log" 2>&1; then
		why="${CC:-gcc} cannot build with ${1%% *}: $(head -n 1 "$dir/probe.log")"
		return 1
	fi
	why="programs built with ${1%% *} do not run here"
	case $1 in
	*-m32*) runs_by "" "${2-}" || runs_by qemu-i386 "${2-}" ;;
	*-fsanitize=thread*) runs_by "setarch -R" "${2-}" || runs_by "" "${2-}" ;;
	*) runs_by "" "${2-}" ;;
	esac
}

# runs_by RUNNER [threads]: run the probe; on failure, append the reason to `why`.
runs_by() {
	runner=$1
	if [ "$runner" ] && ! command -v "${runner%% *}" >/dev/null; then
		why="$why; there is no ${runner%% *} (Debian: qemu-user, util-linux)"
		return 1
	fi
	run_program "$dir/probe" ${2:+"$2"} >"$dir/probe.log" 2>&1 && return
	why="$why; ${runner:-directly}: $(sed '1s|.*/probe: ||; q' "$dir/probe.log")"
	return 1
}

# run_program PROGRAM ARG...: run a program with `runner`. Leak detection is disabled in qemu-i386, which does not
# support ptrace.
run_program() {
	case $runner in
	qemu-*) ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" $runner "$@" ;;
	*) $runner "$@" ;;
	esac
}
