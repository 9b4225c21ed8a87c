#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes what completes tally's command lines in bash, zsh and fish, from the program's own tables of options.

usage: completion.py TALLY DIRECTORY
"""
import os
import re
import sys

import help_tables

# What a kind of value is completed by, by the word in the option's row.
KINDS = {"file": "@file", "path": "@file", "dir": "@dir", "pids": "@pid", "tids": "@pid", "event": "@event", "events": "@event"}

BASH = r"""# SPDX-License-Identifier: BSD-2-Clause
# Made by scripts/completion.py from the tables of options.

# _tally_options COMMAND: its options.
_tally_options() {
	case $1 in
@OPTIONS@
	esac
}

# _tally_value COMMAND OPTION: the words that it takes, or @ and their kind; behind "=" only where "=" comes first.
_tally_value() {
	case $1:$2 in
@VALUES@
	esac
}

# _tally_last WORDS...: completes the last part of a list.
_tally_last() {
	local before=
	case $cur in *[,{]*) before=${cur%"${cur##*[,\{]}"} ;; esac
	COMPREPLY=($(compgen -P "$before" -W "$*" -- "${cur#"$before"}"))
}

# _tally_complete_value KIND
_tally_complete_value() {
	case $1 in
	@file) COMPREPLY=($(compgen -f -- "$cur")) ;;
	@dir) COMPREPLY=($(compgen -d -- "$cur")) ;;
	@pid) _tally_last "$(cd /proc && echo [0-9]*)" ;;
	@event) _tally_last "$("${COMP_WORDS[0]}" list --no-desc 2>/dev/null | sed -n 's/^  \([a-zA-Z][^ ]*\).*/\1/p')" ;;
	*) COMPREPLY=($(compgen -W "$1" -- "$cur")) ;;
	esac
}

_tally() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= assigned= value i IFS=$' \t\n'
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) [ -z "$command" ] || return 0 ;;
		-*) ;;
		*)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	case $command:$prev:$cur in
	help:help:-*) ;;
	help:help:*)
		COMPREPLY=($(compgen -W "@COMMANDS@" -- "$cur"))
		return 0
		;;
	:*)
		COMPREPLY=($(compgen -W "@COMMANDS@ --version --help --no-pager" -- "$cur"))
		return 0
		;;
	esac
	# Bash takes "=" for a word of its own.
	if [ "$cur" = = ]; then
		cur= assigned='='
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]} assigned='='
	fi
	value=$(_tally_value "$command" "$prev")
	case $value in
	'='*) [ -z "$assigned" ] && value= || value=${value#=} ;;
	esac
	if [ -n "$value" ]; then
		_tally_complete_value "$value"
	else
		case $cur in -*) COMPREPLY=($(compgen -W "$(_tally_options "$command")" -- "$cur")) ;; esac
	fi
}
complete -o default -F _tally tally
"""


def value_of(option):
    """What completes the option's value; "" for nothing that is known."""
    words = " ".join(option.choices()) or KINDS.get(option.value, "")
    return ("=" if option.optional and words else "") + words


def bash(commands):
    options = "\n".join(f"\t{command.name}) echo '{' '.join(name for option in command.options() for name in option.names)}' ;;"
                        for command in commands)
    rows = [(command.name, option) for command in commands for option in command.options() if value_of(option)]
    values = "\n".join("\t" + " | ".join(f"{name}:{word}" for word in option.names) + f") echo '{value_of(option)}' ;;"
                       for name, option in rows)
    text = BASH.replace("@OPTIONS@", options).replace("@VALUES@", values)
    return text.replace("@COMMANDS@", " ".join(command.name for command in commands))


def zsh_action(option):
    words, kind = option.choices(), KINDS.get(option.value)
    action = {"@file": "_files", "@dir": "_files -/", "@pid": "_pids"}.get(kind, "")
    what = re.sub(r"[^a-z0-9 ]", " ", option.value) or "value"
    return f"{':' if option.optional else ''}:{what}:" + (f"({' '.join(words)})" if words else action)


def zsh_rows(option):
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.text).replace("'", "'\\''")
    for name in option.names:
        before = f"({' '.join(option.names)})" if len(option.names) > 1 else "*"
        mark = "" if not option.value else "=-" if option.optional and name.startswith("--") else \
            "=" if name.startswith("--") else "-" if option.optional else "+"
        yield f"'{before}{name}{mark}[{text}]{zsh_action(option) if option.value else ''}'"


def zsh(commands):
    summaries = "\n".join("\t\t'" + f"{command.name}:{command.summary}'".replace("'s ", "'\\''s ") for command in commands)
    cases = "\n".join(f"\t{command.name})\n\t\t_arguments -s -S " + " \\\n\t\t\t".join(
        row for option in command.options() for row in zsh_rows(option)) + " \\\n\t\t\t'*:file:_files'\n\t\t;;" for command in commands)
    return (f"#compdef tally\n# SPDX-License-Identifier: BSD-2-Clause\n# Made by scripts/completion.py from the tables of options.\n"
            f"_tally() {{\n\tlocal -a names\n\tnames=(\n{summaries}\n\t)\n\tif ((CURRENT == 2)); then\n"
            f"\t\t_describe -t commands 'tally command' names\n\t\treturn\n\tfi\n\tshift words\n\t((CURRENT--))\n"
            f"\tcase $words[1] in\n{cases}\n\thelp) _describe -t commands 'tally command' names ;;\n\t*) _files ;;\n\tesac\n}}\n_tally \"$@\"\n")


def fish_row(command, option):
    text = option.text.replace("\\", "\\\\").replace("'", "\\'")
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    takes = ""
    if option.value and not option.optional:
        kind = KINDS.get(option.value)
        takes = f" -x -a '{' '.join(option.choices())}'" if option.choices() else \
            " -x -a '(__fish_complete_pids)'" if kind == "@pid" else " -r"
    return f"complete -c tally -n '__fish_seen_subcommand_from {command.name}' {names}{takes} -d '{text}'"


def fish(commands):
    names = " ".join(command.name for command in commands)
    rows = ["# SPDX-License-Identifier: BSD-2-Clause", "# Made by scripts/completion.py from the tables of options."]
    for command in commands:
        text = command.summary.replace("'", "\\'")
        rows.append(f"complete -c tally -f -n 'not __fish_seen_subcommand_from {names}' -a {command.name} -d '{text}'")
    rows += [fish_row(command, option) for command in commands for option in command.options()]
    return "\n".join(rows) + "\n"


def main():
    tally, directory = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    commands = help_tables.commands(tally)
    for name, make in (("tally", bash), ("_tally", zsh), ("tally.fish", fish)):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(make(commands))


if __name__ == "__main__":
    main()
