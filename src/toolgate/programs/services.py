"""Package registries: what is published there, or taken back."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, some

from .options import Flags
from .program import Program, via


def publisher(*verbs: str) -> Program:
    """A package tool whose `verbs` make something public for good."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = Flags(
            "-n,--dry-run --allow-dirty -p,--package= --token= --registry= -r,--repository= -u,--username= --skip-existing -v,--verbose --yank --vers="
        ).read(argv)
        action = some(word.equals(*verbs) for word in given.operands[:1])
        if action is not False:
            yield Operation(
                "package.publish",
                seen.origin,
                given.operands[-1],
                (("dry_run", given.flag("--dry-run")), ("removes", given.flag("--yank"))),
            )
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


ROWS: dict[str, Program] = {
    "cargo": publisher("publish", "yank", "owner"),
    "twine": publisher("upload"),
    "gem": publisher("push", "yank"),
    "flit": publisher("publish"),
}
