"""git: the effects of each subcommand on the work tree, the history and the server, and the programs that its options run."""

from collections.abc import Callable, Iterator

from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Interpret,
    Move,
    Operation,
    PrintedOutput,
    Read,
    ReportedEffect,
    Run,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, Word, join_words, known_word, maybe_all, maybe_any, unknown_word
from toolgate.programs.argv.conventions import git_outputs
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program
from toolgate.programs.files import patches

from .adding import add
from .aliases import BUILT_IN_COMMANDS, find_configured_aliases, run_external_subcommand
from .call_settings import settings_of_call, words_for_push
from .checkout import checkout, restore, switch
from .cleaning import clean
from .config_command import TRUE_VALUES, config
from .config_files import work_tree
from .configured_commands import run_commands_of_call, run_configured_commands
from .expiry import expire_objects, expires_at_once
from .global_options import GLOBAL_OPTIONS, run_in_named_folders
from .hooks import run_hooks
from .losses import at_stake_of_reset, describe_stash, stakes_of_branches
from .refs import build_operation, create_branch, symbolic_ref, update_ref
from .sharing import send_to_others

SubcommandHandler = Callable[[ParsedOptions, tuple[Word, ...], ExecutionContext], Iterator[ReportedEffect]]


def git(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    top = GLOBAL_OPTIONS.parse(argv, stop=True)
    if (elsewhere_run := run_in_named_folders(argv, top, context)) is not None:
        yield elsewhere_run
        return
    call_settings = list(settings_of_call(top, context))
    yield from run_commands_of_call(call_settings, context)
    rest = argv[top.rest :]
    if not rest:
        return
    named = {setting.name: setting.value for setting in call_settings}
    if named.get("clean.requireforce", known_word("true")).is_any_of(*TRUE_VALUES) is not True and rest[0].text == "clean":
        rest = (rest[0], known_word("--force"), *rest[1:])
    if rest[0].text == "gc" and expires_at_once(named):
        rest = (rest[0], known_word("--prune=now"), *rest[1:])
    if rest[0].text == "push":
        rest = (rest[0], *words_for_push(call_settings), *rest[1:])
    alias = named.get(f"alias.{(rest[0].text or '').lower()}")
    if alias is not None:
        yield from _effects_of_alias(alias, rest, context)
        return
    elsewhere = any(name in ("core.worktree", "core.bare", "core.sparsecheckout") for name in named)
    yield from map(_drop_relief, _effects_of_subcommand(rest, context)) if elsewhere else _effects_of_subcommand(rest, context)
    yield from run_configured_commands(rest, argv[: top.rest], call_settings, context)
    yield from run_hooks(rest, named.get("core.hookspath"), context)


def _drop_relief(effect: ReportedEffect) -> ReportedEffect:
    """Drops what was proven about the work tree: a setting on the command line makes git work on another one."""
    if not isinstance(effect, Operation):
        return effect
    return effect._replace(
        flags=tuple(each for each in effect.flags if each[0] not in ("held", "named")), stakes=None, work_tree=""
    )


def _effects_of_subcommand(rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    sub = SUBCOMMANDS.get(rest[0].text or "")
    yield from git_outputs(rest, context)
    if sub is None and rest[0].text is not None and rest[0].text not in BUILT_IN_COMMANDS:
        for alias in find_configured_aliases(rest[0].text, context):
            yield from _effects_of_alias(alias, rest, context)
    elif rest[0].text is None:
        for name in ("push", "reset", "clean"):
            yield Operation(f"git.{name}", context.origin, None, (("force", None), ("hard", None)))
    elif sub is not None:
        flags, does = sub
        options = flags.parse(rest)
        yield from send_to_others(options, rest, context)
        if options.has_flag("--help") is not True:
            yield from does(options, rest, context)


def _effects_of_alias(alias: Word, rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if alias.starts_with("!") is not False:
        yield Interpret("shell", alias.drop_first(1) if alias.head else alias, context.origin, rest, via=Carrier("git", "alias"))
        return
    words = tuple(known_word(text) for text in (alias.text or "").split()) if alias.text is not None else (alias,)
    yield from git((known_word("git"), *words, *rest[1:]), context)


def push(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    remote, refs = (options.operands[0], options.operands[1:]) if options.operands else (known_word("origin"), [])
    force = maybe_any((options.has_flag("--force"), *(ref.starts_with("+") for ref in refs)))
    delete = maybe_any((options.has_flag("--delete"), *(ref.starts_with(":") if ref.text != ":" else False for ref in refs)))
    yield build_operation(
        "push",
        context,
        refs[0] if refs else None,
        force=force,
        lease=options.has_flag("--force-with-lease"),
        delete=delete,
        mirror=maybe_any((options.has_flag("--mirror"), options.has_flag("--prune"))),
        dry_run=options.has_flag("--dry-run"),
        all=options.has_flag("--all"),
    )
    for program in options.values_of("--receive-pack"):
        yield Interpret("shell", program, context.origin, via=Carrier("git", "push --receive-pack"))
    yield Connect(remote, context.origin)


def reset(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    hard = maybe_any((options.has_flag("--hard"), options.has_flag("--merge")))
    target = options.operands[0] if options.operands else None
    held, stakes = at_stake_of_reset(target, context) if hard is not False else (False, None)
    yield build_operation("reset", context, target, stakes=stakes, hard=hard, held=held)


def stash(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    action = options.operands[0].text if options.operands else "push"
    if action in ("drop", "clear", None):
        what = options.operands[1] if options.operands[1:] else known_word("stash@{0}")
        described = describe_stash(what, context) if action == "drop" else None
        yield build_operation("stash", context, described, drop=True if action == "drop" else None, clear=action == "clear")
    elif action == "show":
        yield from (
            Read(context.resolve_place(file), context.origin) for file in options.operands[1:] if file.contains("@") is False
        )


def branch(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if options.has_flag("--show-current") is True:
        yield PrintedOutput(Word((Hole("[!-+:]*", "the current branch"),), src=context.unknown_output("git").src))
    deletes = maybe_any((options.has_flag("--delete"), options.has_flag("-D")))
    force = maybe_any((options.has_flag("-D"), options.has_flag("-M"), options.has_flag("-C"), options.has_flag("--force")))
    names = [word for word in argv[1:] if word.starts_with("-") is not True]
    if names and (deletes is not False or force is not False):
        # an unknown name may be an option to git, but a branch is not named `-D`
        unsure = options.open and force is None and deletes is True
        stakes = stakes_of_branches(names, options, context) if deletes is True and force is True else None
        force, alone = False if unsure else force, len(names) == 1 and options.has_flag("--remotes") is False
        yield build_operation("branch", context, names[0], stakes=stakes, delete=deletes, force=force, alone=alone)
    elif names and len(names) == len(argv) - 1:
        yield from create_branch(names[0], context)


def commit(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield build_operation("commit", context, None, amend=options.has_flag("--amend"), no_verify=options.has_flag("--no-verify"))
    for file in options.values_of("--file", "--template"):
        yield Read(context.resolve_place(file), context.origin)


_RESUMING_OPTIONS = ("--abort", "--continue", "--skip", "--quit", "--edit-todo", "--show-current-patch")


def rebase(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    for code in options.values_of("--exec"):
        yield Interpret("shell", code, context.origin, via=Carrier("git", "rebase --exec"))
    if options.has_flag("--root") is True and options.has_flag(*_RESUMING_OPTIONS) is not True:
        yield Operation("git.rewrite-history", context.origin, known_word("rebase --root"))
    yield build_operation(
        "rebase", context, options.operands[0] if options.operands else None, under_way=options.has_flag(*_RESUMING_OPTIONS)
    )


def bisect(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if options.operands and options.operands[0].text == "run":
        yield Run(tuple(argv[2:]), context.origin, Carrier("git", "bisect run"))


def run_external_viewers(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`git grep -O` and `git difftool -x` name the program that shows the files."""
    for name in ("--open-files-in-pager", "--extcmd"):
        for code in options.values_of(name):
            yield Interpret("shell", code, context.origin, via=Carrier("git", name))


def submodule(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    at = next((n for n, word in enumerate(argv) if word.text == "foreach"), None)
    if at is not None:
        words = [word for word in argv[at + 1 :] if word.text not in ("--recursive", "--quiet")]
        yield Interpret("shell", join_words(words, " "), context.origin, via=Carrier("git", "submodule foreach"))
    verb = options.operands[0].text if options.operands else None
    if verb in ("deinit", "update"):
        yield build_operation(
            "worktree", context, options.operands[-1], remove=verb == "deinit", force=options.has_flag("--force")
        )


def filter_branch(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    for name, code in options.values:
        if name.endswith("-filter"):
            yield Interpret("shell", code, context.origin, via=Carrier("git", f"filter-branch {name}"))
    yield build_operation("rewrite-history", context, argv[0])


def overwrite_from_index(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """read-tree --reset -u, checkout-index -f: files are overwritten from the index."""
    forced = maybe_any((options.has_flag("--force"), maybe_all((options.has_flag("--reset"), options.has_flag("-u")))))
    if options.value_of("--prefix") is None:
        yield build_operation("restore", context, discards=forced)


def remove(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if options.has_flag("--cached", "--dry-run") is not True:
        for word in options.operands:
            yield Delete(context.resolve_place(word, follow=False), options.has_flag("--recursive"), context.origin)


def move(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(options.operands) > 1 and options.has_flag("--dry-run") is not True:
        for word in options.operands[:-1]:
            yield Move(context.resolve_place(word, follow=False), context.resolve_place(options.operands[-1]), context.origin)


def fetch(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    remote = options.operands[0] if options.operands else known_word("origin")
    for program in options.values_of("--upload-pack"):
        yield Interpret("shell", program, context.origin, via=Carrier("git", "--upload-pack"))
    if remote.starts_with("ext::") is True:
        yield Interpret("shell", remote.drop_first(5), context.origin, via=Carrier("git", "ext::"))
    is_clone, rebases = argv[0].text == "clone", argv[0].text == "pull" and options.has_flag("--rebase") is not False
    if not is_clone or "://" in (remote.text or "://") or context.is_folder(context.resolve_place(remote)) is not True:
        yield Connect(remote, context.origin)  # not from a folder of this machine
    if rebases and (options.value_of("--rebase") or known_word("")).text != "false":
        yield build_operation("rebase", context, remote)
    if is_clone:
        name = (remote.text or "").rstrip("/").rpartition("/")[2].removesuffix(".git")
        named = known_word(name) if name else unknown_word("the clone", like="*")
        target = options.operands[1] if len(options.operands) > 1 else named
        yield Write(context.resolve_place(target), None, True, context.origin, tree=True)
        context.record_folder_contents(target, context.unknown_output("the cloned files"))


def worktree(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    action = options.operands[0].text if options.operands else ""
    if action == "add" and len(options.operands) > 1:
        yield Write(context.resolve_place(options.operands[1]), None, True, context.origin, folder=True, tree=True)
        for name in options.values_of("-b"):
            yield from create_branch(name, context)
    if action == "remove":
        removed = build_operation("worktree", context, options.operands[-1], remove=True, force=options.has_flag("--force"))
        yield removed._replace(work_tree=context.resolve_place(options.operands[-1]).path or "")


_ADDRESS_PLACEHOLDERS = ("%ae", "%aE", "%ce", "%cE", "%al", "%cl")


def var(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`git var GIT_AUTHOR_IDENT`, `git var -l`."""
    if options.has_flag("-l") is True or any((word.text or "").endswith("_IDENT") for word in options.operands):
        yield Operation("git.identity", context.origin, known_word("var"))


def log(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A custom format may print e-mail addresses."""
    if options.has_flag("--email") is True or any(
        code in part for word in argv for part in word.parts if isinstance(part, str) for code in _ADDRESS_PLACEHOLDERS
    ):
        yield Operation("git.identity", context.origin, known_word("log"))


def show_contents(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """show, diff, blame: the content of the files they name, in any revision (`HEAD:file`)."""
    yield from log(options, argv, context)
    if options.has_flag("--stat", "--name-only", "--name-status", "--numstat", "--shortstat") is not True:
        for word in options.operands:
            _, colon, path = word.partition(":")
            yield Read(context.resolve_place(path if colon else word), context.origin)


def rev_parse(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    top = work_tree(context)
    if options.has_flag("--show-toplevel") is True:
        yield PrintedOutput(
            (known_word(top) if top is not None else unknown_word("$(git rev-parse --show-toplevel)")) + known_word("\n")
        )


def list_paths(_options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ls-files, diff --name-only: paths below the current directory."""
    yield PrintedOutput(Word((Hole("*", "a path that git knows"),), src=context.unknown_output("git").src))


def read_message_file(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tag, notes: a message can be read from a file."""
    yield from (Read(context.resolve_place(file), context.origin) for file in options.values_of("--file"))


def report_nothing(_options: ParsedOptions, _argv: tuple[Word, ...], _context: ExecutionContext) -> Iterator[ReportedEffect]:
    """For subcommands whose effects `share` reports alone."""
    yield from ()


def _subcommand_row(spec: str, does: SubcommandHandler) -> tuple[Flags, SubcommandHandler]:
    return Flags(spec + " -q,--quiet -v,--verbose --help"), does


SUBCOMMANDS: dict[str, tuple[Flags, SubcommandHandler]] = {
    **dict.fromkeys(
        ("add", "stage"),
        _subcommand_row(
            "-n,--dry-run -f,--force -i,--interactive -p,--patch -e,--edit -A,--all --no-all -u,--update -N,--intent-to-add --refresh --ignore-errors"
            " --ignore-missing --renormalize --chmod= --pathspec-from-file=read --sparse",
            add,
        ),
    ),
    "push": _subcommand_row(
        "-f,--force --force-with-lease=? --no-force-with-lease --force-if-includes -d,--delete -u,--set-upstream -n,--dry-run --mirror --all --branches --tags"
        " --follow-tags --prune --porcelain --no-verify -o,--push-option= --repo= --receive-pack,--exec= --signed=? --atomic --thin -4 -6 --recurse-submodules=",
        push,
    ),
    "reset": _subcommand_row("--hard --soft --mixed --merge --keep -p,--patch -N --pathspec-from-file=read --no-refresh", reset),
    "clean": _subcommand_row("-f,--force -d -x -X -n,--dry-run -i,--interactive -e,--exclude=", clean),
    "checkout": _subcommand_row(
        "-f,--force -b= -B= --orphan= -t,--track=? --no-track -l --detach -m,--merge -p,--patch --ours --theirs --conflict= --pathspec-from-file=read"
        " --guess --no-guess --progress --recurse-submodules=?",
        checkout,
    ),
    "restore": _subcommand_row("-s,--source= -S,--staged -W,--worktree -p,--patch --ours --theirs -m,--merge --pathspec-from-file=read", restore),
    "switch": _subcommand_row("-c,--create= -C,--force-create= -d,--detach -f,--force --discard-changes -m,--merge --orphan= -t,--track=? --guess --no-guess", switch),
    "stash": _subcommand_row("-u,--include-untracked -a,--all -m,--message= -k,--keep-index -p,--patch -S,--staged --index", stash),
    "branch": _subcommand_row(
        "-d,--delete -D -m,--move -M -c,--copy -C -f,--force -a,--all -r,--remotes -u,--set-upstream-to= -t,--track=? --merged=? --no-merged=? --contains=?"
        " --list --format= --sort= --show-current -vv",
        branch,
    ),
    "commit": _subcommand_row(
        "-m,--message= -a,--all --amend -F,--file= -t,--template= -n,--no-verify -s,--signoff -e,--edit --no-edit -C= -c= --author= --date= --fixup= --squash="
        " -S=? --gpg-sign=? --allow-empty --allow-empty-message -p,--patch -o,--only -i,--include --trailer= --cleanup= --dry-run -u=?",
        commit,
    ),
    "rebase": _subcommand_row("-i,--interactive -x,--exec= --onto= --abort --continue --skip --quit --edit-todo --show-current-patch --autosquash --root -s,--strategy= -X= --autostash", rebase),
    "bisect": _subcommand_row("", bisect),
    "difftool": _subcommand_row("-x,--extcmd= -t,--tool= -d,--dir-diff -y,--no-prompt -g,--gui --cached --tool-help", run_external_viewers),
    "grep": _subcommand_row("-O,--open-files-in-pager=? -e= -f= -m,--max-count= --max-depth= --threads= -A= -B= -C=", run_external_viewers),
    "submodule": _subcommand_row("--recursive --init --remote -f,--force --all -b,--branch= --depth=", submodule),
    "filter-branch": _subcommand_row(
        "--env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter= --subdirectory-filter= --setup="
        " --prune-empty -f,--force -d=",
        filter_branch,
    ),
    **dict.fromkeys(("annex", "lfs"), _subcommand_row("", run_external_subcommand)),
    "filter-repo": _subcommand_row("--path= --invert-paths --force --analyze --dry-run", expire_objects),
    "reflog": _subcommand_row("--expire= --expire-unreachable= --all -n,--dry-run --verbose --rewrite --updateref --stale-fix", expire_objects),
    "gc": _subcommand_row("--prune=? --aggressive --auto", expire_objects),
    "update-ref": _subcommand_row("-d -m= --no-deref --create-reflog --stdin -z", update_ref),
    "symbolic-ref": _subcommand_row("-d,--delete -q,--quiet -m= --short --recurse --no-recurse", symbolic_ref),
    "prune": _subcommand_row("-n,--dry-run -v,--verbose --progress --expire=", expire_objects),
    "read-tree": _subcommand_row("-m -u --reset -i -n,--dry-run -v --prefix= --trivial --aggressive", overwrite_from_index),
    "checkout-index": _subcommand_row("-u -q -f,--force -a,--all -n --prefix= --stage= --temp -z --stdin", overwrite_from_index),
    "rm": _subcommand_row("-r,--recursive -f,--force --cached -n,--dry-run --ignore-unmatch", remove),
    "mv": _subcommand_row("-f,--force -k -n,--dry-run", move),
    "fetch": _subcommand_row("--all --prune -p --tags -t --depth= --upload-pack= -j= --force -f", fetch),
    "pull": _subcommand_row("--rebase=? --ff-only --no-ff --upload-pack= -X= -s=", fetch),
    "clone": _subcommand_row("--depth= -b,--branch= --recursive --recurse-submodules=? --single-branch -o,--origin= -u,--upload-pack= -c,--config= --bare --mirror --template= --reference=", fetch),
    "ls-remote": _subcommand_row("--heads --tags --upload-pack=", fetch),
    "worktree": _subcommand_row("-f,--force -b= -B= --detach", worktree),
    "config": _subcommand_row("--global --system --local --worktree -f,--file= --get --get-all --list -l --unset --unset-all --add --replace-all --type= --bool -e,--edit --get-regexp --get-urlmatch --show-origin --show-scope -z,--null --name-only --includes --default= --blob= --no-type --value= --fixed-value --comment= --rename-section --remove-section --get-color= --get-colorbool= --int --bool-or-int --path --expiry-date --append --all", config),
    "apply": _subcommand_row(patches.APPLY_OPTIONS, patches.git_apply),
    "am": _subcommand_row(patches.APPLY_OPTIONS, patches.git_apply),
    "var": _subcommand_row("-l", var),
    "log": _subcommand_row("--format= --pretty=? -n= --max-count= -p --oneline --all --stat --author= --since= --until= --grep= --reverse", log),
    "show": _subcommand_row("--format= --pretty=? -s --no-patch --stat --name-only --name-status --numstat --shortstat -p -U= -w --color=?", show_contents),
    "diff": _subcommand_row("--stat --name-only --name-status --numstat --shortstat --cached --staged -p -U= --unified= -w -b -M -C -R --check --summary --color=? --word-diff=? --diff-filter= -S= -G= --exit-code --no-index", show_contents),
    "blame": _subcommand_row("-L= -w -M -C -e -l -s -p --porcelain --since= --color-lines", show_contents),
    "shortlog": _subcommand_row("-s -n -e,--email --format= --group=", log),
    "tag": _subcommand_row("-a -s -u= -m,--message= -F,--file= -f,--force -d,--delete -l,--list -n=? --sort= --contains=? --points-at= -v --cleanup=", read_message_file),
    "notes": _subcommand_row("-m,--message= -F,--file= -f,--force", read_message_file),
    **dict.fromkeys(("archive", "bundle", "hash-object", "remote"), _subcommand_row("-w -t= --stdin --path= --format= -o,--output= --remote= --prefix= --all --add --push -m= -f", report_nothing)),
    "rev-parse": _subcommand_row("--show-toplevel --git-dir --abbrev-ref=? --short=? --verify --show-prefix", rev_parse),
    "ls-files": _subcommand_row("-z -m -d -o -c --exclude-standard", list_paths),
}  # fmt: skip

ROWS: dict[str, Program] = {"git": Program(does=git)}
