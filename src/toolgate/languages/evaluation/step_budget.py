"""A budget of steps for one reading: counted in steps, never in time, so that the answer is the same on every machine."""


class OutOfSteps(Exception):
    """The reading has used its whole budget."""


class StepBudget:
    """`spend_steps` counts: evaluated nodes, joined values, reported effects."""

    __slots__ = ("left", "spent", "total")

    def __init__(self, steps: int) -> None:
        self.left = self.total = steps
        self.spent = 0  # of budgets that came before

    def spend_steps(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps
