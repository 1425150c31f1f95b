"""Mail addresses behind which there are many people."""

import re

_LIST_ADDRESS = re.compile(
    r"[^<\n]{0,80}<?(?:(?:all|everyone|everybody|customers|users|subscribers|members|company|staff|employees|investors|shareholders|partners|press)(?:[._-]\w+)*@"
    r"|[\w.+-]+@(?:lists?|mailman|groups)\.)[\w.-]+>?\s*",
    re.IGNORECASE,
)


def names_list_of_people(address: str) -> bool:
    """Returns whether a mail address is that of many: `everyone@example.com`, `news@lists.example.com`."""
    return _LIST_ADDRESS.fullmatch(address) is not None


def addresses_everybody(text: str) -> bool:
    """Returns whether a text is the channel of a whole company, or notifies everybody in another: `@here`, `<!channel>`."""
    return _CHANNEL_OF_ALL.fullmatch(text) is not None or _MENTION_OF_ALL.search(text) is not None


_MENTION_OF_ALL = re.compile(
    r"<!(?:channel|here|everyone)>|<at>(?:everyone|all|channel)</at>|(?<![\w@/.])@(?:everyone|here|channel|all)(?![\w/.@-])"
)
_CHANNEL_OF_ALL = re.compile(
    r"(?i)#(?:[\w]+-all-?(?:staff|hands|company|employees)|allstaff|general|everyone|everybody|all|announcements?|all[-_](?:hands|company|staff|employees|team)|company(?:[-_]wide|[-_]news)?)"
)
