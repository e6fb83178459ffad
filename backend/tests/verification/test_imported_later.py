"""A module that another one imports is imported itself once something of it is asked for."""

from __future__ import annotations

import importlib
import sys

from iotriage.verification.imported_later import import_when_used


def test_it_is_run_when_something_of_it_is_asked_for(tmp_path, monkeypatch, capsys):
    (tmp_path / "asked_for.py").write_text("print('run')\nANSWER = 42\n")
    (tmp_path / "asking.py").write_text("import asked_for\n\ndef answer():\n    return asked_for.ANSWER\n")
    monkeypatch.syspath_prepend(tmp_path)
    import_when_used("asked_for")
    try:
        asking = importlib.import_module("asking")
        assert capsys.readouterr().out == ""
        assert (asking.answer(), asking.answer()) == (42, 42)
        assert capsys.readouterr().out == "run\n"
        there = sys.modules["asked_for"]
        import_when_used("asked_for")
        assert sys.modules["asked_for"] is there
    finally:
        sys.modules.pop("asked_for")
        sys.modules.pop("asking", None)
