"""A report as one HTML file: no script, nothing from elsewhere, to be opened from a disk and printed. Where a server is
named, rows lead to their logs there, and causes to the pages of their rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.forms.spread_table import SPREAD_TITLE, counted_note, spread_note, spread_table
from iotriage.centre.report.section import (
    Bin,
    Cell,
    Column,
    Distribution,
    Histogram,
    LogRef,
    Report,
    Section,
    Series,
    Trend,
)
from iotriage.release import __version__
from iotriage.reports.escaping import escape_html

_STYLE: Final = """
:root{color-scheme:light dark;--pale:color-mix(in srgb,CanvasText 68%,Canvas);font:14px/1.45 system-ui,sans-serif}
body{max-width:1280px;margin:0 auto;padding:24px 16px}
h1{font-size:26px;line-height:1.25;margin:0}h2{font-size:20px;margin:40px 0 4px}h3{font-size:15px;margin:24px 0 2px}
p{margin:2px 0 8px;max-width:96ch}.note{color:var(--pale)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px}
th,td{padding:4px 14px 4px 0;border-bottom:1px solid color-mix(in srgb,CanvasText 20%,Canvas);text-align:left}
th{font-weight:500;color:var(--pale)}.whole{white-space:nowrap}.num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
svg{display:block}path{fill:none;stroke:currentColor;stroke-width:1.5}rect,circle{fill:currentColor}
@media print{.scroll{overflow:visible}
th,td,.whole,.num{padding:2px 6px 2px 0;font-size:8px;white-space:normal}}
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_WIDTH, _HEIGHT = 320, 48
_BAR: Final = 240
LONGEST_WHOLE: Final = 40


def as_report_html(report: Report, server: str | None = None) -> str:
    """`server` is its address."""
    return "\n".join(_lines(report, None if server is None else server.rstrip("/"))) + "\n"


def _lines(report: Report, server: str | None) -> Iterator[str]:
    title = escape_html(f"I/O of {report.period.said}")
    yield '<!doctype html>\n<html lang="en-GB"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body><main>"
    yield f"<h1>{escape_html(report.headline)}</h1><p>{escape_html(report.summary)}</p>"
    chosen = " and ".join(f"{name} {value}" for name, value in report.filter.chosen())
    of = f" Only {chosen}." if chosen else ""
    yield f'<p class="note">{title}; days in UTC, by the start of the job.{escape_html(of)}</p>'
    yield f'<p class="note">{escape_html(report.unseen)}</p>'
    for theme in report.by_theme():
        yield f"<h2>{escape_html(theme.question)}</h2>"
        for section in theme.sections:
            yield from _section(section, server, titled=section is not theme.only)
        for histogram in theme.histograms:
            yield from _histogram(histogram)
        if theme.distributions:
            yield from _spread(theme.distributions)
    yield from _trend(report.trend)
    yield f'<p class="note">IOtriage {__version__}</p></main></body></html>'


def _section(section: Section, server: str | None, *, titled: bool) -> Iterator[str]:
    title = f"<h3>{escape_html(section.title)}</h3>" if titled else ""
    yield f'<section>{title}<p class="note">{escape_html(section.note)}</p>'
    if not section.rows:
        yield f"<p>{escape_html(section.none)}</p></section>"
        return
    yield '<div class="scroll"><table><thead><tr>'
    yield "".join(f'<th scope="col"{_aligned(c)}>{escape_html(c.title)}</th>' for c in section.columns)
    yield "</tr></thead><tbody>"
    leads = _leading(section.columns)
    for row, log in zip(section.rows, section.logs or (None,) * len(section.rows), strict=True):
        yield "<tr>"
        for at, (value, column) in enumerate(zip(row, section.columns, strict=True)):
            text = cell_text(value, column.unit)
            way = None if server is None else _way(column, value, log if at == leads else None)
            shown = (
                escape_html(text)
                if way is None
                else f'<a href="{escape_html(f"{server}{way}")}">{escape_html(text)}</a>'
            )
            yield f"<td{_aligned(column) or _whole(text)}>{shown}</td>"
        yield "</tr>"
    yield "</tbody></table></div></section>"


def _leading(columns: tuple[Column, ...]) -> int:
    """The cell that leads to the row's log: its job, else what the row is known by."""
    titles = [column.title for column in columns]
    job = next((titles.index(title) for title in ("job", "job with most") if title in titles), None)
    text = next((at for at, column in enumerate(columns) if column.unit == "text" and column.holds != "rule"), 0)
    return text if job is None else job


def _way(column: Column, value: Cell, log: LogRef | None) -> str | None:
    """Where a cell leads to, on the server."""
    if log is not None:
        return f"/centre/{log.day}/logs/{log.log}"
    return f"/rules/{quote(f'{value}')}" if column.holds == "rule" and value is not None else None


def _aligned(column: Column) -> str:
    return "" if column.unit == "text" else ' class="num"'


def _whole(cell: str) -> str:
    """A name, a date or a number of a job is not broken at its hyphens."""
    return ' class="whole"' if " " not in cell and len(cell) <= LONGEST_WHOLE else ""


def _spread(distributions: tuple[Distribution, ...]) -> Iterator[str]:
    yield f'<section><h3>{SPREAD_TITLE}</h3><p class="note">{escape_html(spread_note(distributions))}</p>'
    (first, *others), *rows = spread_table(distributions)
    head = f'<th scope="col">{first}</th>' + "".join(f'<th scope="col" class="num">{title}</th>' for title in others)
    yield f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>'
    for title, *cells in rows:
        tds = "".join(f'<td class="num">{escape_html(cell)}</td>' for cell in cells)
        yield f'<tr><th scope="row">{escape_html(title)}</th>{tds}</tr>'
    yield "</tbody></table></div></section>"


def _histogram(histogram: Histogram) -> Iterator[str]:
    yield f'<section><h3>{escape_html(histogram.title)}</h3><p class="note">{escape_html(counted_note(histogram))}</p>'
    if not histogram.of:
        yield "</section>"
        return
    yield '<div class="scroll"><table><tbody>'
    most = max((bin.logs for bin in histogram.bins), default=0)
    for bin in histogram.bins:
        label = f'<tr><th scope="row">{escape_html(bin.label)}</th>'
        yield f'{label}<td class="num">{bin.logs:,}</td><td>{_bar(bin, most)}</td></tr>'
    yield "</tbody></table></div></section>"


def _bar(bin: Bin, most: int) -> str:
    width = _BAR * bin.logs / most if most else 0
    return f'<svg width="{_BAR}" height="12" aria-hidden="true"><rect width="{width:.1f}" height="12"/></svg>'


def _trend(trend: Trend) -> Iterator[str]:
    if not trend.days:
        return
    first, last = trend.days[0], trend.days[-1]
    yield "<section><h2>From day to day</h2>"
    yield f'<p class="note">{first} to {last}, from 0; a gap: no log of the day has it.</p>'
    yield '<div class="scroll"><table><tbody>'
    for series in trend.series:
        title = f'<tr><th scope="row">{escape_html(series.title)}</th>'
        yield f"{title}<td>{_line(series)}</td><td>{escape_html(_ends(series))}</td></tr>"
    yield "</tbody></table></div></section>"


def _ends(series: Series) -> str:
    known = [v for v in series.values if v is not None]
    if not known:
        return "no day has it"
    least, most = (cell_text(end(known), series.unit) for end in (min, max))
    return least if least == most else f"{least} to {most}"


def _line(series: Series) -> str:
    most = max((v for v in series.values if v is not None), default=0) or 1
    step = _WIDTH / max(1, len(series.values) - 1)
    path, alone = "", ""
    values = (None, *series.values, None)
    for at, (before, value, after) in enumerate(zip(values, values[1:], values[2:], strict=False)):
        if value is None:
            continue
        x, y = at * step, _HEIGHT - 3 - (_HEIGHT - 6) * value / most
        path += f"{'M' if before is None else 'L'}{x:.1f} {y:.1f}"
        if before is None and after is None:
            alone += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" aria-hidden="true"><path d="{path}"/>{alone}</svg>'
