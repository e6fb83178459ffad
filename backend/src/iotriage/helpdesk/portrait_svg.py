"""The portrait of a job as an SVG that stands in a reply: what the ranks of each layer moved, and when."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.portrait import TOP_LEVEL, Band, Portrait
from iotriage.reports.escaping import escape_html
from iotriage.rules.core.words import plural, seconds, size

_WIDTH, _LABEL, _CELL, _ROW, _GAP = 640, 168, 18, 8, 10
_TOP, _FOOT = 4, 22
_INK, _MARK, _PAPER, _NOTHING = "#17202b", "#3c2589", "#ffffff", "#f1f0f8"
"""A mail has no theme: the light one's."""

_FONT = 'font-family="Arial, Helvetica, sans-serif" font-size="12"'


def portrait_svg(portrait: Portrait, length_s: float | None) -> str:
    """A title says it to who does not see it."""
    tall = portrait.rows * _ROW
    height = _TOP + len(portrait.bands) * (tall + _GAP) + _FOOT
    label = f"Bytes by rank and time: {'; '.join(_label(band) for band in portrait.bands)}"
    bands = (_band(b, portrait, _TOP + i * (tall + _GAP)) for i, b in enumerate(portrait.bands))
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{height}" '
            f'viewBox="0 0 {_WIDTH} {height}"><title>{escape_html(label)}</title>'
            f'<rect width="{_WIDTH}" height="{height}" fill="{_PAPER}"/>',
            *bands,
            *_axis(portrait, length_s, height - 6),
            "</svg>",
        )
    )


def _label(band: Band) -> str:
    time = "" if band.seconds is None else f" in {seconds(band.seconds)}"
    return f"{band.layer}: {size(band.bytes_moved)}{time}"


def _band(band: Band, portrait: Portrait, top: int) -> str:
    tall, wide = portrait.rows * _ROW, portrait.columns * _CELL
    parts = [
        f'<text x="0" y="{top + tall / 2 + 4:g}" {_FONT} fill="{_INK}">{escape_html(_label(band))}</text>',
        f'<rect x="{_LABEL}" y="{top}" width="{wide}" height="{tall}" fill="{_NOTHING}"/>',
    ]
    if band.cells is not None:
        parts += _cells(band.cells, portrait, top)
    elif band.ranks is not None:
        parts += [
            f'<rect x="{_LABEL}" y="{top + row * _ROW + 1}" width="{wide * level / TOP_LEVEL:g}" height="{_ROW - 2}" '
            f'fill="{_MARK}"/>'
            for row, level in enumerate(band.ranks)
        ]
    else:
        parts.append(
            f'<text x="{_LABEL + 8}" y="{top + tall / 2 + 4:g}" {_FONT} fill="{_INK}">which ranks: not told</text>'
        )
    return "".join(parts)


def _cells(levels: tuple[int, ...], portrait: Portrait, top: int) -> Iterator[str]:
    for at, level in enumerate(levels):
        if level:
            row, column = divmod(at, portrait.columns)
            yield (
                f'<rect x="{_LABEL + column * _CELL}" y="{top + row * _ROW}" width="{_CELL}" height="{_ROW}" '
                f'fill="{_MARK}" fill-opacity="{0.2 + 0.8 * level / TOP_LEVEL:.2g}"/>'
            )


def _axis(portrait: Portrait, length_s: float | None, y: int) -> Iterator[str]:
    ranks = "ranks" if portrait.nprocs is None else plural(portrait.nprocs, "rank")
    yield f'<text x="0" y="{y}" {_FONT} fill="{_INK}">{ranks}, the first on top</text>'
    if length_s is not None and any(band.cells is not None for band in portrait.bands):
        end = _LABEL + portrait.columns * _CELL
        yield f'<text x="{_LABEL}" y="{y}" {_FONT} fill="{_INK}">0 s</text>'
        yield f'<text x="{end}" y="{y}" {_FONT} fill="{_INK}" text-anchor="end">{seconds(length_s)}</text>'
