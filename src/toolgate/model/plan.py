"""The plan agreed on before the work began, as rules compare calls with it."""

from typing import NamedTuple

from .effect import Span


class Plan(NamedTuple):
    """`file`: its source, for people. `problem`: why it cannot be used; then the other fields are empty.

    `programs`: bare names, and absolute real paths of those that the plan names by path. `variables`: pairs (name, value) as
    the plan's own commands set them. `paths`: globs of what may be changed, absolute; `hosts`: names of machines, as globs;
    None: the plan does not mention any. `always`: commands, by their first words, that a plan need not name. `pipelines`:
    positions where the call's own text joins commands by `|`.
    """

    file: str
    programs: frozenset[str] = frozenset()
    variables: frozenset[tuple[str, str]] = frozenset()
    paths: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    always: frozenset[tuple[str, ...]] = frozenset()
    pipelines: tuple[Span, ...] = ()
    problem: str = ""
