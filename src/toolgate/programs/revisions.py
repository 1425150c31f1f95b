"""Histories that are kept or rewritten by other programs than git."""

from collections.abc import Iterator

from toolgate.model.effect import Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .program import Program, via
from .verbs import tool

_REWRITES = "git.rewrite-history"
_BFG = "-D,--delete-files= --delete-folders= -b,--strip-blobs-bigger-than= -B= -bi= -rt,--replace-text= --protect-blobs-from= --no-blob-protection -p= --private"


def without_git(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git-filter-repo ..`, `/usr/lib/git-core/git-push ..`: git's own programs by their whole names."""
    name = known(via(argv).removeprefix("git-"), argv[0].src)
    yield Run((known("git"), name, *argv[1:]), seen.origin, via(argv))


ROWS: dict[str, Program] = {
    "bfg": tool(
        {_REWRITES: "--delete-files; --delete-folders; --strip-blobs-bigger-than; -bi; -B; --replace-text"}, _BFG, dry=""
    ),
    "hg": tool(
        {_REWRITES: "strip; debugstrip; push -f|--force; histedit; rollback", "git.discard": ""},
        "-f,--force -r,--rev= -R,--repository= -y,--noninteractive -n -B= -b=",
    ),
    "git-lfs": tool(
        {_REWRITES: "migrate import|export"}, "--everything --include= --exclude= --include-ref= --above= --yes --no-rewrite"
    ),
    **dict.fromkeys(
        ("git-filter-repo", "git-push", "git-reset", "git-clean", "git-update-ref", "git-gc"), Program(does=without_git)
    ),
}
