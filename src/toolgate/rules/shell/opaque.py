"""What cannot be read: code made at run time, text that no shell would take, more than the gate follows.

Nobody can say what it would do. Code that a file of the project makes at run time is not meant, where the file was there before
the call: any program has such parts. A file that runs and was not read as a whole is meant: it is too large, does not parse, or
cannot be opened. Write the commands out plainly, or put them into a script in the project.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import ELSEWHERE, Connect, Effect, Interpret, Opaque, Run, Write
from toolgate.model.rule import Context

# fmt: off
PRODUCERS = (
    "ssh-agent", "gpg-agent", "keychain", "direnv", "pyenv", "rbenv", "nodenv", "goenv", "jenv", "phpenv", "plenv", "fnm",
    "mise", "rtx", "asdf", "brew", "starship", "zoxide", "atuin", "fzf", "dircolors", "lesspipe", "opam", "luarocks",
    "conda", "mamba", "micromamba", "docker-machine", "minikube", "register-python-argcomplete", "resize", "tset",
    "locale-gen", "poetry", "hatch", "thefuck", "gpgconf", "luaver", "kubectl completion", "helm completion", "gh completion",
    "npm completion", "pnpm completion", "pnpm env", "op signin", "op completion", "bw completion",
    "aws configure export-credentials",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Options:
    """`producers`: programs whose output is made to be evaluated (`eval "$(ssh-agent -s)"`), or how those commands begin."""

    producers: tuple[str, ...] = PRODUCERS


def check(effect: Opaque | Interpret, options: Options, context: Context) -> Iterator[Match]:
    if isinstance(effect, Opaque) and effect.is_unread:
        yield Match(effect, f"The gate cannot tell what this does: {effect.why}.")
        return
    if effect.origin.file and not _may_be_brought(effect, context):
        return  # in a file that was there before: its author's code, as a program's own is
    if isinstance(effect, Opaque):
        yield Match(effect, f"The gate cannot tell what this does: {effect.why}.")
    elif effect.language in ELSEWHERE or _is_of_the_project(effect, context):
        return
    elif not effect.followed and not _is_made_for_it(effect, options, context):
        shown = effect.code.shown.strip()
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        yield Match(effect, f"The gate cannot read the code that {effect.via or effect.language} runs here ({shown}).")


def _may_be_brought(effect: Opaque | Interpret, context: Context) -> bool:
    """A file that cannot be told or read, after this very call has put into a file what came over the network."""
    if not isinstance(effect, Interpret) or effect.file != effect.origin.file:
        return False
    every: list[Connect | Write] = [*context.effects.of_kind(Connect), *context.effects.of_kind(Write)]
    said = [each for each in every if not each.origin.file]
    connections = {each.origin.command for each in said if isinstance(each, Connect)}
    return any(
        each.origin.command in connections or (each.content is not None and not connections.isdisjoint(each.content.src))
        for each in said
        if isinstance(each, Write)
    )


def _is_of_the_project(effect: Interpret, context: Context) -> bool:
    """A file beneath here whose name a search or a loop makes: it was there before, for this call has brought nothing here."""
    beneath = "/" in effect.file and effect.file[0] not in "/~$" and ".." not in effect.file
    return beneath and not effect.code.src and not any(context.effects.of_kind(kind) for kind in _CHANGES)


_CHANGES: tuple[type[Effect], ...] = (Connect, Write)


def _is_made_for_it(effect: Interpret, options: Options, context: Context) -> bool:
    """Does all of it come from programs whose output is made to be evaluated?"""
    makers = [run for number in effect.code.src for run in context.effects.of(number) if isinstance(run, Run)]
    return bool(makers) and all(_is_producer(run, options) or _sets_up_a_shell(run, context) for run in makers)


def _is_producer(run: Run, options: Options) -> bool:
    texts = [word.text or "" for word in run.argv[:4]]
    begins = [texts[0].rpartition("/")[2], *texts[1:]]
    return any(" ".join(begins[:n]) in options.producers for n in range(1, len(begins) + 1))


_SHELL = r"(?:ba|z|da|fi|k|tc|c)?sh|posix|pwsh"
_ASKED = re.compile(
    rf"(?:--)?(?:shell[-_.]?)?(?:init|hook|env|shellenv|activate|alias|integration|widget|(?:generate-shell-)?completions?(?:-script)?)"
    rf"(?:[-_.=](?:shell|{_SHELL}))?"
).fullmatch
_HOW = re.compile(rf"-|-s|--shell|--path|--cmd|global|script|print|generate|(?:--|--shell=)?(?:{_SHELL})").fullmatch


def _sets_up_a_shell(run: Run, context: Context) -> bool:
    """`tool init bash`, `tool completion zsh`: asked for nothing but the set-up of a shell, of what it has itself."""
    words = [word.text or "$" for word in run.argv[1:]]
    asked = [word for word in words if _ASKED(word)]
    number, effects = run.origin.command, context.effects
    alone = all(isinstance(each, Run) for each in effects.of(number))
    alone = alone and not effects.is_fed(number)
    return len(asked) == 1 and alone and all(_ASKED(word) or _HOW(word) for word in words)
