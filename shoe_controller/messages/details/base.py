"""What every detail is."""

from shoe_controller.baccarat.codes import Code


class Detail(Code, frozen=True):
    """What exactly is wrong."""
