"""Reading a file of the environment (`.env`, `.env.production`, `.envrc`).

Such files hold a project's secrets, and what an agent reads goes into the model's context. The names of the variables stand in
`.env.example`, `.env.sample` or `.env.template`, which can be read.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Read
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(read: Read, _options: None, _context: Context) -> Iterator[Match]:
    if read.place.machine != LOCAL or read.place.anywhere:
        return
    sure = read.place.is_in("environment")
    if sure is not False:
        yield Match(
            read, f"This reads {read.place.shown}, which is made to hold secrets.", instead="read .env.example", sure=sure
        )
