"""Mail addresses behind which there are many people."""

import re

_LIST_ADDRESS = re.compile(
    r"[^<\n]{0,80}<?(?:(?:all|everyone|everybody|customers|users|subscribers|members|company|staff|employees)(?:[._-]\w+)*@"
    r"|[\w.+-]+@(?:lists?|mailman|groups)\.)[\w.-]+>?\s*",
    re.IGNORECASE,
)


def names_list_of_people(address: str) -> bool:
    """Returns whether a mail address is that of many: `everyone@example.com`, `news@lists.example.com`."""
    return _LIST_ADDRESS.fullmatch(address) is not None
