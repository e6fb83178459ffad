"""On which line of a TOML text each key stands: tomllib gives values only, and a person corrects lines."""

from __future__ import annotations

import re
from collections import Counter

_QUOTES = ('"""', "'''", '"', "'")
_KEY = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*(?:\.\s*([A-Za-z0-9_-]+)\s*)*=""")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")


def lines_of(text: str) -> dict[str, int]:
    """The line of every table and key by its path ("file_systems[0].kind"), and of every inline table in a list of them
    ("rates[1].rows[3]"). `text` must be TOML; a path that is not found is simply not there."""
    found: dict[str, int] = {"": 1}
    seen: Counter[str] = Counter()
    table, key, depth, at = "", "", 0, 0
    line = 1
    at_start = True
    while at < len(text):
        if at_start and depth == 0:
            header, named = _HEADER.match(text, at), _KEY.match(text, at)
            if header is not None and "\n" not in header[0].strip("\n"):
                line += text.count("\n", at, header.start(1))
                table = _opened(header[2], is_list=header[1] == "[[", seen=seen)
                found[table] = line
                found.setdefault(table.removesuffix("[0]"), line)
                at = header.end()
            elif named is not None:
                line += text.count("\n", at, named.start(1))
                key = _joined(table, named[1].strip("\"'"))
                found[key] = line
                at = named.end()
        at_start = False
        if at >= len(text):
            break
        quote = next((q for q in _QUOTES if text.startswith(q, at)), None)
        if quote is not None:
            end = _end_of_string(text, at + len(quote), quote)
            line += text.count("\n", at, end)
            at = end
            continue
        character = text[at]
        if character == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
            continue
        if character in "[{":
            depth += 1
            if character == "{" and depth == 2:
                found[f"{key}[{seen[key]}]"] = line
                seen[key] += 1
        elif character in "]}":
            depth -= 1
        elif character == "\n":
            line += 1
            at_start = True
        at += 1
    return found


def line_of(lines: dict[str, int], path: str) -> int:
    """The line of `path`, or of the nearest table above it that is there: where a missing key would have to stand."""
    while path not in lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return lines[path]


def _opened(name: str, *, is_list: bool, seen: Counter[str]) -> str:
    """The path of a table whose header names `name`: a part that is a list of tables means its last one."""
    path = ""
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    for part in parts[:-1]:
        path = _joined(path, part)
        path = f"{path}[{seen[path] - 1}]" if seen[path] else path
    path = _joined(path, parts[-1])
    if not is_list:
        return path
    seen[path] += 1
    return f"{path}[{seen[path] - 1}]"


def _joined(table: str, key: str) -> str:
    return f"{table}.{key}" if table else key


def _end_of_string(text: str, at: int, quote: str) -> int:
    while at < len(text):
        if text[at] == "\\" and quote.startswith('"'):
            at += 2
        elif text.startswith(quote, at):
            end = at + len(quote)
            # Up to two quotes may stand before the three that close: the last three are the end.
            while len(quote) == 3 and text[end : end + 1] == quote[0]:
                end += 1
            return end
        else:
            at += 1
    return at
