"""As much of the shell as job scripts need: words with their quotes, and commands on a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_WORD: Final = re.compile(
    r"""\s*+((?:\$\((?:[^()\n]|\((?:[^()\n]|\([^()\n]{0,200}\)){0,200}\)){0,200}\)|`[^`\n]{0,400}`|[^\s"'\\;&|#]|(?<=\S)#|\\.|"(?:[^"\\]|\\.)*+"|"[^"”]*+”|'[^']*+'|(?!))++|[;&|]++|["']|#.*|\\)"""
)
_CLOSED_QUOTES: Final = re.compile(r""""((?:[^"\\]|\\.)*+)"|'([^']*+)'""")
_JOINED_QUOTES: Final = re.compile(r"""(?:"(?:[^"\\]|\\.)*+"|'[^']*+'|[^\s"'\\`()]|(?!))++""")
OUTPUT_OF: Final = re.compile(r'"?(?:`|\$\((?!\())')
_TYPOGRAPHIC_OPTION: Final = re.compile(r"(?<!\S)[\u2013\u2014](?=(\w\w)|\w)")
MOST_WORDS: Final = 2_000
VARIABLE_NAME: Final = re.compile(r"[A-Za-z_]\w{0,80}")
ASSIGNS: Final = re.compile(f"{VARIABLE_NAME.pattern}=")


def indentation(text: str) -> int:
    """With how many blanks a line begins."""
    return len(text) - len(text.lstrip())


def with_plain_dashes(text: str) -> str:
    """With - and -- for the typographic dashes before options, as a document that sets them has them."""
    return _TYPOGRAPHIC_OPTION.sub(lambda dash: "--" if dash[1] else "-", text)


def commands(text: str) -> Iterator[list[str]]:
    """The commands of a line, each as its words, quotes kept; a comment ends the line."""
    return (words for _, words in joined_commands(text))


def joined_commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a line with the sign before each, `&&`, `||`, `;` …, none before the first. Documents that set
    quotes close a plain one with a typographic one: what stands between is one word, as its writer meant it."""
    command: list[str] = []
    sign = ""
    for number, match in enumerate(_WORD.finditer(text)):
        word = match.group(1)
        if word.startswith("#") or number >= MOST_WORDS:
            break
        if word[0] in ";&|":
            if command:
                yield sign, command
            command, sign = [], word
        else:
            command.append(word)
    if command:
        yield sign, command


def unquoted(word: str) -> str:
    """`word` without its quotes, as the shell would pass it on; variables stay as they are written."""
    return _CLOSED_QUOTES.sub(lambda m: m.group(1) if m.group(1) is not None else m.group(2), word)


def without_outer_quotes(word: str) -> str:
    """A value as it stands, without the plain quotes that enclose it, all of it or part by part: `'*:cb_nodes='"8"`."""
    return unquoted(word) if _JOINED_QUOTES.fullmatch(word) is not None else word


def output_of(words: Sequence[str]) -> str:
    """The command whose output a variable gets, which blanks have parted: `A=$(srun`, `-n`, `4`, `./app)`."""
    _, _, value = " ".join(words).partition("=")
    return value.strip('"`').removeprefix("$(").removesuffix(")")


_DEFINES: Final = re.compile(r"[A-Za-z_][\w-]{0,80}\(\)")


def without_its_head(words: list[str]) -> list[str]:
    """The first command of a function that begins on its line, `setup() { export A=1; }`, without the name."""
    if len(words) > 1 and _DEFINES.fullmatch(words[0]) and words[1] == "{":
        return words[1:]
    if words[:1] == ["function"] and "{" in words[2:4]:
        return words[words.index("{") :]
    return words


def without_parentheses(words: list[str]) -> list[str]:
    """A command of a shell within, `(cd run; srun ./app)`, without what opens and closes that."""
    if words and words[0].startswith("(") and not words[0].startswith("(("):
        words = [word for word in (words[0][1:], *words[1:]) if word]
    if words and words[-1].endswith(")") and words[-1].count(")") > words[-1].count("("):
        words = [word for word in (*words[:-1], words[-1][:-1]) if word]
    return words
