"""Files of variables (`.env`) that a client reads on its start, in the project's folder or the nearest one above it."""

from collections.abc import Iterator


def iter_dotenv_files(project: str, own: str) -> Iterator[str]:
    """Yields the files that may be read. `own`: the client's folder in a project."""
    folder = project.rstrip("/")
    while folder:
        yield f"{folder}/{own}/.env"
        yield f"{folder}/.env"
        folder = folder.rpartition("/")[0]
