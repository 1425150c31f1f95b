"""Subcommands that git does not have: aliases, or programs of their own."""

from collections.abc import Iterator

from toolgate.model.effect import Carrier, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions

from .config_files import effective_settings, possible_values

_MAIN_COMMANDS = """
add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore
check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit
commit-graph commit-tree config count-objects credential credential-cache credential-store daemon describe
diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch
fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-commit-id grep hash-object
help hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb interpret-trailers log
ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index
merge-octopus merge-one-file merge-ours merge-recursive merge-recursive-ours merge-recursive-theirs
merge-resolve merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects
pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push quiltimport range-diff read-tree rebase
receive-pack reflog remote remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack replace
request-pull rerere reset restore rev-list rev-parse revert rm send-pack shell shortlog show show-branch
show-index show-ref sparse-checkout stage stash status stripspace submodule subtree switch symbolic-ref tag
unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var
verify-commit verify-pack verify-tag version whatchanged worktree write-tree
"""
BUILT_IN_COMMANDS = frozenset(_MAIN_COMMANDS.split())
"""git's own subcommands (`git --list-cmds=main,nohelpers`, git 2.39): no alias overrides them."""


def run_external_subcommand(
    _options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Runs a subcommand that is a program with a row: git-lfs."""
    yield Run((known_word(f"git-{argv[0].text}", argv[0].src), *argv[1:]), context.origin, Carrier("git"))


def find_configured_aliases(name: str, context: ExecutionContext) -> list[Word]:
    """Returns the aliases of this name in the configuration of the repository and the user."""
    return possible_values(effective_settings(context), f"alias.{name.lower()}")
