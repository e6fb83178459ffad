"""`make golden`: writes evidence.json, metrics.json and findings.json of every sample again."""

from __future__ import annotations

from samples import cases
from saying import said_today


def main() -> None:
    changed = 0
    for case in cases():
        for name, text in said_today(case).items():
            path = case.said(name)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                changed += 1
    print(f"{len(cases())} samples, {changed} files changed" + (": read `git diff sample-logs`" if changed else ""))


if __name__ == "__main__":
    main()
