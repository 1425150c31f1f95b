"""What cannot be read: code made at run time, text that no shell would take, more than the gate follows.

Nobody can say what it would do. What a file of the project holds that was there before the call is not meant: any program has
such parts. Write the commands out plainly, or put them into a script in the project.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Interpret, Opaque, Run, Write
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
    if effect.origin.file:
        return  # in a file that was there before: its author's code, as a program's own is
    if isinstance(effect, Opaque):
        yield Match(effect, f"The gate cannot tell what this does: {effect.why}.")
    elif _is_of_the_project(effect, context):
        return
    elif not effect.followed and not _is_made_for_it(effect, options, context):
        shown = effect.code.shown.strip()
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        yield Match(effect, f"The gate cannot read the code that {effect.via or effect.language} runs here ({shown}).")


def _is_of_the_project(effect: Interpret, context: Context) -> bool:
    """A file beneath here whose name a search or a loop makes: it was there before, for this call has brought nothing here."""
    beneath = "/" in effect.file and effect.file[0] not in "/~$" and ".." not in effect.file
    return beneath and not effect.code.src and not any(isinstance(each, Connect | Write) for each in context.effects.all)


def _is_made_for_it(effect: Interpret, options: Options, context: Context) -> bool:
    makers = [run for run in context.effects.all if isinstance(run, Run) and run.origin.command in effect.code.src]
    return bool(makers) and all(_is_producer(run, options) for run in makers)


def _is_producer(run: Run, options: Options) -> bool:
    texts = [word.text or "" for word in run.argv[:4]]
    begins = [texts[0].rpartition("/")[2], *texts[1:]]
    return any(" ".join(begins[:n]) in options.producers for n in range(1, len(begins) + 1))
