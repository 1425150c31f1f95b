"""Setting a variable that makes programs load or run code by themselves.

`LD_PRELOAD`, `BASH_ENV`, `PROMPT_COMMAND` and similar variables change unnoticed what every later command does. Call the code
itself, by name.
"""

import re
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Environment
from toolgate.model.rule import RuleContext

CODE_VARIABLES = frozenset(
    (
        "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS0", "ZDOTDIR", "PYTHONSTARTUP",
        "PERL5OPT", "RUBYOPT", "GCONV_PATH", "BASH_FUNC_ls%%",
    )
)  # fmt: skip
"""Variables whose value is code, or a file of code, that a program loads by itself."""

CODE_OPTIONS = {"NODE_OPTIONS": ("--require", "--import", "-r ", "--loader"), "JAVA_TOOL_OPTIONS": ("-javaagent", "-agent")}
"""Variables that load code only with certain options, and are often set for good reason."""

_TOOL = re.compile(
    r"(?:(?:/usr(?:/local)?|/opt/homebrew)?/lib(?:64|32)?/(?:[\w.+-]+/)*)?"
    r"lib(?:[atlum]+san|jemalloc|tcmalloc\w*|mimalloc|faketime\w*|eatmydata|SegFault|clang_rt\.[\w.-]+)\.(?:so(?:\.\d+)*|dylib)"
)
"""Matches sanitizers, allocators and the like, in a folder of the system."""


def _is_tool(libraries: str) -> bool:
    return bool(libraries.strip()) and all(
        _TOOL.fullmatch(each) and ".." not in each for each in re.split(r"[ :]+", libraries.strip())
    )


_ADVICE = "run the program directly, without the variable."


def check(change: Environment, _options: None, _context: RuleContext) -> Iterator[Match]:
    if not change.value.parts:
        return
    if change.name in CODE_VARIABLES:
        if change.name in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES") and _is_tool(change.value.text or ""):
            return
        if change.name == "ENV" and change.value.contains("/") is False:
            return  # `ENV=production` is a setting of the program
        yield Match(change, f"Sets {change.name}, from which later commands load code.", _ADVICE)
    elif any(change.value.contains(option) is True for option in CODE_OPTIONS.get(change.name, ())):
        yield Match(change, f"Sets {change.name}, from which later commands load code.", _ADVICE, None)
