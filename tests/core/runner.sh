# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Sourced by the run.sh of words, threads and switches: find out whether this machine runs what a compiler builds.

# can_run FLAGS [threads]: build probe.c with FLAGS in $dir and run it. Set `runner` to the command that such programs
# are run by, empty where they run as they are. Return 1, with the reason in `why`, if they do not run.
#
# A compiler for 32-bit programs does not mean a kernel that runs them; qemu-i386, where it is installed, does. TSan
# does not start where the kernel places mappings too randomly, until setarch turns that off.
can_run() {
	mkdir -p "$dir"
	# shellcheck disable=SC2086
	if ! ${CC:-gcc} $1 -pthread -o "$dir/probe" "$root/tests/core/probe.c" >"$dir/probe.log" 2>&1; then
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

# runs_by RUNNER [threads]: add to `why` what the probe says otherwise.
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

# run_program PROGRAM ARG...: run it by `runner`. LeakSanitizer stops all threads by ptrace, which qemu-i386 does not know.
run_program() {
	case $runner in
	qemu-*) ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" $runner "$@" ;;
	*) $runner "$@" ;;
	esac
}
