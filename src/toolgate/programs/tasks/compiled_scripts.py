"""Compilers that also run what they compile: `zig run FILE`, `nim r FILE`, `runghc FILE`, `dotnet fsi FILE`."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program
from toolgate.programs.interpreters.script_interpreters import run_script_file

from . import MODULES


@dataclass(frozen=True, slots=True)
class CompiledScripts:
    """`language`: of the sources. `endings`: those of a source that a call may name; `project`: files that a call runs without
    naming them. `verbs`: the subcommands that run something; all calls do if there is none."""

    language: str
    endings: tuple[str, ...]
    verbs: frozenset[str] = frozenset()
    project: tuple[str, ...] = ()

    def report_effects(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = {word.text for word in argv[1:]}
        if not words.isdisjoint(INFORMATION_OPTIONS) or (self.verbs and words.isdisjoint(self.verbs)):
            return
        files = [word for word in argv[1:] if word.tail.endswith(self.endings)]
        for file in files[:1] or self._find_project_files(context):
            yield from run_script_file(self.language, file, (), context)

    def _find_project_files(self, context: ExecutionContext) -> Iterator[Word]:
        for name in self.project:
            if name.startswith("*"):
                yield from map(known_word, context.list_files(Word(("./", glob_hole("*"), name[1:]))))
            elif context.read_alternatives(known_word(name)):
                yield known_word(name)


_TABLE = """
nim | nim | .nim .nims | |
nimble | nim | .nimble | | *.nimble
zig | zig | .zig | run test build | build.zig
dart | dart | .dart | run | bin/main.dart
flutter | dart | .dart | run test | lib/main.dart
rdmd | d | .d | |
dub | d | .d | run | source/app.d
v vlang | v | .v .vsh | run crun | main.v
runghc runhaskell | haskell | .hs .lhs | |
stack cabal | haskell | .hs .lhs | runghc runhaskell script run | app/Main.hs Main.hs Setup.hs
dotnet | dotnet | .csx .fsx .cs | run script fsi | Program.cs Program.fs
dotnet-script csi csharprepl | dotnet | .csx | |
fsharpi fsi | dotnet | .fsx | |
jbang | jvm | .java .kt .groovy .jsh | |
amm | jvm | .sc | |
mill | jvm | .mill .sc | | build.mill build.sc
lein boot | lisp | .clj | | project.clj build.boot
crystal | ruby | .cr | run spec play |
"""


def _parse_table() -> Iterator[tuple[str, CompiledScripts]]:
    for line in _TABLE.strip().splitlines():
        names, language, endings, verbs, project = (cell.split() for cell in line.split("|"))
        row = CompiledScripts(language[0], tuple(endings), frozenset(verbs), tuple(project))
        yield from ((name, row) for name in names)


COMPILED_SCRIPTS: dict[str, Program] = {name: Program(does=row.report_effects) for name, row in _parse_table()}
ROWS: dict[str, Program] = {name: COMPILED_SCRIPTS[name] for name in MODULES["compiled_scripts"].split()}
