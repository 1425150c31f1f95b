"""The context in which a program's row, or code in a language, is read."""

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from .effect import Interpret, Origin, Site
from .place import Place
from .stakes import Stakes
from .word import Maybe, Word

_T = TypeVar("_T")


class ExecutionContext(Protocol):
    """The context at the time a command runs: paths are resolved after the previous effects of the call."""

    @property
    def origin(self) -> Origin: ...

    @property
    def home(self) -> str: ...

    @property
    def site(self) -> Site: ...

    @property
    def cwd(self) -> Word: ...

    def get_variable(self, name: str) -> Word | None:
        """Returns a variable's value in the program's environment, if this call set it."""

    def get_variables(self, name: str) -> tuple[Word, ...]:
        """Returns the values that this call has set, if they depend on the path through the text."""

    def read_project_file(self, name: str) -> tuple[str, ...]:
        """Returns every text that a file of the project may hold, wherever this command runs; none if one is unknown."""

    def find_repository(self) -> str | None:
        """Returns the top folder of the git repository around the current directory."""

    @property
    def stdin(self) -> Word:
        """The content of standard input; reading it records a flow from its writers."""

    def resolve_place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        """Resolves a path argument. `follow=False` if the program acts on a link itself (rm, mv)."""

    def read(self, word: Word) -> Word:
        """Returns the content of a file, known or not, with the commands it came from; records a flow."""

    def read_alternatives(self, word: Word) -> tuple[Word, ...]:
        """Returns every text the file may hold; none for a missing file."""

    def read_followed_code(self, word: Word) -> tuple[Word, ...]:
        """Returns the same for a file whose text will run. Unread parts are reported as Opaque."""

    def derive_from_files(self, key: Hashable, derive: Callable[[], _T]) -> _T:
        """Returns what is derived from the contents of files, derived once until this call changes a file. `key`: everything
        else that the result depends on."""

    def report_unknown_code(self, code: Interpret) -> None:
        """Reports code of unknown content that the program runs, beside the effects that its row yields."""

    def list_files(self, pattern: Word) -> tuple[str, ...]:
        """Returns the paths that a glob finds in one folder, sorted; none if unknown."""

    def list_written_files(self, folder: str, name: str = "") -> tuple[str, ...]:
        """Returns the paths below a folder that this call, or an earlier one of its session, may have written. `name`: only those
        that contain it, in whatever case."""

    def is_as_committed(self, place: Place) -> Maybe:
        """Returns whether git has this file's content, and this call has not changed it."""

    def is_as_staged(self, place: Place) -> Maybe:
        """Returns whether everything tracked at or below this place has the content of the index."""

    def is_repository_clean(self) -> Maybe:
        """Returns whether everything tracked in the repository has the content of HEAD."""

    def count_lost_commits(self, dropped_refs: str, kept_ref: str = "") -> int | None:
        """Returns how many commits become unreachable if `dropped_refs` move to `kept_ref`, or are deleted; None if unknown."""

    def lend_code_steps(self, most: int) -> int:
        """Returns the steps that code may take, at most these: all code of a call has one budget."""

    def spend_code_steps(self, spent: int) -> None:
        """Takes steps from the budget of the call's code."""

    def has_loaded(self, file: str, content: Word) -> bool:
        """Returns whether code of this call has loaded a module with this content from this file."""

    def record_loaded(self, file: str, content: Word) -> None: ...

    def measure_stakes(self, path: str) -> Stakes | None:
        """Returns what is at or below a path, in numbers."""

    def is_folder(self, place: Place) -> Maybe: ...

    def contains_project(self, place: Place) -> Maybe:
        """Returns whether it is the root, a home folder or a folder that contains the project."""

    def record_folder(self, word: Word) -> None:
        """Records that a folder exists from now on."""

    def record_replaced_folder(self, word: Word) -> None:
        """Records that a folder which this machine does not have holds nothing of what a fetched parent may bring there."""

    def record_folder_contents(self, word: Word, content: Word) -> None:
        """Records that a folder contains files with this content from now on."""

    def record_appended_text(self, word: Word, text: Word) -> None:
        """Records that this text is appended to a file."""

    def unknown_output(self, why: str, like: str = "**") -> Word:
        """Returns unknown text as output of this command."""
