"""Where something is: a path as far as it is known, and the zones it lies in or reaches."""

from typing import Literal, NamedTuple, get_args

from .word import EMPTY, Maybe, Word

Zone = Literal[
    "root",  # the file system's root itself
    "home",  # the home folder itself
    "home-parent",  # what holds all home folders
    "whole-tree",  # a tree of the machine's as a whole: /opt, /srv, another's home
    "system",  # the operating system's trees
    "system-data",  # what the system keeps for its programs: parts of its trees where a single file is less than the system
    "credentials",  # keys, tokens, password stores
    "public-credentials",  # what lies beside them and is no secret: public keys, known hosts
    "personal",  # what tells of the machine's users: accounts, what was typed, a browser's store
    "environment",  # .env files: settings that often hold secrets
    "agent-settings",  # what the agents' hosts read: settings, hooks
    "agent-hooks",  # scripts that a host runs by itself
    "team-policy",  # what a team of agents says of its own policy
    "gate",  # toolgate's own policy, state, code and registered commands
    "gate-state",  # what toolgate keeps: approvals, records, keys, sockets
    "gate-programs",  # the environment whose programs and packages toolgate itself runs
    "device",  # disks and other devices
    "start-up",  # what runs by itself at login or in every shell
    "scheduler",  # what runs by itself at a time
    "temporary",  # what anybody may throw away
    "project",  # the folder the session started in
    "project-root",  # that folder itself
    "repository-data",  # .git
    "blocked",  # what the policy blocks by name
    "safe",  # what the policy calls safe by name
    "repository",  # within a git repository of the user's own, where the policy counts that
    "outside",  # none of the places an agent is meant to work in
]
ZONES: tuple[Zone, ...] = get_args(Zone)
NO_ZONES: frozenset[Zone] = frozenset()
EVERYDAY: tuple[Zone, ...] = ("project-root", "home", "root", "home-parent")
"""Folders into which people unpack and copy all the time: that alone says nothing about the settings files in them."""
LOCAL = "local"
OPEN_FILES = "/proc/self/fd/"
"""What the process that asks has open, by number. Only the process itself can follow these names."""


class Workplaces(NamedTuple):
    """Where an agent is meant to work: what lies in none of `zones` is `outside`. `safe` and `blocked` are folders or globs of
    the policy's own, `~` for the home folder; blocked comes first."""

    zones: tuple[Zone, ...] = ("project", "temporary", "safe")
    safe: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()


WORKPLACES = Workplaces()
"""Where no policy says otherwise."""


class Place(NamedTuple):
    """`path` is the resolved path where it is known. Else `anchor` is the deepest directory that is sure to hold it and
    `rest` the glob below that (the shell's own matching); no anchor: it may be anywhere.

    `inside`: zones it lies in. `above`: zones at or under what a recursive effect on it reaches. The `maybe_` sets hold
    those that only running it would tell. `machine` is `local`, or where else it is (`container:x`, `ssh:host`).
    """

    word: Word
    base: Word = EMPTY
    path: str | None = None
    anchor: str | None = None
    rest: str = ""
    machine: str = LOCAL
    inside: frozenset[Zone] = NO_ZONES
    maybe_inside: frozenset[Zone] = NO_ZONES
    above: frozenset[Zone] = NO_ZONES
    maybe_above: frozenset[Zone] = NO_ZONES

    @property
    def shown(self) -> str:
        return self.word.shown

    @property
    def anywhere(self) -> bool:
        """Nothing at all is known of where it is."""
        return self.path is None and self.anchor is None and self.rest.rpartition("/")[2][-1:] in ("", "*")

    def is_in(self, *zones: Zone) -> Maybe:
        """Does it lie in one of these zones?"""
        return _answer(zones, self.inside, self.maybe_inside)

    def reaches(self, *zones: Zone) -> Maybe:
        """Would an effect on all that is under it touch one of these zones?"""
        return _answer(zones, self.above, self.maybe_above)


def _answer(zones: tuple[Zone, ...], sure: frozenset[Zone], maybe: frozenset[Zone]) -> Maybe:
    if not sure.isdisjoint(zones):
        return True
    return False if maybe.isdisjoint(zones) else None
