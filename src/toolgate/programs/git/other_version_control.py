"""Version control other than git, and programs that rewrite git's history."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program, make_carrier, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms, program_of_forms

_REWRITE_OPERATION = "git.rewrite-history"
_BFG = "-D,--delete-files= --delete-folders= -b,--strip-blobs-bigger-than= -B= -bi= -rt,--replace-text= --protect-blobs-from= --no-blob-protection -p= --private"


def git_program(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs `git-filter-repo ..`, `/usr/lib/git-core/git-push ..` as the git subcommands they are."""
    name = known_word(program_name(argv).removeprefix("git-"), argv[0].src)
    yield Run((known_word("git"), name, *argv[1:]), context.origin, make_carrier(argv))


_OPERATION_FLAGS = {"git.restore": (("discards", True),), "git.clean": (("force", True),), "cloud.delete": (("dry_run", False),)}


def version_control(
    discards: str, options: str, *, cleans: str = "", rewrites: str = "", erases: str = "", elsewhere: str = ""
) -> Program:
    """A version control program. `discards`: forms that discard changes; `cleans`: forms that delete untracked files;
    `erases`: forms that remove what it could restore; `elsewhere`: forms that delete something on its server."""
    every = parse_forms(
        {
            "git.restore": discards,
            "git.clean": cleans,
            _REWRITE_OPERATION: rewrites,
            "git.erase": erases,
            "cloud.delete": elsewhere,
        }
    )
    flags = build_flags(options, every, "-n,--dry-run")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        if parsed_options.has_flag("--help", "--dry-run", "-n") is not True:
            for form, target in match_forms(every, parsed_options, len(flags.parse(argv, stop=True).strange)):
                yield Operation(form.operation, context.origin, target, _OPERATION_FLAGS.get(form.operation, ()))
                break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


ROWS: dict[str, Program] = {
    "bfg": program_of_forms(
        {_REWRITE_OPERATION: "--delete-files; --delete-folders; --strip-blobs-bigger-than; -bi; -B; --replace-text"}, _BFG, dry=""
    ),
    "hg": version_control(
        "revert --all|-a|-C; update|up|checkout|co|goto --clean|-C",
        "--all -a -C,--clean -f,--force -r,--rev= -R,--repository= -y,--noninteractive -n -B= -b=",
        cleans="purge",
        rewrites="strip; debugstrip; push --force; histedit; rollback",
    ),
    "sl": version_control(
        "revert --all|-a; goto|go|update --clean|-C", "--all -a -C,--clean -r,--rev=", cleans="purge|clean", rewrites="hide"
    ),
    "svn": version_control(
        "revert -R|--recursive; revert --depth=infinity; cleanup --remove-unversioned|--remove-ignored|--vacuum-pristines",
        "-R,--recursive --depth= -m,--message= -F,--file= --username= --password= --force -r,--revision= -q,--quiet",
        elsewhere="delete|rm|remove|del http*|svn*|file:*",
    ),
    "jj": version_control(
        "",
        "-R,--repository= -r,--revision= -b,--bookmark= --remote= --expire= -q,--quiet",
        erases="op|operation abandon; util gc",
        elsewhere="git push --deleted|--delete",
    ),
    "fossil": version_control(
        "checkout|co --force|-f", "-f,--force -x --emptydirs -n,--dry-run", cleans="clean -f|--force|-x", erases="purge; shun"
    ),
    **dict.fromkeys(
        ("bzr", "brz"),
        version_control(
            "revert --no-backup",
            "--no-backup --force -r,--revision= -q,--quiet",
            cleans="clean-tree --force",
            rewrites="uncommit",
        ),
    ),
    "pijul": version_control("reset", "--dry-run --channel= --repository="),
    "cvs": version_control("update|up|upd -C", "-C -d -P -A -n -q -Q -r= -D="),
    "darcs": version_control("revert -a|--all", "-a,--all -p,--patches= --last=", rewrites="obliterate|unpull"),
    "svnadmin": version_control("", "", elsewhere="rmtxns|rmlocks|delrevprop|setrevprop"),
    "p4": version_control(
        "revert //...|...; clean; sync -f",
        "-c= -u= -p= -P= -d= -y -n -f -a -w",
        elsewhere="obliterate; depot|client|branch|label|user|group -d; delete //...",
    ),
    "git-lfs": program_of_forms(
        {_REWRITE_OPERATION: "migrate import|export"},
        "--everything --include= --exclude= --include-ref= --above= --yes --no-rewrite",
    ),
    **dict.fromkeys(
        ("git-filter-repo", "git-push", "git-reset", "git-clean", "git-update-ref", "git-gc"), Program(does=git_program)
    ),
}
