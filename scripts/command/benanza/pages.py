"""The man page of benanza, and its completion, which hands over to that of each program."""

BASH = """\
# Completion of benanza for bash, written by the program itself.
_benanza() {
  local program= skipped=2
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "@commands@ --help --version --libraries" -- "${COMP_WORDS[1]}"))
    return
  fi
  case ${COMP_WORDS[1]} in
    bench) COMPREPLY=($(compgen -W "@bench@" -- "${COMP_WORDS[COMP_CWORD]}")); return ;;
    measure)
      if [[ $COMP_CWORD -eq 2 ]]; then
        COMPREPLY=($(compgen -W "@suites@" -- "${COMP_WORDS[2]}"))
        return
      fi
      program=bench_${COMP_WORDS[2]} skipped=3 ;;
    @tools@) program=benanza-${COMP_WORDS[1]} ;;
    *) program=benanza-analyze skipped=1 ;;
  esac
  local function=_${program//-/_}
  if ! declare -F "$function" >/dev/null; then
    source <("$program" --completion bash 2>/dev/null)
    declare -F "$function" >/dev/null || return
  fi
  COMP_WORDS=("$program" "${COMP_WORDS[@]:$skipped}")
  COMP_CWORD=$((COMP_CWORD - skipped + 1))
  "$function"
}
complete -o default -F _benanza benanza
"""
ZSH = """\
#compdef benanza
# Completion for zsh, by way of bash's.
autoload -U +X bashcompinit && bashcompinit
"""


def completion(shell, commands, tools, bench, suites):
    """`commands`: all first words; `tools`: those of them that name programs; `bench`: its options."""
    text = BASH
    for name, words in (("commands", commands), ("bench", bench), ("suites", suites)):
        text = text.replace(f"@{name}@", " ".join(words))
    text = text.replace("@tools@", " | ".join(tools))
    return ZSH + text + "_bash_complete -o default -F _benanza\n" if shell == "zsh" else text


def man(version, tables, closing):
    """`tables`: {title: {command: one line}}."""
    lines = [f'.TH BENANZA 1 "" "Benanza {version}" "Benanza"', ".nh", ".ad l", '.SH "NAME"',
             r"benanza \- one command for all programs of Benanza", '.SH "SYNOPSIS"',
             r"\fBbenanza\fR [\fB\-\-libraries\fR=\fItorch|system|DIR\fR] \fICOMMAND\fR ..."]
    for title, rows in tables.items():
        lines.append(f'.SH "{title.upper()}"')
        for command, text in rows.items():
            lines += [".TP", rf"\fB{escaped(command)}\fR", escaped(text)]
    return "\n".join([*lines, '.SH "NOTES"', *map(escaped, closing)]) + "\n"


def escaped(text):
    """No line begins with a quote or a dot, which begin groff's own."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + text if text.startswith((".", "'")) else text
