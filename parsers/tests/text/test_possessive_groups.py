"""Until Python 3.11.5 a possessive group whose last try failed halfway went on from there, and not from the end of what
it had matched: https://github.com/python/cpython/issues/106052. An alternative that never matches takes it back."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from re import _constants as codes
from re import _parser

_NEVER = (repr(_parser.parse("(?!)")), "[(FAILURE, ())]")
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def _items(parsed: object) -> Iterator[tuple[object, object]]:
    """All of a parsed expression, what is within others too."""
    for item in parsed if isinstance(parsed, list | tuple | _parser.SubPattern) else ():
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], codes._NamedIntConstant):
            yield item
        yield from _items(item)


def _unsafe(pattern: str | bytes) -> list[object]:
    """The possessive groups that may fail halfway, after a repetition within, and do not end in `|(?!)`."""
    found = []
    for code, argument in _items(_parser.parse(pattern)):
        if code is codes.POSSESSIVE_REPEAT:
            body = argument[2]
            repeats = len(body) > 1 or body[0][0] is codes.BRANCH
            ends = body[0][0] is codes.BRANCH and repr(body[0][1][1][-1]) in _NEVER
            if repeats and any(inner in _REPEATS for inner, _ in _items(body)) and not ends:
                found.append(body)
    return found


def test_what_could_fail_halfway_is_found() -> None:
    assert all(map(_unsafe, (r"(?:ab?c)++", r"x(?:y|[ab]*+c)*+", rb"(?: {1,8}=|b)?+")))
    assert not any(map(_unsafe, (r"(?:ab?c|(?!))++", r'"(?:[^"\\]|\\.)*+"', r"a*+(?:ab?c)+")))


_COMPILED = """
import importlib, pkgutil, re
compiled, seen = re.compile, set()
def noted(pattern, flags=0):
    made = compiled(pattern, flags)
    seen.add(made.pattern)
    return made
re.compile = noted
import iotriage_parsers
for module in pkgutil.walk_packages(iotriage_parsers.__path__, "iotriage_parsers."):
    importlib.import_module(module.name)
print(sorted(seen, key=repr))
"""


def test_no_expression_of_the_readers_goes_on_from_halfway() -> None:
    program = [sys.executable, "-W", "ignore", "-c", _COMPILED]
    patterns = ast.literal_eval(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    assert len(patterns) > 200
    assert [pattern for pattern in patterns if _unsafe(pattern)] == []
