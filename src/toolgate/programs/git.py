"""git: the effects of each subcommand on the work tree, the history and the server, and the programs that its options run."""

from collections.abc import Callable, Iterator

from toolgate.model.effect import Connect, Delete, Interpret, Move, Operation, Prints, Read, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word, every, joined, known, some, unknown

from . import patches
from .convention import written_by_git
from .git_aliases import BUILT_IN, configured, own_program
from .git_checkout import checkout, restore, switch
from .git_cleaning import clean
from .git_files import work_tree
from .git_hooks import triggered
from .git_line import given_to
from .git_losses import (
    at_stake_of_reset,
    describe_stash,
    stakes_of_branches,
)
from .git_options import TOP, in_folders
from .git_programs import names_a_program, run_by_settings
from .git_refs import operation, symbolic_ref, update_ref
from .git_settings import TRUE, config
from .git_sharing import share
from .options import Flags, Given
from .program import Program

_COMMAND_VARIABLES = (
    *("GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "VISUAL", "EDITOR"),
    *("GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_PROXY_COMMAND"),
)
Sub = Callable[[Given, tuple[Word, ...], Seen], Iterator[Reported]]


def git(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    top = TOP.read(argv, stop=True)
    if (elsewhere_run := in_folders(argv, top, seen)) is not None:
        yield elsewhere_run
        return
    for name in _COMMAND_VARIABLES:
        values = seen.variables(name)
        for value in values:
            if value.parts:
                yield Interpret("shell", value, seen.origin, via=name, sure=True if len(values) == 1 else None)
    given = list(given_to(top, seen))
    for setting in given:
        if names_a_program(setting):
            value = setting.value
            yield Operation("setting.runs", seen.origin, value)
            yield Interpret(
                "shell", value.cut(1) if value.starts("!") is True else value, seen.origin, via=f"git -c {setting.name}"
            )
    rest = argv[top.rest :]
    if not rest:
        return
    named = {setting.name: setting.value for setting in given}
    if named.get("clean.requireforce", known("true")).equals(*TRUE) is not True and rest[0].text == "clean":
        rest = (rest[0], known("--force"), *rest[1:])
    alias = named.get(f"alias.{(rest[0].text or '').lower()}")
    if alias is not None:
        yield from _aliased(alias, rest, seen)
        return
    elsewhere = any(name in ("core.worktree", "core.bare", "core.sparsecheckout") for name in named)
    yield from map(_without_relief, _subcommand(rest, seen)) if elsewhere else _subcommand(rest, seen)
    yield from run_by_settings(rest, argv[: top.rest], given, seen)
    unverified = any(word.text == "--no-verify" or (word.text == "-n" and rest[0].text == "commit") for word in rest[1:])
    yield from triggered(rest[0].text or "", unverified, named.get("core.hookspath"), seen)


def _without_relief(effect: Reported) -> Reported:
    """Drop what was proven about the work tree: a setting on the command line makes git work on another one."""
    if not isinstance(effect, Operation):
        return effect
    return effect._replace(
        flags=tuple(each for each in effect.flags if each[0] not in ("held", "named")), stakes=None, work_tree=""
    )


def _subcommand(rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    sub = SUBCOMMANDS.get(rest[0].text or "")
    yield from written_by_git(rest, seen)
    if sub is None and rest[0].text is not None and rest[0].text not in BUILT_IN:
        for alias in configured(rest[0].text, seen):
            yield from _aliased(alias, rest, seen)
    elif rest[0].text is None:
        for name in ("push", "reset", "clean"):
            yield Operation(f"git.{name}", seen.origin, None, (("force", None), ("hard", None)))
    elif sub is not None:
        flags, does = sub
        given = flags.read(rest)
        yield from share(given, rest, seen)
        if given.flag("--help") is not True:
            yield from does(given, rest, seen)


def _aliased(alias: Word, rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if alias.starts("!") is not False:
        yield Interpret("shell", alias.cut(1) if alias.head else alias, seen.origin, rest, via="git alias")
        return
    words = tuple(known(text) for text in (alias.text or "").split()) if alias.text is not None else (alias,)
    yield from git((known("git"), *words, *rest[1:]), seen)


def push(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    remote, refs = (given.operands[0], given.operands[1:]) if given.operands else (known("origin"), [])
    force = some((given.flag("--force"), *(ref.starts("+") for ref in refs)))
    delete = some((given.flag("--delete"), *(ref.starts(":") if ref.text != ":" else False for ref in refs)))
    yield operation(
        "push",
        seen,
        refs[0] if refs else None,
        force=force,
        lease=given.flag("--force-with-lease"),
        delete=delete,
        mirror=some((given.flag("--mirror"), given.flag("--prune"))),
        dry_run=given.flag("--dry-run"),
        all=given.flag("--all"),
    )
    for program in given.all("--receive-pack"):
        yield Interpret("shell", program, seen.origin, via="git push --receive-pack")
    yield Connect(remote, seen.origin)


def reset(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    hard = some((given.flag("--hard"), given.flag("--merge")))
    target = given.operands[0] if given.operands else None
    held, stakes = at_stake_of_reset(target, seen) if hard is not False else (False, None)
    yield operation("reset", seen, target, stakes=stakes, hard=hard, held=held)


def stash(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    action = given.operands[0].text if given.operands else "push"
    if action in ("drop", "clear", None):
        what = given.operands[1] if given.operands[1:] else known("stash@{0}")
        described = describe_stash(what, seen) if action == "drop" else None
        yield operation("stash", seen, described, drop=True if action == "drop" else None, clear=action == "clear")


def branch(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if given.flag("--show-current") is True:
        yield Prints(Word((Hole("[!-+:]*", "the current branch"),), src=seen.output("git").src))
    deletes = some((given.flag("--delete"), given.flag("-D")))
    force = some((given.flag("-D"), given.flag("-M"), given.flag("-C"), given.flag("--force")))
    names = [word for word in argv[1:] if word.starts("-") is not True]
    if names and (deletes is not False or force is not False):
        # an unknown name may be an option to git, but a branch is not named `-D`
        unsure = given.open and force is None and deletes is True
        stakes = stakes_of_branches(names, given, seen) if deletes is True and force is True else None
        yield operation("branch", seen, names[0], stakes=stakes, delete=deletes, force=False if unsure else force)


def commit(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield operation("commit", seen, None, amend=given.flag("--amend"), no_verify=given.flag("--no-verify"))
    for file in given.all("--file", "--template"):
        yield Read(seen.place(file), seen.origin)


_UNDER_WAY = ("--abort", "--continue", "--skip", "--quit", "--edit-todo", "--show-current-patch")


def rebase(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    for code in given.all("--exec"):
        yield Interpret("shell", code, seen.origin, via="git rebase --exec")
    if given.flag("--root") is True and given.flag(*_UNDER_WAY) is not True:
        yield Operation("git.rewrite-history", seen.origin, known("rebase --root"))
    yield operation("rebase", seen, given.operands[0] if given.operands else None, under_way=given.flag(*_UNDER_WAY))


def bisect(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if given.operands and given.operands[0].text == "run":
        yield Run(tuple(argv[2:]), seen.origin, "git bisect run")


def shown_by(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git grep -O` and `git difftool -x` name the program that shows the files."""
    for name in ("--open-files-in-pager", "--extcmd"):
        for code in given.all(name):
            yield Interpret("shell", code, seen.origin, via=f"git {name}")


def submodule(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    at = next((n for n, word in enumerate(argv) if word.text == "foreach"), None)
    if at is not None:
        words = [word for word in argv[at + 1 :] if word.text not in ("--recursive", "--quiet")]
        yield Interpret("shell", joined(words, " "), seen.origin, via="git submodule foreach")
    verb = given.operands[0].text if given.operands else None
    if verb in ("deinit", "update"):
        yield operation("worktree", seen, given.operands[-1], remove=verb == "deinit", force=given.flag("--force"))


def filter_branch(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    for name, code in given.values:
        if name.endswith("-filter"):
            yield Interpret("shell", code, seen.origin, via=f"git filter-branch {name}")
    yield operation("rewrite-history", seen, argv[0])


def erase(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """reflog expire, gc --prune, prune: unreachable objects cannot be restored afterwards."""
    name, action = argv[0].text, given.operands[0].text if given.operands else ""
    if name == "filter-repo" and given.flag("--analyze", "--dry-run") is not True:
        yield operation("rewrite-history", seen, argv[0])
    elif (name == "gc" and given.flag("--prune") is True) or (
        (name == "prune" or (name == "reflog" and action in ("expire", "delete"))) and given.flag("--dry-run") is not True
    ):
        yield operation("erase", seen, argv[0])


def overwrite(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """read-tree --reset -u, checkout-index -f: files are overwritten from the index."""
    forced = some((given.flag("--force"), every((given.flag("--reset"), given.flag("-u")))))
    if given.value("--prefix") is None:
        yield operation("restore", seen, discards=forced)


def remove(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if given.flag("--cached", "--dry-run") is not True:
        for word in given.operands:
            yield Delete(seen.place(word, follow=False), given.flag("--recursive"), seen.origin)


def move(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if len(given.operands) > 1 and given.flag("--dry-run") is not True:
        for word in given.operands[:-1]:
            yield Move(seen.place(word, follow=False), seen.place(given.operands[-1]), seen.origin)


def fetch(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    remote = given.operands[0] if given.operands else known("origin")
    for program in given.all("--upload-pack"):
        yield Interpret("shell", program, seen.origin, via="git --upload-pack")
    if remote.starts("ext::") is True:
        yield Interpret("shell", remote.cut(5), seen.origin, via="git ext::")
    yield Connect(remote, seen.origin)
    if argv[0].text == "pull" and given.flag("--rebase") is not False and (given.value("--rebase") or known("")).text != "false":
        yield operation("rebase", seen, remote)
    if argv[0].text == "clone":
        name = (remote.text or "").rstrip("/").rpartition("/")[2].removesuffix(".git")
        target = given.operands[1] if len(given.operands) > 1 else known(name) if name else unknown("the clone", like="*")
        yield Write(seen.place(target), None, True, seen.origin, tree=True)
        seen.filled(target, seen.output("what was cloned"))


def worktree(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    action = given.operands[0].text if given.operands else ""
    if action == "add" and len(given.operands) > 1:
        yield Write(seen.place(given.operands[1]), None, True, seen.origin, folder=True, tree=True)
    if action == "remove":
        yield operation("worktree", seen, given.operands[-1], remove=True, force=given.flag("--force"))


_ADDRESSES = ("%ae", "%aE", "%ce", "%cE", "%al", "%cl")


def var(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git var GIT_AUTHOR_IDENT`, `git var -l`."""
    if given.flag("-l") is True or any((word.text or "").endswith("_IDENT") for word in given.operands):
        yield Operation("git.identity", seen.origin, known("var"))


def add(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A file that is added by name is read, and goes wherever the repository goes."""
    if given.flag("--dry-run") is not True:
        yield from (Read(seen.place(word), seen.origin) for word in given.operands if word.text not in (".", "*"))


def log(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A custom format may print e-mail addresses."""
    if given.flag("--email") is True or any(
        code in part for word in argv for part in word.parts if isinstance(part, str) for code in _ADDRESSES
    ):
        yield Operation("git.identity", seen.origin, known("log"))


def shown(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """show, diff, blame: the content of the files they name, in any revision (`HEAD:file`)."""
    yield from log(given, argv, seen)
    if given.flag("--stat", "--name-only", "--name-status", "--numstat", "--shortstat") is not True:
        for word in given.operands:
            _, colon, path = word.partition(":")
            yield Read(seen.place(path if colon else word), seen.origin)


def rev_parse(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    top = work_tree(seen)
    if given.flag("--show-toplevel") is True:
        yield Prints((known(top) if top is not None else unknown("$(git rev-parse --show-toplevel)")) + known("\n"))


def listing(_given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """ls-files, diff --name-only: paths below the current directory."""
    yield Prints(Word((Hole("*", "a path that git knows"),), src=seen.output("git").src))


def commit_tag(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """tag, notes: a message can be read from a file."""
    yield from (Read(seen.place(file), seen.origin) for file in given.all("--file"))


def shared(_given: Given, _argv: tuple[Word, ...], _seen: Seen) -> Iterator[Reported]:
    """For subcommands whose effects `share` reports alone."""
    yield from ()


def _row(spec: str, does: Sub) -> tuple[Flags, Sub]:
    return Flags(spec + " -q,--quiet -v,--verbose --help"), does


SUBCOMMANDS: dict[str, tuple[Flags, Sub]] = {
    **dict.fromkeys(
        ("add", "stage"),
        _row(
            "-n,--dry-run -f,--force -i,--interactive -p,--patch -e,--edit -A,--all --no-all -u,--update -N,--intent-to-add --refresh --ignore-errors"
            " --ignore-missing --renormalize --chmod= --pathspec-from-file=read --sparse",
            add,
        ),
    ),
    "push": _row(
        "-f,--force --force-with-lease=? --no-force-with-lease --force-if-includes -d,--delete -u,--set-upstream -n,--dry-run --mirror --all --branches --tags"
        " --follow-tags --prune --porcelain --no-verify -o,--push-option= --repo= --receive-pack,--exec= --signed=? --atomic --thin -4 -6 --recurse-submodules=",
        push,
    ),
    "reset": _row("--hard --soft --mixed --merge --keep -p,--patch -N --pathspec-from-file=read --no-refresh", reset),
    "clean": _row("-f,--force -d -x -X -n,--dry-run -i,--interactive -e,--exclude=", clean),
    "checkout": _row(
        "-f,--force -b= -B= --orphan= -t,--track=? --no-track -l --detach -m,--merge -p,--patch --ours --theirs --conflict= --pathspec-from-file=read"
        " --guess --no-guess --progress --recurse-submodules=?",
        checkout,
    ),
    "restore": _row("-s,--source= -S,--staged -W,--worktree -p,--patch --ours --theirs -m,--merge --pathspec-from-file=read", restore),
    "switch": _row("-c,--create= -C,--force-create= -d,--detach -f,--force --discard-changes -m,--merge --orphan= -t,--track=? --guess --no-guess", switch),
    "stash": _row("-u,--include-untracked -a,--all -m,--message= -k,--keep-index -p,--patch -S,--staged --index", stash),
    "branch": _row(
        "-d,--delete -D -m,--move -M -c,--copy -C -f,--force -a,--all -r,--remotes -u,--set-upstream-to= -t,--track=? --merged=? --no-merged=? --contains=?"
        " --list --format= --sort= --show-current -vv",
        branch,
    ),
    "commit": _row(
        "-m,--message= -a,--all --amend -F,--file= -t,--template= -n,--no-verify -s,--signoff -e,--edit --no-edit -C= -c= --author= --date= --fixup= --squash="
        " -S=? --gpg-sign=? --allow-empty --allow-empty-message -p,--patch -o,--only -i,--include --trailer= --cleanup= --dry-run -u=?",
        commit,
    ),
    "rebase": _row("-i,--interactive -x,--exec= --onto= --abort --continue --skip --quit --edit-todo --show-current-patch --autosquash --root -s,--strategy= -X= --autostash", rebase),
    "bisect": _row("", bisect),
    "difftool": _row("-x,--extcmd= -t,--tool= -d,--dir-diff -y,--no-prompt -g,--gui --cached --tool-help", shown_by),
    "grep": _row("-O,--open-files-in-pager=? -e= -f= -m,--max-count= --max-depth= --threads= -A= -B= -C=", shown_by),
    "submodule": _row("--recursive --init --remote -f,--force --all -b,--branch= --depth=", submodule),
    "filter-branch": _row(
        "--env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter= --subdirectory-filter= --setup="
        " --prune-empty -f,--force -d=",
        filter_branch,
    ),
    **dict.fromkeys(("annex", "lfs"), _row("", own_program)),
    "filter-repo": _row("--path= --invert-paths --force --analyze --dry-run", erase),
    "reflog": _row("--expire= --expire-unreachable= --all -n,--dry-run --verbose --rewrite --updateref --stale-fix", erase),
    "gc": _row("--prune=? --aggressive --auto", erase),
    "update-ref": _row("-d -m= --no-deref --create-reflog --stdin -z", update_ref),
    "symbolic-ref": _row("-d,--delete -q,--quiet -m= --short --recurse --no-recurse", symbolic_ref),
    "prune": _row("-n,--dry-run -v,--verbose --progress --expire=", erase),
    "read-tree": _row("-m -u --reset -i -n,--dry-run -v --prefix= --trivial --aggressive", overwrite),
    "checkout-index": _row("-u -q -f,--force -a,--all -n --prefix= --stage= --temp -z --stdin", overwrite),
    "rm": _row("-r,--recursive -f,--force --cached -n,--dry-run --ignore-unmatch", remove),
    "mv": _row("-f,--force -k -n,--dry-run", move),
    "fetch": _row("--all --prune -p --tags -t --depth= --upload-pack= -j= --force -f", fetch),
    "pull": _row("--rebase=? --ff-only --no-ff --upload-pack= -X= -s=", fetch),
    "clone": _row("--depth= -b,--branch= --recursive --recurse-submodules=? --single-branch -o,--origin= -u,--upload-pack= -c,--config= --bare --mirror --template= --reference=", fetch),
    "ls-remote": _row("--heads --tags --upload-pack=", fetch),
    "worktree": _row("-f,--force -b= -B= --detach", worktree),
    "config": _row("--global --system --local --worktree -f,--file= --get --get-all --list -l --unset --unset-all --add --replace-all --type= --bool -e,--edit --get-regexp --get-urlmatch --show-origin --show-scope -z,--null --name-only --includes --default= --blob= --no-type --value= --fixed-value --comment= --rename-section --remove-section --get-color= --get-colorbool= --int --bool-or-int --path --expiry-date --append --all", config),
    "apply": _row(patches.APPLY, patches.apply),
    "am": _row(patches.APPLY, patches.apply),
    "var": _row("-l", var),
    "log": _row("--format= --pretty=? -n= --max-count= -p --oneline --all --stat --author= --since= --until= --grep= --reverse", log),
    "show": _row("--format= --pretty=? -s --no-patch --stat --name-only --name-status --numstat --shortstat -p -U= -w --color=?", shown),
    "diff": _row("--stat --name-only --name-status --numstat --shortstat --cached --staged -p -U= --unified= -w -b -M -C -R --check --summary --color=? --word-diff=? --diff-filter= -S= -G= --exit-code --no-index", shown),
    "blame": _row("-L= -w -M -C -e -l -s -p --porcelain --since= --color-lines", shown),
    "shortlog": _row("-s -n -e,--email --format= --group=", log),
    "tag": _row("-a -s -u= -m,--message= -F,--file= -f,--force -d,--delete -l,--list -n=? --sort= --contains=? --points-at= -v --cleanup=", commit_tag),
    "notes": _row("-m,--message= -F,--file= -f,--force", commit_tag),
    **dict.fromkeys(("archive", "bundle", "hash-object", "remote"), _row("-w -t= --stdin --path= --format= -o,--output= --remote= --prefix= --all --add --push -m= -f", shared)),
    "rev-parse": _row("--show-toplevel --git-dir --abbrev-ref=? --short=? --verify --show-prefix", rev_parse),
    "ls-files": _row("-z -m -d -o -c --exclude-standard", listing),
}  # fmt: skip

ROWS: dict[str, Program] = {"git": Program(does=git)}
