"""The cases beside the rules on teams run nearly every line of them."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from toolgate import cases, rules
from toolgate.cli.test import build_case_policy

FOLDER = Path(rules.__file__).parent / "team"
LEAST = 0.95


def lines(code: CodeType) -> Iterator[int]:
    """Returns the lines of the functions in a file: a module's other lines have run when it was loaded."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if "__module__" not in constant.co_names:  # the body of a class
                yield from (line for *_, line in constant.co_lines() if line is not None and line != constant.co_firstlineno)
            yield from lines(constant)


def test_the_cases_reach_what_the_rules_say() -> None:
    own = {str(path): set(lines(compile(path.read_text(), str(path), "exec"))) for path in FOLDER.rglob("*.py")}
    reached: dict[str, set[int]] = {path: set() for path in own}

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        file = frame.f_code.co_filename
        if file not in reached:
            return None
        if event == "line":
            reached[file].add(frame.f_lineno)
        return trace

    shipped = [case for path in cases.iter_shipped_files() if path.parent.name == "team" for case in cases.load_cases(path)]
    policy = build_case_policy(shipped[0])
    before = sys.gettrace()
    for path in own:
        name = Path(path).relative_to(FOLDER.parents[2]).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        for cached in vars(sys.modules.get(name, sys)).values():
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()
    sys.settrace(trace)
    try:
        for case in shipped:
            cases.run_case(case, policy)
    finally:
        sys.settrace(before)
    missed = {Path(path).name: sorted(want - reached[path]) for path, want in own.items() if want - reached[path]}
    share = 1 - sum(map(len, missed.values())) / sum(map(len, own.values()))
    assert share >= LEAST, (round(share, 3), missed)
