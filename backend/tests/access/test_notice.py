"""The page for who is not let in is drawn as it was written: no other style gets in, and this one does."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

from iotriage.api.access.notice import notice


def test_its_policy_names_its_style_and_no_script() -> None:
    answer = notice("This link shows nothing.", "Ask for another.", 404, {"retry-after": "3"})
    (style,) = re.findall(r"<style>(.*?)</style>", bytes(answer.body).decode())
    policy = answer.headers["content-security-policy"]
    assert f"style-src 'sha256-{b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" in policy
    assert "script" not in policy
    assert (answer.status_code, answer.headers["retry-after"]) == (404, "3")
