"""`make golden`: writes evidence.json, metrics.json and findings.json of every sample again."""

from __future__ import annotations

from sample_documents import current_golden_files
from samples import cases


def main() -> None:
    changed = 0
    for case in cases():
        for name, text in current_golden_files(case).items():
            path = case.golden_file(name)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                changed += 1
    print(f"{len(cases())} samples, {changed} files changed" + (": read `git diff sample-logs`" if changed else ""))


if __name__ == "__main__":
    main()
