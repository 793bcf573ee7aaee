#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completion of takt's command line in bash, zsh and fish, from the pages of its commands.

    gen_completions.py bash|zsh|fish OUTPUT PAGE.md…

The pages in docs/commands/ are also the source of --help and of the manual (gen_docs.py). An
option's argument says what its values are: words separated by bars are these words, CORE is a
machine model, FILE a file, DIR a directory. Names of models are asked from the command itself, so
that they agree with what is installed.
"""
import pathlib
import re
import sys

import gen_docs

FILES = {"FILE", "RESULTS", "LOG"}
DIRECTORIES = {"DIR"}
CORES = {"CORE", "CORES"}
# What prints the names of the models: those in the first column of the list.
LIST_CORES = "takt model list 2>/dev/null | awk '/^[A-Z][A-Z0-9+-]* / {print $1}'"


def values(argument):
    """Returns ("words", list), ("cores", None), ("files", None), ("directories", None) or None."""
    if "|" in argument and argument[0].islower():
        return "words", argument.split("|")
    first = re.match(r"\w*", argument)[0]
    for kind, names in (("cores", CORES), ("files", FILES), ("directories", DIRECTORIES)):
        if first in names:
            return kind, None
    return None


def subcommands(page):
    """The words that the synopsis demands first, as `list` and `show` of takt model."""
    words = []
    for line in page.section("Synopsis").text.splitlines():
        found = re.match(rf"    takt {page.name} ([a-z|]+)( |$)", line)
        words += found[1].split("|") if found else []
    return list(dict.fromkeys(words))


def one_line(text):
    return gen_docs.first_sentence(text).rstrip(".")


# ---- bash ----------------------------------------------------------------

BASH_HEAD = """\
# Completion of takt in bash, generated from the pages of its commands.
_takt() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
	local command=${COMP_WORDS[1]} options= subcommands= index
	# Readline splits words at the equals sign.
	if [[ $current == = ]]; then
		current=
	elif [[ $previous == = && COMP_CWORD -gt 2 ]]; then
		previous=${COMP_WORDS[COMP_CWORD-2]}
	fi
	# Behind the separator, the words are another program's.
	for ((index = 1; index < COMP_CWORD; index++)); do
		if [[ ${COMP_WORDS[index]} == -- ]]; then
			COMPREPLY=($(compgen -f -- "$current"))
			return
		fi
	done
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$_takt_commands --help --version" -- "$current"))
		return
	fi
	case "$command $previous" in
"""

BASH_TAIL = """\
	esac
	if [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$current"))
		# An option with a value is not finished yet.
		[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ -n $subcommands && COMP_CWORD -eq 2 ]]; then
		COMPREPLY=($(compgen -W "$subcommands" -- "$current"))
	elif [[ $command == model ]]; then
		COMPREPLY=($(compgen -W "$(_takt_cores)" -- "$current"))
	else
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}
complete -o filenames -F _takt takt
"""


def bash_values(kind, words):
    if kind == "words":
        generate = f'-W "{" ".join(words)}"'
    else:
        generate = {"cores": '-W "$(_takt_cores)"', "files": "-f", "directories": "-d"}[kind]
    return f'COMPREPLY=($(compgen {generate} -- "$current")); return ;;'


def bash_option_values(page):
    lines = []
    for option in page.options():
        found = values(option.argument) if option.argument else None
        if not found:
            continue
        names = [f"--{name}" for name in option.names]
        names += [f"-{option.letter}"] if option.letter else []
        patterns = "|".join(f'"{page.name} {name}"' for name in names)
        lines.append(f"\t{patterns})\n\t\t{bash_values(*found)}")
    return lines


def bash(pages):
    commands = [page for page in pages if page.name != "takt"]
    out = [f'_takt_commands="{" ".join(page.name for page in commands)} help"',
           f"_takt_cores() {{\n\t{LIST_CORES}\n}}"]
    text = "\n".join(out) + "\n" + BASH_HEAD
    text += "\n".join(line for page in commands for line in bash_option_values(page)) + "\n"
    text += "\tesac\n\tcase \"$command\" in\n"
    for page in commands:
        options = [f"--{name}" + ("=" if option.argument and not option.optional else "")
                   for option in page.options() for name in option.names]
        text += f'\t{page.name}) options="{" ".join(options)}"; subcommands="{" ".join(subcommands(page))}" ;;\n'
    text += '\thelp) COMPREPLY=($(compgen -W "$_takt_commands" -- "$current")); return ;;\n'
    return text + BASH_TAIL


# ---- zsh -----------------------------------------------------------------


def zsh_quote(text):
    """Text inside a specification of _arguments, in single quotes."""
    text = text.replace("\\", "\\\\").replace(":", "\\:").replace("[", "\\[").replace("]", "\\]")
    return text.replace("'", "'\\''")


def zsh_action(argument):
    found = values(argument)
    if not found:
        return " "
    kind, words = found
    if kind == "words":
        return f"({' '.join(words)})"
    return {"cores": "_takt_cores", "files": "_files", "directories": "_files -/"}[kind]


def zsh_option(option, page):
    specifications = []
    names = [(f"--{name}", "=") for name in option.names]
    names += [(f"-{option.letter}", "+")] if option.letter else []
    for name, joined in names:
        form = name
        if option.argument:
            form += "=-" if option.optional and joined == "=" else joined
        form += f"[{zsh_quote(one_line(option.text))}]"
        if option.argument:
            form += ":" + (":" if option.optional else "")
            form += f"{zsh_quote(option.argument)}:{zsh_action(option.argument)}"
        specifications.append(f"\t\t'*{form}'")
    return specifications


def zsh(pages):
    commands = [page for page in pages if page.name != "takt"]
    out = ["#compdef takt", "# Completion of takt in zsh, generated from the pages of its commands.",
           f"_takt_cores() {{\n\tlocal -a cores\n\tcores=(${{(f)\"$({LIST_CORES})\"}})\n"
           "\t_describe core cores\n}", "_takt() {", "\tlocal -a commands", "\tcommands=("]
    out += [f"\t\t'{page.name}:{zsh_quote(page.summary)}'" for page in commands]
    out += ["\t\t'help:print what a command does'", "\t)",
            "\tif ((CURRENT == 2)); then", "\t\t_describe command commands", "\t\treturn", "\tfi",
            "\tlocal command=$words[2]", "\tshift words", "\t((CURRENT--))", "\tcase $command in"]
    for page in commands:
        words = subcommands(page)
        first = f"'1:what to do:({' '.join(words)})'" if words else "'*:file:_files'"
        rest = ["\t\t'*:core:_takt_cores'" if page.name == "model" else "\t\t'*:file:_files'"] \
            if words else []
        specifications = [line for option in page.options() for line in zsh_option(option, page)]
        specifications += [f"\t\t{first}"] + rest
        out += [f"\t{page.name})", "\t\t_arguments -S \\", " \\\n".join(specifications), "\t\t;;"]
    out += ["\thelp) _describe command commands ;;", "\tesac", "}", '_takt "$@"', ""]
    return "\n".join(out)


# ---- fish ----------------------------------------------------------------


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_action(argument):
    found = values(argument)
    if not found:
        return "-x"
    kind, words = found
    return {"words": f"-x -a '{' '.join(words or [])}'", "cores": "-x -a '(__takt_cores)'",
            "files": "-r -F", "directories": "-x -a '(__fish_complete_directories)'"}[kind]


def fish(pages):
    commands = [page for page in pages if page.name != "takt"]
    out = ["# Completion of takt in fish, generated from the pages of its commands.",
           "function __takt_cores", "\t" + LIST_CORES, "end",
           "complete -c takt -n __fish_use_subcommand -f"]
    for page in commands:
        out.append(f"complete -c takt -n __fish_use_subcommand -a {page.name} "
                   f"-d {fish_quote(page.summary)}")
    out.append("complete -c takt -n __fish_use_subcommand -a help -d 'print what a command does'")
    for page in commands:
        seen = f"-n '__fish_seen_subcommand_from {page.name}'"
        words = subcommands(page)
        if words:
            begun = f"__fish_seen_subcommand_from {page.name}; and "
            out.append(f"complete -c takt -n '{begun}not __fish_seen_subcommand_from "
                       f"{' '.join(words)}' -f -a '{' '.join(words)}'")
            if page.name == "model":
                out.append(f"complete -c takt -n '{begun}__fish_seen_subcommand_from "
                           f"{' '.join(words)}' -f -a '(__takt_cores)'")
        for option in page.options():
            names = " ".join(f"-l {name}" for name in option.names)
            names += f" -s {option.letter}" if option.letter else ""
            action = ""
            if option.argument and not option.optional:
                action = " " + fish_action(option.argument)
            out.append(f"complete -c takt {seen} {names}{action} "
                       f"-d {fish_quote(one_line(option.text))}")
    return "\n".join(out + [""])


def main():
    shell, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    pages = [gen_docs.read_page(path) for path in paths]
    text = {"bash": bash, "zsh": zsh, "fish": fish}[shell](pages)
    pathlib.Path(output).write_text(text, encoding="utf-8")


main()
