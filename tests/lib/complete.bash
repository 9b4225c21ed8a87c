# SPDX-License-Identifier: BSD-2-Clause
# complete.bash FILE tally WORD...: print bash's completions of the last word, after it read FILE.
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
complete -p tally >/dev/null || exit 1
_tally
printf '%s\n' "${COMPREPLY[@]}"
