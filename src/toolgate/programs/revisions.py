"""Version control other than git, and programs that rewrite git's history."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .program import Program, via
from .verbs import forms, found, tool, with_information

_REWRITES = "git.rewrite-history"
_BFG = "-D,--delete-files= --delete-folders= -b,--strip-blobs-bigger-than= -B= -bi= -rt,--replace-text= --protect-blobs-from= --no-blob-protection -p= --private"


def without_git(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Run `git-filter-repo ..`, `/usr/lib/git-core/git-push ..` as the git subcommands they are."""
    name = known(via(argv).removeprefix("git-"), argv[0].src)
    yield Run((known("git"), name, *argv[1:]), seen.origin, via(argv))


_FLAGS = {"git.restore": (("discards", True),), "git.clean": (("force", True),), "cloud.delete": (("dry_run", False),)}


def versions(discards: str, options: str, *, cleans: str = "", rewrites: str = "", elsewhere: str = "") -> Program:
    """A version control program. `discards`: forms that discard changes; `cleans`: forms that delete untracked files;
    `elsewhere`: forms that delete something on its server."""
    every = forms({"git.restore": discards, "git.clean": cleans, _REWRITES: rewrites, "cloud.delete": elsewhere})
    flags = with_information(options, every, "-n,--dry-run")

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        if given.flag("--help", "--dry-run", "-n") is not True:
            for form, target in found(every, given, len(flags.read(argv, stop=True).strange)):
                yield Operation(form.operation, seen.origin, target, _FLAGS.get(form.operation, ()))
                break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


ROWS: dict[str, Program] = {
    "bfg": tool(
        {_REWRITES: "--delete-files; --delete-folders; --strip-blobs-bigger-than; -bi; -B; --replace-text"}, _BFG, dry=""
    ),
    "hg": versions(
        "revert --all|-a|-C; update|up|checkout|co|goto --clean|-C",
        "--all -a -C,--clean -f,--force -r,--rev= -R,--repository= -y,--noninteractive -n -B= -b=",
        cleans="purge",
        rewrites="strip; debugstrip; push --force; histedit; rollback",
    ),
    "sl": versions(
        "revert --all|-a; goto|go|update --clean|-C", "--all -a -C,--clean -r,--rev=", cleans="purge|clean", rewrites="hide"
    ),
    "svn": versions(
        "revert -R|--recursive; revert --depth=infinity; cleanup --remove-unversioned|--remove-ignored|--vacuum-pristines",
        "-R,--recursive --depth= -m,--message= -F,--file= --username= --password= --force -r,--revision= -q,--quiet",
        elsewhere="delete|rm|remove|del http*|svn*|file:*",
    ),
    "svnadmin": versions("", "", elsewhere="rmtxns|rmlocks|delrevprop|setrevprop"),
    "p4": versions(
        "revert //...|...; clean; sync -f",
        "-c= -u= -p= -P= -d= -y -n -f -a -w",
        elsewhere="obliterate; depot|client|branch|label|user|group -d; delete //...",
    ),
    "git-lfs": tool(
        {_REWRITES: "migrate import|export"}, "--everything --include= --exclude= --include-ref= --above= --yes --no-rewrite"
    ),
    **dict.fromkeys(
        ("git-filter-repo", "git-push", "git-reset", "git-clean", "git-update-ref", "git-gc"), Program(does=without_git)
    ),
}
