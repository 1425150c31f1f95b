"""What a program's row, or code in a language, sees of the moment it runs in."""

from typing import Protocol

from .effect import Origin, Site
from .place import Place
from .stakes import Stakes
from .word import Maybe, Word


class Seen(Protocol):
    """Paths are resolved at this very moment: after what the call itself did before."""

    @property
    def origin(self) -> Origin: ...

    @property
    def home(self) -> str: ...

    @property
    def site(self) -> Site: ...

    @property
    def cwd(self) -> Word: ...

    def variable(self, name: str) -> Word | None:
        """Its value in the program's environment, where this very call set it."""

    def variables(self, name: str) -> tuple[Word, ...]:
        """Its values, where it depends on the path through the text which of them this very call has set."""

    def project_file(self, name: str) -> tuple[str, ...]:
        """Every text that a file of the project may hold, wherever this command runs; none where one is not known."""

    def repository(self) -> str | None:
        """The top folder of the git repository around the current directory."""

    @property
    def stdin(self) -> Word:
        """What standard input holds; asking for it makes a flow from whatever wrote it."""

    def place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        """Where a path argument leads. `follow=False` where the program acts on a link itself (rm, mv)."""

    def read(self, word: Word) -> Word:
        """The content of a file, known or not, with the commands it came from; makes a flow."""

    def contents(self, word: Word) -> tuple[Word, ...]:
        """Every text the file may hold; a file that is not there holds none."""

    def follow(self, word: Word) -> tuple[Word, ...]:
        """The same, of a file whose text will run. What was not read of it is reported as Opaque."""

    def list_files(self, pattern: Word) -> tuple[str, ...]:
        """The paths that a glob finds in one folder, sorted; none where they cannot be told."""

    def written_files(self, folder: str) -> tuple[str, ...]:
        """The paths beneath a folder that this very call has written, as far as it may."""

    def as_committed(self, place: Place) -> Maybe:
        """Does git hold what this file holds now? This very call has not touched it, as far as can be seen."""

    def as_staged(self, place: Place) -> Maybe:
        """Does everything at or beneath this place that git knows of hold what the index holds of it?"""

    def is_clean(self) -> Maybe:
        """Is all that git knows of in the repository here as HEAD has it?"""

    def lost_commits(self, dropped: str, kept: str = "") -> int | None:
        """How many commits nothing would lead to once the refs `dropped` lead to `kept`, or are gone; None where unknown."""

    def stakes(self, path: str) -> Stakes | None:
        """What lies at or beneath a path, in numbers."""

    def is_folder(self, place: Place) -> Maybe: ...

    def is_above_project(self, place: Place) -> Maybe:
        """Is it the root, a home folder or a folder that holds the project?"""

    def made(self, word: Word) -> None:
        """A folder is there from now on."""

    def filled(self, word: Word, content: Word) -> None:
        """A folder holds files from now on whose content is this."""

    def added(self, word: Word, text: Word) -> None:
        """A file ends with this from now on."""

    def output(self, why: str, like: str = "**") -> Word:
        """Unknown text made by this command."""
