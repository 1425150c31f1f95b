"""Programs that run the code in files of kinds of their own: compilers that also run what they compile (`zig run FILE`, `runghc
FILE`), and programs with a language of their own in which commands are embedded (`gdb -x FILE`, `bats FILE`, `makepkg`).

GROWS: a program is a row. A language is read by its reader (languages).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs, program_name
from toolgate.programs.interpreters.script_interpreters import run_script_file

from . import MODULES

_LANGUAGE_OF_ENDING = {".py": "python", ".lua": "lua", ".vim": "vim"}
"""Languages of files that a program loads besides those of its own kind."""
_RUN_WITHOUT_VERB = frozenset(("dart", "haskell", "dotnet", "nim"))
"""Languages whose programs run a file that directly follows their name, besides what they do with a verb."""
_READ_FROM_STDIN = frozenset(("haskell", "dotnet", "jvm", "d"))


@dataclass(frozen=True, slots=True)
class ScriptFiles:
    """`language`: of the files. `endings`: those of a file that a call may name, also in the text of an argument; the first is the
    language's own. `project`: files that a call runs without naming them. `verbs`: the words of which a call must have one to run
    something; all calls do if there is none. `options`: those whose value is a file of any name."""

    language: str
    endings: tuple[str, ...]
    verbs: frozenset[str] = frozenset()
    project: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()

    def report_effects(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = {word.text for word in argv[1:]}
        names_source = len(argv) > 1 and self.language in _RUN_WITHOUT_VERB and argv[1].tail.endswith(self.endings)
        if not words.isdisjoint(INFORMATION_OPTIONS) or (self.verbs and words.isdisjoint(self.verbs) and not names_source):
            return
        named = list(self._find_named_files(argv, context))
        if not named and self.language in _READ_FROM_STDIN and not self.verbs and (len(argv) == 1 or argv[-1].text == "-"):
            yield Interpret(self.language, context.stdin, context.origin, via=Carrier(program_name(argv), "<stdin"))
        for file in named or self._find_project_files(context):
            ending = re.search(r"\.\w+$", file.tail)
            known = _LANGUAGE_OF_ENDING.get(ending[0]) if ending is not None and ending[0] not in self.endings[:1] else None
            following = next((n for n, word in enumerate(argv) if word == file), len(argv))
            given = tuple(word for word in argv[following:] if word.text != "--")
            if not given and self.language == "go":
                given = (file, *argv[1:])  # its arguments name functions
            yield from run_script_file(known or self.language, file, given, context)

    def _find_named_files(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Word]:
        for before, word in pairwise(argv):
            option, attached, value = word.partition("=")
            if before.text in self.options:
                yield word
            elif attached and option.text in self.options:
                yield value
            elif self.endings and (found := _FILE_IN_TEXT.search(word.text or "")) is not None:
                yield from (known_word(found[1], word.src),) if found[1].endswith(self.endings) else ()
            elif self.endings and word.tail.endswith(self.endings):
                yield value if attached and option.starts_with("-") is True else word
            elif self.endings and word.text and _is_bare_name(word.text):
                full = word + known_word(self.endings[0])
                yield from (full,) if context.read_alternatives(full) else ()

    def _find_project_files(self, context: ExecutionContext) -> Iterator[Word]:
        for name in self.project:
            if "*" in name:
                before, _, after = name.partition("*")
                yield from map(known_word, context.list_files(Word((f"./{before}", glob_hole("*"), after))))
            elif context.read_alternatives(known_word(name)):
                yield known_word(name)


_FILE_IN_TEXT = re.compile(r"[\s'\"(=]([\w./~+-]+\.\w+)(?=$|[\s'\"),;])")
"""Matches the name of a file that an argument with code loads: `source run.gdb`, `render("a.Rmd")`."""
_is_bare_name = re.compile(r"[\w/~][\w./~-]*").fullmatch


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
dotnet | dotnet | .csx .fsx .cs .vb | run script fsi
dotnet-script csi csharprepl | dotnet | .csx | |
fsharpi fsi | dotnet | .fsx | |
jbang | jvm | .java .kt .groovy .jsh | |
amm | jvm | .sc | |
mill | jvm | .mill .sc | | build.mill build.sc
lein boot | lein | .clj | | project.clj build.boot
crystal | ruby | .cr | run spec play |
gdb | gdb | .gdb .gdbinit | | .gdbinit | -x --command -ix --init-command
lldb | gdb | .lldb .lldbinit | | .lldbinit | -s --source -S --source-before-file
vim vi ex view gvim | vim | .vim | | .exrc | -u
nvim | vim | .vim .lua | | .nvim.lua .exrc | -u -l -S
kak | kak | .kak | | kakrc
tmux byobu | tmux | .tmux .conf | | | -f
screen | screenrc | .screenrc | | .screenrc | -c
vhs | tape | .tape
cram | transcript | .t
shelltest | transcript | .test
doitlive | shell | .sh .session | play
bats | bats | .bats | | *.bats test/*.bats tests/*.bats
shellspec | shellspec | _spec.sh | | spec/*_spec.sh
quarto | markdown | .qmd .Rmd | render preview
quarto | notebook | .ipynb | --execute
Rscript R | markdown | .Rmd .Rnw
runme mdsh | markdown | .md | | README.md
emacs emacsclient | org | .org
papermill ploomber treon runipy jupyter-execute jupyter-run | notebook | .ipynb
jupyter jupyter-nbconvert | notebook | .ipynb | --execute execute run
pytest py.test | notebook | .ipynb | --nbmake --nbval --nbval-lax
jupytext | python | .py | --execute
marimo | python | .py | run export
makepkg | package-script | PKGBUILD | | PKGBUILD | -p
abuild | package-script | APKBUILD | | APKBUILD
ebuild | package-script | .ebuild
bitbake | bitbake | .bb .bbappend | | *.bb
rpmbuild rpmspec mock | rpm | .spec
snapcraft charmcraft rockcraft | snapcraft | | | snapcraft.yaml snap/snapcraft.yaml charmcraft.yaml rockcraft.yaml
nix-shell nix-build nix-instantiate nix | nix | .nix | | shell.nix default.nix flake.nix
guix | lisp | .scm | shell build environment package system | guix.scm manifest.scm
packer | packer | .pkr.hcl .json | build | *.pkr.hcl
luarocks | rockspec | .rockspec | make build install | *.rockspec
brew | ruby | .rb | install reinstall upgrade
snakemake | snakemake | .smk Snakefile | | Snakefile workflow/Snakefile | -s --snakefile
nextflow | nextflow | .nf .config | run | main.nf nextflow.config
tilt | starlark | Tiltfile .tiltfile | up ci | Tiltfile | -f --file
buck buck2 | starlark | | build run test install | BUCK
plz please | starlark | | build run test | BUILD BUILD.plz
pants | starlark | | run test package | BUILD BUILD.pants
mage | go | .go | | magefile.go magefiles/magefile.go
earthly | earthly | | | Earthfile
waf | waf | | | wscript
premake5 | lua | .lua | | premake5.lua
xmake | lua | .lua | | xmake.lua | -F --file
tup | tup | | | Tupfile
redo | shell | .do | | *.do
redo-ifchange redo-always | shell | .do
shake | haskell | .hs | | Shakefile.hs Build.hs
b2 bjam | jam | .jam | | Jamroot Jamfile Jamroot.jam Jamfile.jam
qmake qmake6 qmake-qt5 | qmake | .pro .pri | | *.pro
gyp gyp.py | gyp | .gyp .gypi
node-gyp | gyp | .gyp | | binding.gyp
autoconf autoreconf autom4te aclocal | autoconf | configure.ac configure.in .m4 | | configure.ac configure.in
asciidoctor asciidoctor-pdf | ruby | .rb | | | -r --require
latexmk | tex | .tex | -shell-escape --shell-escape -enable-write18 --enable-write18
latexmk | latexmk | .latexmkrc | | .latexmkrc latexmkrc | -r
pdflatex xelatex lualatex latex tex pdftex luatex luahbtex xetex | tex | .tex | -shell-escape --shell-escape -enable-write18 --enable-write18
procmail | procmail | * | | .procmailrc
mutt neomutt | muttrc | muttrc | | | -F
salt-call salt-ssh | salt | .sls | | *.sls
puppet | puppet | .pp | apply
chef-client chef-apply chef-solo | chef | .rb
pyinfra | pyinfra | .py
matlab octave octave-cli | calculator | .m
scilab scilab-cli | calculator | .sce .sci | | | -f
maxima | calculator | .mac .max | | | -b --batch
gp | calculator | .gp
swipl gprolog yap | calculator | .pl .pro | | | -f -g -s
sage | python | .sage .py
stata stata-mp stata-se | stata | .do
sas | sas | .sas
ghci | ghci | .ghci .hs | | .ghci | -ghci-script
"""


def _parse_table() -> dict[str, Program]:
    programs: dict[str, list[Program]] = {}
    for line in _TABLE.strip().splitlines():
        names, language, endings, verbs, project, options = (cell.split() for cell in f"{line}||||".split("|")[:6])
        own = tuple("" if each == "*" else each for each in endings)
        row = ScriptFiles(language[0], own, frozenset(verbs), tuple(project), frozenset(options))
        for name in names:
            programs.setdefault(name, []).append(Program(does=row.report_effects))
    return {name: combine_programs(*rows) for name, rows in programs.items()}


SCRIPT_FILES = _parse_table()
ROWS: dict[str, Program] = {name: SCRIPT_FILES[name] for name in MODULES["script_files"].split()}
