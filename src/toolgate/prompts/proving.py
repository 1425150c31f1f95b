"""Whether every effect of a call is proven to be one that needs no question. Pure: a function of typed effects and findings, of
what the world says, of the person's host rules and of the grants that a person gave."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from toolgate.model.action import Action, ReadFile, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import Effect, Effects, Environment, Read, Run, Site, Write
from toolgate.model.event import Scene
from toolgate.model.permission import HostRule, ShellSetup, Unreadable
from toolgate.model.place import Zone
from toolgate.model.world import ABSENT, World

from .git_reading import doubt_of_git
from .host_rules import may_match
from .observers import read_arguments
from .plain_text import OF_THE_SHELL, PlainText, read_plain_text
from .surroundings import Ground


class Asked(NamedTuple):
    """A call that the host may be about to ask about. `setup`: what runs before a command of the shell."""

    action: Action
    tool: str
    effects: Effects
    decision: Decision
    scene: Scene
    world: World
    zones_of: Callable[[str], frozenset[Zone]]
    rules: tuple[HostRule, ...]
    setup: ShellSetup


class Answered(NamedTuple):
    """`reason` says what was proven; empty where the host is left to ask, and `doubt` says why."""

    reason: str = ""
    doubt: str = ""


def prove(asked: Asked) -> Answered:
    """Allows a call only where nothing of it is in doubt."""
    try:
        doubt = next(_doubts(asked), "")
    except Unreadable as problem:
        doubt = str(problem)
    return Answered(doubt=doubt) if doubt else Answered(READS)


READS = "every effect is certain: it only reads inside the project, or prints"


def _doubts(asked: Asked) -> Iterator[str]:
    decision = asked.decision
    if decision.findings or decision.waived or max(decision.judged, decision.verdict) is not Verdict.PASS or decision.rewrite:
        yield "a rule has something to say about it"
    home, project = f"{asked.scene.home.rstrip('/')}/", f"{asked.scene.project.rstrip('/')}/"
    if home.startswith(project) or not asked.scene.project.startswith("/"):
        yield "the project holds the home folder"
    match asked.action:
        case RunShell(text=text, language="shell", typed=False):
            yield from _doubts_of_shell(text, asked)
        case ReadFile():
            ground = Ground(asked.world, asked.zones_of, asked.scene.project, (asked.scene.cwd,))
            yield from _doubts_of_effects(asked, ground, PlainText())
        case _:
            yield f"calls of {asked.tool} are left to the host"


def _doubts_of_shell(text: str, asked: Asked) -> Iterator[str]:
    plain = read_plain_text(text)
    yield from _doubts_of_names(plain, asked)
    folders = _folders(plain, asked)
    ground = Ground(asked.world, asked.zones_of, asked.scene.project, folders)
    yield from (why for folder in folders if (why := ground.doubt_of_path(folder)))
    runs = asked.effects.of_kind(Run)
    if not plain.written.keys() <= {run.origin.span for run in runs}:
        yield "what one of its commands does is not told"
    for run in runs:
        written = plain.written.get(run.origin.span)
        if written is None or not written.is_of(tuple(word.text for word in run.argv)):
            yield "a command runs that is not the one that is written"
        yield from _doubts_of_run(run, plain, ground)
    if "git" in plain.names:
        for folder in folders:
            if why := doubt_of_git(asked.world, folder, asked.scene.home, asked.scene.environ):
                yield why
    yield from _doubts_of_effects(asked, ground, plain)


def _doubts_of_names(plain: PlainText, asked: Asked) -> Iterator[str]:
    """What the names of a text stand for is known."""
    for name in sorted(plain.variables):
        if name in asked.scene.environ or not _is_of_the_text(name):
            yield f"the variable {name} may change how a program works"
    for name in sorted(plain.expanded - plain.variables):
        if name not in _NO_SECRETS and name[0].isalpha():
            yield f"the value of {name} may be a secret"
    for name in sorted(plain.names):
        if name in asked.setup.shadowed:
            yield f"{name} is an alias or a function of the user's own"
        elif name not in BUILTINS and (why := _doubt_of_program(name, asked)):
            yield why
    if changing := next((name for name in asked.scene.environ if name.startswith(_CHANGING)), ""):
        yield f"the variable {changing} changes how programs work"


BUILTINS = OF_THE_SHELL | {"echo", "printf", "test", "["}
_CHANGING = (
    *("LD_", "DYLD_", "BASH_ENV", "BASH_FUNC_", "CDPATH", "SHELLOPTS", "BASHOPTS", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS"),
    *("CLAUDE_ENV_FILE", "CLAUDE_CODE_SHELL_PREFIX", "POSIXLY_CORRECT"),
)
"""Beginnings of variables under which a shell or a program that only reads does more than that."""
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
    """A variable that only the text itself reads."""
    return name not in _SHELLS_OWN and not name.startswith(_PREFIXES)


def _doubt_of_program(name: str, asked: Asked) -> str:
    """A name stands for a program of the system's, which nobody but its owner changes."""
    if "/" in name:
        return f"{name} is named by its path"
    if not asked.setup.paths:
        return "where programs are looked for is not known"
    for path in asked.setup.paths:
        for folder in path.split(":"):
            if not folder.startswith("/"):
                return "programs are looked for in the current folder"
            kind = asked.world.kind(f"{folder.rstrip('/')}/{name}")
            if kind is ABSENT:
                continue
            if folder.rstrip("/") not in SYSTEM_FOLDERS:
                return f"{name} is no program of the system's"
            break
        else:
            return f"there is no program {name}"
    return ""


SYSTEM_FOLDERS = frozenset(("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"))


def _folders(plain: PlainText, asked: Asked) -> tuple[str, ...]:
    """Every folder that a command of the text may run in."""
    found = {asked.scene.cwd}
    for folder in plain.folders:
        found |= {folder if folder.startswith("/") else f"{start.rstrip('/')}/{folder}" for start in found}
        if len(found) > _MOST_FOLDERS:
            raise Unreadable("the command changes its folder too often")
    ground = Ground(asked.world, asked.zones_of, asked.scene.project, ("/",))
    real: dict[str, None] = {}
    for folder in found:
        if why := ground.doubt_of_operand(folder, contents=True, tree=False):
            raise Unreadable(why)
    real.update(dict.fromkeys(path for path, _ in ground.looked_at))
    return tuple(real)


_MOST_FOLDERS = 8


def _doubts_of_run(run: Run, plain: PlainText, ground: Ground) -> Iterator[str]:
    name = run.argv[0].text if run.argv else None
    if name is None or name not in plain.names:
        yield "it runs a command that its text does not name"
        return
    plainly = (run.via, run.site, run.stdin, run.env, run.clean, run.place) == ("", None, None, (), False, None)
    if run.sure is not True or not plainly or run.cwd is None or run.cwd.text is None:
        yield f"how {name} runs is not certain"
    words = []
    for word in run.argv[1:]:
        text = word.text
        if word.src and name not in ("echo", "printf"):
            yield f"what {name} is given is only known when it runs"
        if text is None:
            if plain.expands and name not in ("echo", "printf"):
                yield f"what {name} is given is only known when it runs"
            text = word.pattern
            if name not in ("echo", "printf") and not _is_path_pattern(text, ground):
                yield f"what {name} is given is only known when it runs"
        words.append(text)
    reading = read_arguments(name, tuple(words))
    if isinstance(reading, str):
        yield reading
        return
    for path in reading.paths:
        if why := ground.doubt_of_operand(path, contents=reading.contents, tree=reading.trees):
            yield why


def _is_path_pattern(pattern: str, ground: Ground) -> bool:
    """A glob none of whose matches could be taken for an option."""
    return not pattern.startswith("-") and not any(name.startswith("-") for name in ground.expand(pattern))


def _doubts_of_effects(asked: Asked, ground: Ground, plain: PlainText) -> Iterator[str]:
    for effect in asked.effects.all:
        origin = effect.origin
        if origin.sure is not True or origin.site != Site(user=asked.scene.user) or origin.via or origin.file:
            yield "an effect of it is not certain"
        yield from _doubts_of_effect(effect, ground, plain)
    for rule in asked.rules:
        if may_match(rule, asked.tool, asked.effects, plain, ground, asked.scene):
            yield f"a rule of the user's own in the host's settings may be about it ({rule.tool})"


def _doubts_of_effect(effect: Effect, ground: Ground, plain: PlainText) -> Iterator[str]:
    match effect:
        case Run():
            pass  # its words were looked at
        case Read(place=place, tree=tree):
            if why := ground.doubt_of_read(place, tree=tree):
                yield why
        case Write(place=place) if place.path == "/dev/null":
            pass
        case Environment(name=name) if name in plain.variables:
            pass
        case _:
            yield f"{_DOES.get(type(effect).__name__, 'it does more than read')}"


_DOES: Mapping[str, str] = {
    "Connect": "it uses the network",
    "Opaque": "a part of it could not be read",
    "Interpret": "it runs code",
    "Write": "it writes",
    "Delete": "it deletes",
    "Send": "it sends text to somebody",
}
