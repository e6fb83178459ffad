"""Gathers what the documentation site is built from: the repository's documents at their places in the site, its
pictures, letters and colours, and live cases. Run by `make site`, before Sphinx.

python docs/site/gather.py FOLDER
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent

LIVE = {
    "untuned": "darshan_log/39-heat2d-legacy",
    "tuned": "darshan_log/40-heat2d-tuned",
    "slow-target": "darshan_log/lustre-traced-slow-ost",
    "text": "mpich_stats/bad-collective-write-one-aggregator",
}
"""Samples that stand in the site as pages of their own, by the name of the page."""

LETTERS = ("inter", "jetbrains-mono")

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_NAMED = re.compile(r"\[([^]]*)\]\([^()\s]*\)")
_FENCE = re.compile(r"^\s*(```|~~~)")


def place(path: PurePosixPath) -> PurePosixPath | None:
    """Where a document of the repository stands in the site; None for what is no document."""
    match path.parts:
        case ("README.md",):
            return PurePosixPath("index.md")
        case ("CONTRIBUTING.md" | "CHANGELOG.md",):
            return PurePosixPath(path.name.lower())
        case ("docs", "rules"):
            return PurePosixPath("rules/index.md")
        case ("docs", *rest) if path.suffix == ".md":
            return PurePosixPath(*rest)
        case ("sample-logs", "README.md"):
            return PurePosixPath("samples/index.md")
        case ("sample-logs", form, sample, "origin.md"):
            return PurePosixPath("samples", form, f"{sample}.md")
        case _:
            return None


def documents(root: Path = ROOT) -> Iterator[PurePosixPath]:
    """The documents that the site is made of, by their path in the repository; its first page is its own."""
    for pattern in ("C*.md", "docs/*.md", "docs/rules/*.md", "sample-logs/README.md", "sample-logs/*/*/origin.md"):
        yield from sorted(PurePosixPath(found.relative_to(root).as_posix()) for found in root.glob(pattern))


def moved(text: str, path: PurePosixPath) -> str:
    """The document with its links as the site needs them. What is linked and no document is a file to take away, and
    stands below `files/`; a folder of such is named and not linked."""
    here = place(path)
    assert here is not None

    def link(found: re.Match[str]) -> str:
        address, hash_sign, anchor = found[1].partition("#")
        if not address or ":" in address:
            return found[0]
        target = PurePosixPath(os.path.normpath(path.parent / address))
        there = place(target)
        if there is None and (ROOT / target).is_dir():
            return "](#)"
        return f"]({os.path.relpath(there or PurePosixPath('files') / target, here.parent)}{hash_sign}{anchor})"

    fenced = False
    lines = []
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced else _LINK.sub(link, line))
    return re.sub(r"\[([^]]*)\]\(#\)", r"\1", "\n".join(lines)) + "\n"


def gather(folder: Path) -> None:
    """Writes the documents, and the files that they lead to, into `folder`."""
    for path in documents():
        there = folder / str(place(path))
        there.parent.mkdir(parents=True, exist_ok=True)
        text = moved((ROOT / path).read_text(encoding="utf-8"), path)
        apart = "---\norphan: true\n---\n\n" if path.name == "origin.md" else ""
        there.write_text(apart + text, encoding="utf-8")
        _take_along(text, there, folder)
    with (folder / "samples/index.md").open("a", encoding="utf-8") as index:
        index.write("\n".join(_every_sample()) + "\n")
    rules = folder / "rules/index.md"
    pages = dict.fromkeys(Path(page).stem for page in _LINK.findall(rules.read_text(encoding="utf-8")))
    with rules.open("a", encoding="utf-8") as index:
        index.write("\n".join(("", "```{toctree}", ":hidden:", "", *pages, "```", "")))
    shutil.copy(ROOT / "docs/site/index.md", folder / "index.md")


def _take_along(text: str, page: Path, folder: Path) -> None:
    for address in _LINK.findall(text):
        target = Path(os.path.normpath(page.parent / address))
        if target.is_relative_to(folder / "files"):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / target.relative_to(folder / "files"), target)


def _every_sample() -> Iterator[str]:
    origins = [path for path in documents() if path.name == "origin.md"]
    yield "\n## Every sample"
    for form, of_form in groupby(origins, key=lambda path: path.parts[1]):
        yield f"\n### {form}\n"
        for path in of_form:
            title, _, rest = (ROOT / path).read_text(encoding="utf-8").partition("\n")
            said = _NAMED.sub(r"\1", " ".join(rest.strip().partition("\n\n")[0].split()))
            yield f"- [{title.removeprefix('# ')}]({form}/{path.parts[2]}.md): {said}"


def looks(folder: Path) -> None:
    """Copies the product's colours, letters and sign into `folder`."""
    shutil.copytree(ROOT / "docs/site/theme", folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "frontend/src/ui/tokens.css", folder)
    shutil.copy(ROOT / "frontend/public/favicon.svg", folder)
    for name in LETTERS:
        letters = ROOT / "node_modules/@fontsource-variable" / name
        (folder / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(letters / "wght.css", folder / name)
        shutil.copytree(letters / "files", folder / name / "files", dirs_exist_ok=True)


def beside(folder: Path) -> None:
    """What pages of Markdown lead to and no tool makes again: the pictures, and each sample of `LIVE` as a page of one
    file."""
    shutil.copytree(ROOT / "docs/pictures", folder / "pictures")
    cases = folder / "cases"
    cases.mkdir()
    for name, sample in LIVE.items():
        given = [
            path for path in sorted((ROOT / "sample-logs" / sample).iterdir()) if path.suffix in (".darshan", ".txt")
        ]
        command = [BIN / "iotriage", "diagnose", *given, "--format", "html", "-o", cases / f"{name}.html"]
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/site/gather.py FOLDER")
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    gather(folder / "pages")
    looks(folder / "looks")
    beside(folder / "beside")


if __name__ == "__main__":
    main()
