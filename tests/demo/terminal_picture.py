"""Draws what stood on a terminal as the frames of an animated GIF."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

FONTS = Path("/usr/share/fonts/truetype/dejavu")
"""Of Debian's `fonts-dejavu-core`."""
FONT_SIZE = 13
CELL = (8, 16)
"""Pixels of a character."""
MARGIN = 10

Colour = tuple[int, int, int]
PAPER: Colour = (22, 24, 29)
INK: Colour = (222, 224, 228)
DIM: Colour = (128, 133, 142)
COLOURS: dict[int, Colour] = {
    1: (240, 100, 95),
    2: (120, 200, 110),
    3: (232, 190, 90),
    4: (105, 160, 255),
    5: (215, 130, 235),
}
"""By their number at a terminal; what is not here is drawn in ink."""
SHADES = 12
"""Steps between paper and a colour, for the edges of letters."""


class TerminalPicture:
    def __init__(self, columns: int, rows: int) -> None:
        self._size = (columns * CELL[0] + 2 * MARGIN, rows * CELL[1] + 2 * MARGIN)
        self._fonts = {
            bold: ImageFont.truetype(FONTS / f"DejaVuSansMono{'-Bold' if bold else ''}.ttf", FONT_SIZE)
            for bold in (False, True)
        }
        self._palette = _palette()
        self._images: list[Image.Image] = []
        self._stand: list[int] = []

    @property
    def frames(self) -> int:
        return len(self._images)

    @property
    def seconds(self) -> float:
        return sum(self._stand) / 1000

    def add(self, lines: Sequence[Text], stands: float) -> None:
        """One more frame, that stands for so many seconds."""
        image = Image.new("RGB", self._size, PAPER)
        draw = ImageDraw.Draw(image)
        for row, line in enumerate(lines):
            column = 0
            for at, character in enumerate(line.plain):
                if character != " ":
                    place = (MARGIN + column * CELL[0], MARGIN + row * CELL[1])
                    style = _style_at(line, at)
                    draw.text(place, character, _colour(style), self._fonts[bool(style.bold)])
                column += cell_len(character)
        self._images.append(image.quantize(palette=self._palette, dither=Image.Dither.NONE))
        self._stand.append(round(stands * 100) * 10)

    def save(self, file: Path) -> None:
        first, *others = self._images
        first.save(file, save_all=True, append_images=others, duration=self._stand, loop=0, optimize=True)

    def save_frames(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for number, image in enumerate(self._images):
            image.save(folder / f"{number:03}.png")


def _style_at(line: Text, at: int) -> Style:
    styles = [line.style, *(span.style for span in line.spans if span.start <= at < span.end)]
    return Style.combine([style if isinstance(style, Style) else Style.parse(style) for style in styles])


def _colour(style: Style) -> Colour:
    if style.color is not None and style.color.number in COLOURS:
        return COLOURS[style.color.number]
    return DIM if style.dim else INK


def _palette() -> Image.Image:
    """Every colour in every shade down to the paper's."""
    flat: list[int] = []
    for colour in (INK, DIM, *COLOURS.values()):
        for shade in range(1, SHADES + 1):
            flat += [round(paper + (ink - paper) * shade / SHADES) for paper, ink in zip(PAPER, colour, strict=True)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*PAPER, *flat])
    return palette
