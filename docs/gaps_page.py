"""The page of known gaps: cases that are marked as such, what each host leaves out, and languages that are not evaluated."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import click

from toolgate import cases
from toolgate.hosts import HOSTS
from toolgate.hosts.capabilities import load_capabilities
from toolgate.languages import LANGUAGE_MODULES

LITERAL = "literal"
NAMES = {
    "applescript": "AppleScript",
    "beam": "Elixir and Erlang",
    "cmd": "cmd.exe",
    "javascript": "JavaScript",
    "jvm": "Groovy",
    "lisp": "Emacs Lisp",
    "mongo": "the MongoDB shell",
    "ocaml": "OCaml",
    "php": "PHP",
    "powershell": "PowerShell",
    "sql": "SQL",
    **dict.fromkeys(("awk", "gnuplot", "sed")),
}
"""Languages whose name is not the capitalised key; None: the key itself."""
BOUNDS = """## In principle

- **A compiled program is not read.** The gate sees its name and arguments. What it does with them is known only for the programs
  that have a row.
- **A service is not asked.** Whether a branch is protected, a bucket is empty, or a table has a backup is not looked up.
- **The same account is above the gate.** Without [the managed tier](security.md#the-supervisor), a program that already runs as
  you can remove the gate. The gate stops agents on the way there, as far as their calls show it.
- **Right and wrong are not judged.** A push to the wrong branch by its name is a push like any other."""


def page() -> str:
    return "\n".join(_iter_lines()) + "\n"


def _iter_lines() -> Iterator[str]:
    yield "# Known gaps\n"
    yield "What toolgate does not see or cannot stop, as far as it is known. Found another one? Report it as"
    yield "[SECURITY.md](https://github.com/toolgate/toolgate/blob/main/SECURITY.md) describes.\n"
    yield BOUNDS
    yield "\n## Calls that get a wrong answer\n"
    yield from _iter_cases()
    yield "\n## Languages\n"
    yield "Code of these languages is evaluated, when it is handed to an interpreter or is in a script that the call runs:"
    yield f"shell, {_join(name for name, module in LANGUAGE_MODULES.items() if module != LITERAL)}."
    yield "Code of the others is read for the calls that run commands and delete files, and for nothing else:"
    yield f"{_join(name for name, module in LANGUAGE_MODULES.items() if module == LITERAL)}."
    yield "Code that cannot be read is asked about."
    yield "\n## Hosts\n"
    yield "No hook can close these. What happens when the gate itself fails is in the table of each host's page.\n"
    for name in HOSTS:
        has = load_capabilities(name)
        yield f"### {has.title}\n"
        yield from (f"- {each}" for each in has.gaps)
        yield f"\n[More about {has.title}](hosts/{name}.md)\n"


def _iter_cases() -> Iterator[str]:
    """Yields the shipped cases that are marked as gaps, by the reason that they give."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in cases.iter_shipped_files():
        for case in cases.load_cases(path):
            if case.known_gap:
                found[case.known_gap].append(case.display_text)
    if not found:
        yield "None of the shipped cases. `toolgate test` judges them all on your machine."
    for reason, texts in sorted(found.items()):
        yield f"- {reason}: {', '.join(f'`{click.unstyle(text)}`' for text in texts)}"


def _join(names: Iterable[str]) -> str:
    return ", ".join(NAMES.get(name, name.capitalize()) or name for name in sorted(names))
