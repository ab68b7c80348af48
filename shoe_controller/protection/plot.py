"""What a counter would win by the depth of the cut card, as bars of text and as an SVG."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from shoe_controller.protection.figures import Counted

_BARS = " ▁▂▃▄▅▆▇█"
_COLOURS = (
    "#b2182b",
    "#2166ac",
    "#1b7837",
    "#762a83",
    "#e08214",
    "#01665e",
    "#8c510a",
    "#c51b7d",
    "#4d4d4d",
    "#35978f",
)
MOST_LINES = len(_COLOURS)

_WIDTH, _HEIGHT = 860, 420
_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 60, 40, 440, 320


def bars(units: Sequence[float], highest: float) -> str:
    """One character for each depth, as high as its share of the highest."""
    steps = len(_BARS) - 1
    return "".join(_BARS[0 if highest <= 0 else min(steps, round(steps * max(each, 0) / highest))] for each in units)


def svg(title: str, counted: Sequence[tuple[str, Counted]]) -> str:
    """Draw units won in a shoe (upwards) by cards behind the cut card, for the wagers with the highest figures."""
    lines = sorted(counted, key=lambda each: -each[1].by_depth[0].per_shoe)[:MOST_LINES]
    cuts = [figures.cut for figures in lines[0][1].by_depth]
    units_of_all = [figures.per_shoe for _, each in lines for figures in each.by_depth]
    # A published count may lose, and a plot begins at nothing all the same.
    lowest, highest = min(0.0, *units_of_all), max(0.0, *units_of_all)
    height = highest - lowest or 1.0
    span = max(cuts[-1] - cuts[0], 1)

    def at(cut: int, units: float) -> str:
        return f"{_x(cut):.1f},{_y(units):.1f}"

    def _x(cut: int) -> float:
        return _LEFT + _PLOT_WIDTH * (cut - cuts[0]) / span

    def _y(units: float) -> float:
        return _TOP + _PLOT_HEIGHT * (1 - (units - lowest) / height)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        "<style>text { font: 12px sans-serif }</style>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22">{escape(title)}</text>',
        f'<path d="M{_LEFT},{_TOP}v{_PLOT_HEIGHT}h{_PLOT_WIDTH}" fill="none" stroke="#555"/>',
        f'<text x="{_LEFT}" y="{_HEIGHT - 12}">cards behind the cut card</text>',
    ]
    parts += [
        f'<text x="{_x(cut):.1f}" y="{_TOP + _PLOT_HEIGHT + 18}" text-anchor="middle">{cut}</text>' for cut in cuts
    ]
    parts += [
        f'<text x="{_LEFT - 6}" y="{_y(units) + 4:.1f}" text-anchor="end">{units:.2f}</text>'
        for units in (lowest + height * step / 4 for step in range(5))
    ]
    if lowest < 0:
        parts.append(f'<path d="M{_LEFT},{_y(0):.1f}h{_PLOT_WIDTH}" fill="none" stroke="#bbb"/>')
    for number, (wager, each) in enumerate(lines):
        points = " ".join(at(figures.cut, figures.per_shoe) for figures in each.by_depth)
        colour = _COLOURS[number]
        y = _TOP + 14 + number * 20
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{_LEFT + _PLOT_WIDTH + 16}" y="{y}" fill="{colour}">{escape(wager)} '
            f"{each.by_depth[0].per_shoe:.2f}</text>"
        )
    return "\n".join((*parts, "</svg>")) + "\n"
