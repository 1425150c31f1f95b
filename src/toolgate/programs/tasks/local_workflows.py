"""act: workflows of a forge that run on this machine, in containers or without them."""

from collections.abc import Iterator

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.effect import Carrier, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

from .steps import Step, unread_step
from .task_files import interpret_step, read_candidates, resolve_folder
from .workflows import interpolate_expressions, iter_job_commands

_ACT = Flags(
    "-P,--platform= -W,--workflows= -j,--job= -e,--eventpath= -s,--secret= --secret-file= --env= --env-file= --var= --input= -C,--directory="
    " --container-options= --container-architecture= --artifact-server-path= --matrix= -a,--actor= -b,--bind -n,--dryrun -l,--list"
    " -g,--graph -r,--reuse -v,--verbose -q,--quiet -w,--watch -h,--help --version --privileged --pull=? --rm"
)


def act(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Without a container, which `-P LABEL=-self-hosted` asks for, the commands run on this machine."""
    options = _ACT.parse(argv)
    if options.has_flag("--dryrun", "--list", "--graph", "--help", "--version") is True:
        return
    for added in options.values_of("--container-options"):
        yield Run(
            (known_word("docker"), known_word("run"), *added.split_at(" "), known_word("image")), context.origin, Carrier("act")
        )
    if not any(value.tail.endswith("=-self-hosted") for value in options.values_of("--platform")):
        return
    folder = resolve_folder(options.value_of("--directory"), context)
    chosen = options.value_of("--workflows")
    files: tuple[Word, ...] = (chosen,) if chosen is not None and chosen.tail.endswith((".yml", ".yaml")) else ()
    within = "./.github/workflows" if chosen is None else chosen.text or ""
    paths = () if files else context.list_files(Word((f"{within.rstrip('/')}/", glob_hole("*"))))
    for path in (*files, *map(known_word, paths)):
        for file in read_candidates((path,), folder, context):
            try:
                top = read_yaml(file.text)
            except InvalidDocument as problem:
                yield interpret_step(unread_step(str(problem)), file, context)
                continue
            for body, _ in iter_job_commands(top, {}):
                yield interpret_step(Step(interpolate_expressions(body), 1), file, context)


def gh(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`gh act` is an extension that runs act."""
    if len(argv) > 1 and argv[1].text == "act":
        yield from act(argv[1:], context)


ROWS: dict[str, Program] = {"act": Program(does=act), "gh": Program(does=gh)}
