"""Places: paths as far as they are known, and the zones they are in or reach."""

from typing import Literal, NamedTuple, get_args

from .word import EMPTY, Maybe, Word

Zone = Literal[
    "root",  # the file system's root
    "home",  # the home folder itself
    "home-parent",  # the folder of all home folders
    "whole-tree",  # a whole tree of the machine: /opt, /srv, another user's home
    "system",  # the operating system's trees
    "system-data",  # parts of the system's trees with data of its programs, where a single file matters less
    "credentials",  # keys, tokens, password stores
    "public-credentials",  # files beside them that are not secret: public keys, known hosts
    "personal",  # data on the machine's users: accounts, shell histories, browser stores
    "environment",  # .env files: settings that often hold secrets
    "agent-settings",  # settings and hooks that the agents' hosts read
    "agent-hooks",  # scripts that a host runs by itself
    "team-policy",  # a team's own policy for its agents
    "gate",  # toolgate's own policy, state, code and registered commands
    "gate-state",  # toolgate's approvals, records, keys, sockets
    "gate-programs",  # the environment whose programs and packages toolgate itself runs
    "device",  # disks and other devices
    "start-up",  # runs at login or in every shell
    "scheduler",  # runs at a given time
    "temporary",  # may be deleted by anybody
    "project",  # the folder the session started in
    "project-root",  # that folder itself
    "repository-data",  # .git
    "blocked",  # blocked by the policy
    "safe",  # safe by the policy
    "repository",  # in a git repository of the user's own, if the policy includes that
    "outside",  # in none of the places where an agent is meant to work
]
ZONES: tuple[Zone, ...] = get_args(Zone)
NO_ZONES: frozenset[Zone] = frozenset()
COMMON_TARGETS: tuple[Zone, ...] = ("project-root", "home", "root", "home-parent")
"""Folders that are common targets of unpacking and copying, which alone is no sign of a change to the settings files in them."""
LOCAL = "local"
OPEN_FILES = "/proc/self/fd/"
"""Open files of the asking process, by number. Only that process can follow these names."""


class Workplaces(NamedTuple):
    """Where an agent is meant to work: a place in none of `zones` is `outside`. `safe` and `blocked` are folders or globs of
    the policy, `~` for the home folder; blocked takes precedence."""

    zones: tuple[Zone, ...] = ("project", "temporary", "safe")
    safe: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()


WORKPLACES = Workplaces()
"""The default without a policy."""


class Place(NamedTuple):
    """`path` is the resolved path if it is known. Otherwise `anchor` is the deepest directory that certainly contains it, and
    `rest` the glob below that (as the shell matches); without an anchor it may be anywhere.

    `inside`: the zones it is in. `above`: zones that a recursive effect on it reaches. The `maybe_` sets hold zones that only
    running it would tell. `machine` is `local` or another one (`container:x`, `ssh:host`).
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
    def display_text(self) -> str:
        return self.word.display_text or self.path or "an unknown path"

    def with_zones(
        self, inside: frozenset[Zone], maybe_inside: frozenset[Zone], above: frozenset[Zone], maybe_above: frozenset[Zone]
    ) -> "Place":
        """Returns the same place in these zones."""
        return Place(*self[:6], inside, maybe_inside, above, maybe_above)

    @property
    def is_anywhere(self) -> bool:
        """Whether nothing at all is known of its location."""
        return self.path is None and self.anchor is None and self.rest.rpartition("/")[2][-1:] in ("", "*")

    def is_in(self, *zones: Zone) -> Maybe:
        """Returns whether it is in one of these zones."""
        return _answer_membership(zones, self.inside, self.maybe_inside)

    def can_reach(self, *zones: Zone) -> Maybe:
        """Returns whether a recursive effect on it would touch one of these zones."""
        return _answer_membership(zones, self.above, self.maybe_above)


def _answer_membership(zones: tuple[Zone, ...], sure: frozenset[Zone], maybe: frozenset[Zone]) -> Maybe:
    if not sure.isdisjoint(zones):
        return True
    return False if maybe.isdisjoint(zones) else None
