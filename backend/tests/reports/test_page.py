"""The one-file page: answers go in whole, names cannot break out, and without a built page it says so."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

from iotriage.reports.page import TEMPLATE, NoTemplateError, as_page

HEAD = "<html><head><title>IOtriage</title></head><body>"
PLACE = '<script type="application/gzip" id="answers"></script>'


def _web(tmp_path: Path, page: str) -> Path:
    (tmp_path / TEMPLATE).write_text(page, "utf-8")
    return tmp_path


def _held(page: str) -> object:
    found = re.search(r'id="answers">([A-Za-z0-9+/=]*)</script>', page)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_holds_every_answer_by_its_address(tmp_path: Path) -> None:
    given = {"api/v1/info": '{"version":"1"}', "api/v1/cases/x": '{"name":"</script><b>\\u00e9"}'}
    page = as_page(_web(tmp_path, f"{HEAD}{PLACE}</body></html>"), "a job", given)
    assert _held(page) == {"api/v1/info": {"version": "1"}, "api/v1/cases/x": {"name": "</script><b>é"}}


def test_a_title_is_text(tmp_path: Path) -> None:
    page = as_page(_web(tmp_path, f"{HEAD}{PLACE}"), "</title><script>x</script> & more", {})
    assert "<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt; &amp; more · IOtriage</title>" in page


def test_the_same_case_is_the_same_file(tmp_path: Path) -> None:
    web = _web(tmp_path, f"{HEAD}{PLACE}")
    assert as_page(web, "a", {"b": "1"}) == as_page(web, "a", {"b": "1"})


def test_without_a_built_page_says_so(tmp_path: Path) -> None:
    for web in (None, tmp_path, tmp_path / "nothing"):
        with pytest.raises(NoTemplateError):
            as_page(web, "a", {})


def test_a_page_without_a_place_for_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoTemplateError):
        as_page(_web(tmp_path, HEAD), "a", {})
