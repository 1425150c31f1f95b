"""Proves that no effect of a call needs a question.

Pure: a function of typed effects and findings, the state of the world, the person's host rules and the grants a person gave.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from toolgate.consent.grants import Command, Deed, Grant, deeds_of, find_covering_grant
from toolgate.model.action import Action, EditFile, ReadFile, RunShell, WriteFile
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import LOCAL_SITE, Effect, Effects, Environment, Interpret, Read, Run, Site, Write, list_places
from toolgate.model.event import Scene
from toolgate.model.permission import HostRule, ShellSetup, Unreadable
from toolgate.model.place import Zone
from toolgate.model.word import Word
from toolgate.model.world import ABSENT, GitState, World

from .git_reading import doubt_of_git
from .host_rules import may_match
from .observers import read_arguments
from .operand_reading import Reading
from .plain_text import OF_THE_SHELL, PlainText, read_plain_text
from .surroundings import Ground
from .writers import read_writing


class Asked(NamedTuple):
    """A call that the host may be about to ask about.

    `setup`: the code that runs before a shell command. `grants`: those valid now; a grant for the project's tests is included
    only if no session has changed what they load.
    """

    action: Action
    tool: str
    effects: Effects
    decision: Decision
    scene: Scene
    world: World
    zones_of: Callable[[str], frozenset[Zone]]
    rules: tuple[HostRule, ...]
    setup: ShellSetup
    grants: tuple[Grant, ...] = ()


class Answered(NamedTuple):
    """The outcome of a proof.

    `reason`: the statement that was proven; empty if the question is left to the host, and `doubt` then gives the reason.
    `grants`: ids of the grants it relies on. `needs`: the commands that no grant covers, where nothing else is in doubt.
    """

    reason: str = ""
    doubt: str = ""
    grants: tuple[str, ...] = ()
    needs: tuple[Command, ...] = ()


READS = "every effect is certain: it only reads inside the project, or prints"
GRANTED = "every effect is certain, and covered by what the user granted"
TESTS = "the user granted this project's own test command, and nothing that it loads has changed"
_NOT_GRANTED = "no grant covers what it changes"


def prove(question: Asked) -> Answered:
    """Allows a call only if no part of it is in doubt."""
    proof = _Proof(question)
    try:
        doubt = next(proof.doubts(), "")
    except Unreadable as problem:
        doubt = str(problem)
    if doubt:
        return Answered(doubt=doubt)
    if proof.needs:
        return Answered(doubt=_NOT_GRANTED, needs=tuple(proof.needs))
    return Answered(proof.reason or (GRANTED if proof.used else READS), grants=tuple(dict.fromkeys(proof.used)))


class _Proof:
    """The proof of one call under construction."""

    def __init__(self, question: Asked) -> None:
        self.asked = question
        self.reason = ""
        self.used: list[str] = []
        self.needs: list[Command] = []

    def doubts(self) -> Iterator[str]:
        question = self.asked
        decision = question.decision
        if decision.findings or decision.waived or max(decision.judged, decision.verdict) is not Verdict.PASS or decision.rewrite:
            yield "a rule has something to say about it"
        home, project = f"{question.scene.home.rstrip('/')}/", f"{question.scene.project.rstrip('/')}/"
        if home.startswith(project) or not question.scene.project.startswith("/"):
            yield "the project holds the home folder"
        match question.action:
            case RunShell(text=text, language="shell", typed=False):
                yield from self.of_shell(text)
            case ReadFile() | WriteFile() | EditFile():
                ground = Ground(question.world, question.zones_of, question.scene.project, (question.scene.cwd,))
                self.need(Command(question.tool, (), tuple(self.deeds(question.effects.all))))
                yield from self.of_effects(ground, PlainText())
            case _:
                yield f"calls of {question.tool} are left to the host"

    def of_shell(self, text: str) -> Iterator[str]:
        question = self.asked
        plain = read_plain_text(text)
        yield from _doubts_of_names(plain, question)
        ground = Ground(question.world, question.zones_of, question.scene.project, _folders(plain, question))
        yield from (why for folder in ground.folders if (why := ground.doubt_of_path(folder)))
        yield from (why for glob in sorted(plain.globs) if (why := ground.doubt_of_operand(glob, contents=False, tree=False)))
        stripped = text.strip()
        if test := next(
            (each.id for each in question.grants for clause in each.clauses if clause.test and " ".join(clause.test) == stripped),
            None,
        ):
            self.used.append(test)
            self.reason = TESTS
            yield from self.of_tests(plain, ground)
            return
        runs = question.effects.of_kind(Run)
        if not plain.written.keys() <= {run.origin.span for run in runs}:
            yield "what one of its commands does is not told"
        for run in runs:
            yield from self.of_run(run, plain, ground)
        if "git" in plain.names:
            for folder in ground.folders:
                if why := doubt_of_git(question.world, folder, question.scene.home, question.scene.environ):
                    yield why
        yield from self.of_effects(ground, plain)

    def of_tests(self, plain_text: PlainText, ground: Ground) -> Iterator[str]:
        """Yields the doubts about a test run; the files that tests use are not checked, except against the host's rules."""
        for effect in self.asked.effects.all:
            if not isinstance(effect, Run | Read | Write | Interpret):
                yield "the tests do more than run the project's code"
        yield from self.of_rules(ground, plain_text)

    def of_run(self, run: Run, plain_text: PlainText, ground: Ground) -> Iterator[str]:
        written = plain_text.written.get(run.origin.span)
        name = run.argv[0].text if run.argv else None
        if name is None or written is None or not written.is_of(tuple(word.text for word in run.argv)):
            yield "a command runs that is not the one that is written"
            return
        plainly = (run.via, run.site, run.stdin, run.env, run.clean, run.place) == (None, None, None, (), False, None)
        if run.sure is not True or not plainly or run.cwd is None or run.cwd.text is None:
            yield f"how {name} runs is not certain"
        words = tuple(_text_of(word, name, plain_text, ground) for word in run.argv[1:])
        reading = read_arguments(name, words)
        deeds = tuple(self.deeds(self.asked.effects.of_command(run.origin.command)))
        if isinstance(reading, Reading):
            if deeds:
                self.need(Command(name, (), deeds))
            paths, contents, trees = reading
            if name not in ("echo", "printf") and any(
                word.text is None and each not in paths for word, each in zip(run.argv[1:], words, strict=True)
            ):
                yield f"which names {name} is given is only known when it runs"
        else:
            writing = read_writing(name, words)
            if writing is None or (writing.program == "git commit" and self.has_hooks(ground)):
                yield reading
                return
            self.need(Command(writing.program, writing.options, deeds))
            paths, contents, trees = writing.paths, True, False
        for path in paths:
            if why := ground.doubt_of_operand(path, contents=contents, tree=trees):
                yield why

    def has_hooks(self, ground: Ground) -> bool:
        """Returns whether git might run hooks; sample hooks are ignored."""
        for folder in ground.folders:
            state = self.asked.world.git(folder)
            listed = self.asked.world.listing(f"{state.root}/.git/hooks", _MOST_HOOKS) if isinstance(state, GitState) else ()
            if listed is not ABSENT and not (isinstance(listed, tuple) and all(name.endswith(".sample") for name in listed)):
                return True
        return False

    def deeds(self, effects: Iterable[Effect]) -> Iterator[Deed]:
        for effect in effects:
            if not _needs_no_grant(effect):
                found = deeds_of(effect)
                if found is None:
                    raise Unreadable(_DOES.get(type(effect).__name__, "it does more than read"))
                yield from found

    def need(self, command: Command) -> None:
        if self.asked.tool in _READING_TOOLS and not command.deeds:
            return
        covered = find_covering_grant(self.asked.grants, command)
        if covered is None:
            self.needs.append(command)
        else:
            self.used.append(covered)

    def of_effects(self, ground: Ground, plain_text: PlainText) -> Iterator[str]:
        commands = {run.origin.command for run in self.asked.effects.of_kind(Run)}
        for effect in self.asked.effects.all:
            origin = effect.origin
            here = origin.site in (LOCAL_SITE, Site(user=self.asked.scene.user))
            if origin.sure is not True or not here or origin.via or origin.file:
                yield "an effect of it is not certain"
            if isinstance(effect, Environment) and effect.name not in plain_text.variables:
                yield "it sets a variable"
            if isinstance(effect, Read) and (why := ground.doubt_of_read(effect.place, tree=effect.tree)):
                yield why
            if not _needs_no_grant(effect):
                if isinstance(self.asked.action, RunShell) and origin.command not in commands:
                    yield _DOES.get(type(effect).__name__, "it does more than read")
                for place in list_places(effect):
                    if why := ground.doubt_of_change(place):
                        yield why
        yield from self.of_rules(ground, plain_text)

    def of_rules(self, ground: Ground, plain_text: PlainText) -> Iterator[str]:
        question = self.asked
        for rule in question.rules:
            if may_match(rule, question.tool, question.effects, plain_text, ground, question.scene):
                yield f"a rule of the user's own in the host's settings may be about it ({rule.tool})"


_READING_TOOLS = ("Read",)
_MOST_HOOKS = 100


def _needs_no_grant(effect: Effect) -> bool:
    """Returns whether an effect needs no grant; programs, reads and variables are checked separately."""
    return isinstance(effect, Run | Read | Environment) or (isinstance(effect, Write) and effect.place.path == "/dev/null")


def _text_of(word: Word, name: str, plain_text: PlainText, ground: Ground) -> str:
    """Returns a command's argument, or the pattern of a glob. Raises Unreadable for a word known only at run time."""
    if name in ("echo", "printf"):
        return word.pattern if word.text is None else word.text
    if not word.src and word.text is not None:
        return word.text
    pattern = word.pattern
    if word.src or plain_text.expands or pattern.startswith("-") or any(each.startswith("-") for each in ground.expand(pattern)):
        raise Unreadable(f"what {name} is given is only known when it runs")
    return pattern


def _doubts_of_names(plain_text: PlainText, question: Asked) -> Iterator[str]:
    """Yields a doubt for each name whose meaning is not certain."""
    if not _RESERVED.isdisjoint(question.setup.shadowed):
        yield "a word of the shell's own syntax is an alias"
    for name in sorted(plain_text.variables):
        if name in question.scene.environ or not _is_of_the_text(name):
            yield f"the variable {name} may change how a program works"
    for name in sorted(plain_text.expanded - plain_text.variables):
        if name not in _NO_SECRETS and name.isidentifier():
            yield f"the value of {name} may be a secret"
    for name in sorted(plain_text.names):
        if name in question.setup.shadowed:
            yield f"{name} is an alias or a function of the user's own"
        elif name not in BUILTINS and (why := _doubt_of_program(name, question)):
            yield why
    if changing := next((name for name in question.scene.environ if name.startswith(_CHANGING)), ""):
        yield f"the variable {changing} changes how programs work"


_RESERVED = frozenset("if then elif else fi for while until do done case esac in { } ! [[ ]] time function select".split())
BUILTINS = OF_THE_SHELL | {"echo", "printf", "test", "["}
_CHANGING = (
    *("LD_", "DYLD_", "BASH_ENV", "BASH_FUNC_", "CDPATH", "SHELLOPTS", "BASHOPTS", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS"),
    *("CLAUDE_ENV_FILE", "CLAUDE_CODE_SHELL_PREFIX", "POSIXLY_CORRECT"),
)
"""Prefixes of variables that make a shell or a reading program do more than read."""
_SHELLS_OWN = frozenset(
    "BASH PATH IFS ENV PS1 PS4 PROMPT_COMMAND GLOBIGNORE TMPDIR HOME PWD OLDPWD CDPATH SHELL EXECIGNORE".split()
)
_NO_SECRETS = frozenset("HOME PWD OLDPWD USER LOGNAME PATH SHELL LANG TERM HOSTNAME".split())
_PREFIXES = (
    "BASH_",
    "HIST",
    "LC_",
    "LD_",
    "GIT_",
    "DYLD_",
    "COMP_",
    "ZSH",
    "POSIX",
    "OPT",
    "READLINE",
    "TIME",
    "GREP_",
    "RIPGREP_",
)


def _is_of_the_text(name: str) -> bool:
    """Returns whether only the text itself reads a variable."""
    return name not in _SHELLS_OWN and not name.startswith(_PREFIXES)


def _doubt_of_program(name: str, question: Asked) -> str:
    """Returns a doubt unless a name denotes a system program that only its owner can change."""
    if "/" in name:
        return f"{name} is named by its path"
    if question.setup.paths is None:
        return ""
    if not question.setup.paths:
        return "where programs are looked for is not known"
    for path in question.setup.paths:
        for folder in path.split(":"):
            if not folder.startswith("/"):
                return "programs are looked for in the current folder"
            kind = question.world.kind(f"{folder.rstrip('/')}/{name}")
            if kind is ABSENT:
                continue
            if folder.rstrip("/") not in SYSTEM_FOLDERS:
                return f"{name} is no program of the system's"
            break
        else:
            return f"there is no program {name}"
    return ""


SYSTEM_FOLDERS = frozenset(("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"))


def _folders(plain_text: PlainText, question: Asked) -> tuple[str, ...]:
    """Returns every folder that a command of the text may run in."""
    found = {question.scene.cwd}
    for folder in plain_text.folders:
        found |= {folder if folder.startswith("/") else f"{start.rstrip('/')}/{folder}" for start in found}
        if len(found) > _MOST_FOLDERS:
            raise Unreadable("the command changes its folder too often")
    ground = Ground(question.world, question.zones_of, question.scene.project, ("/",))
    return tuple(dict.fromkeys(path for folder in sorted(found) for path in ground.real_paths(folder)))


_MOST_FOLDERS = 8


_DOES: Mapping[str, str] = {
    "Connect": "it uses the network",
    "Opaque": "a part of it could not be read",
    "Interpret": "it runs code",
    "Write": "it writes",
    "Delete": "it deletes",
    "Send": "it sends text to somebody",
}
