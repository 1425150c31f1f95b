"""How much work one reading may take: counted in steps, never in time, so that the answer is the same on every machine."""


class Exhausted(Exception):
    """The reading has used all the work it may take."""


class Work:
    """`spend` counts what is done: a node that is evaluated, a value that is joined, an effect that is reported."""

    __slots__ = ("left", "total")

    def __init__(self, steps: int) -> None:
        self.left = self.total = steps

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise Exhausted
