"""Lists the commits that a push would send: an approval of a push covers these and no later ones (law 6)."""

from collections.abc import Iterator

from toolgate.model.effect import Effects, Operation, Run
from toolgate.model.world import GitState, World

_MAX_FILE_BYTES = 1 << 20  # bytes of a file of references
_MAX_REFERENCES = 1_000  # references in one folder
Commits = tuple[tuple[str, str], ...]


def collect_pushed_commits(effects: Effects, cwd: str, world: World) -> Commits:
    """Returns pairs of a reference and its commit, for every push among the effects. An unreadable reference is left out: it is
    no branch of this repository, or the push will fail."""
    pushes = {effect.origin.command for effect in effects.all if isinstance(effect, Operation) and effect.name == "git.push"}
    if not pushes:
        return ()
    folders = {
        run.cwd.text for run in effects.all if isinstance(run, Run) and run.cwd is not None and run.origin.command in pushes
    }
    words = {
        word.text
        for run in effects.all
        if isinstance(run, Run) and run.origin.command in pushes
        for word in run.argv[1:]
        if word.text is not None
    }
    found: dict[str, str] = {}
    for folder in sorted(folder for folder in folders or {cwd} if folder):
        state = world.git(folder)
        if isinstance(state, GitState):
            for name, commit in _iter_commits(f"{state.root.rstrip('/')}/.git", words, world):
                found[f"{state.root}:{name}"] = commit
    return tuple(sorted(found.items()))


def _iter_commits(folder: str, words: set[str], world: World) -> Iterator[tuple[str, str]]:
    """Yields the commit of HEAD, and of every branch and tag that a word of the command names; of all where it pushes all."""
    own, common = _find_git_folders(folder, world)
    packed = dict(_iter_packed_references(_read_text(f"{common}/packed-refs", world)))
    head = _read_text(f"{own}/HEAD", world).strip()
    names = {head.removeprefix("ref: ") if head.startswith("ref: ") else "HEAD"}
    for word in words:
        source = word.lstrip("+").partition(":")[0]
        names |= {source, f"refs/heads/{source}", f"refs/tags/{source}"}
    if not words.isdisjoint(("--all", "--branches", "--mirror", "--tags", "--follow-tags")):
        names |= {
            *packed,
            *(f"refs/{kind}/{name}" for kind in ("heads", "tags") for name in _list_names(f"{common}/refs/{kind}", world)),
        }
    for name in sorted(names):
        loose = _read_text(f"{common}/{name}", world).strip() if name.startswith("refs/") else ""
        text = head if name == "HEAD" and not head.startswith("ref: ") else loose
        if commit := text or packed.get(name, ""):
            yield name, commit


def _find_git_folders(folder: str, world: World) -> tuple[str, str]:
    """Returns git's own folder of a work tree and the one that all its work trees share; `.git` may be a file that names the
    first."""
    named = _read_text(folder, world)
    if not named.startswith("gitdir:"):
        return folder, folder
    own = named.removeprefix("gitdir:").strip()
    own = own if own.startswith("/") else f"{folder.rpartition('/')[0]}/{own}"
    shared = _read_text(f"{own}/commondir", world).strip()
    return own, shared if shared.startswith("/") else f"{own}/{shared}" if shared else own


def _iter_packed_references(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        commit, _, name = line.partition(" ")
        if name and not line.startswith(("#", "^")):
            yield name, commit


def _list_names(folder: str, world: World) -> tuple[str, ...]:
    found = world.listing(folder, _MAX_REFERENCES)
    return found if isinstance(found, tuple) else ()


def _read_text(path: str, world: World) -> str:
    found = world.read(path, _MAX_FILE_BYTES)
    return found if isinstance(found, str) else ""
