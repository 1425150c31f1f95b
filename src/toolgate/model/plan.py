"""What was agreed on before the work began, as far as a rule can compare a call with it."""

from typing import NamedTuple

from .effect import Span


class Plan(NamedTuple):
    """`file`: where it stands, for people. `problem`: why it cannot be gone by; then it names nothing.

    `programs`: bare names, and absolute real paths of those that the plan gives a path. `variables`: pairs (name, value) as the
    plan's own commands set them. `paths`: globs of what may be changed, absolute; `hosts`: names of machines, as globs; None:
    the plan does not speak of any. `always`: what no plan needs to name, by the words that it begins with. `pipelines`: where the
    call's own text joins commands by `|`.
    """

    file: str
    programs: frozenset[str] = frozenset()
    variables: frozenset[tuple[str, str]] = frozenset()
    paths: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    always: frozenset[tuple[str, ...]] = frozenset()
    pipelines: tuple[Span, ...] = ()
    problem: str = ""
