"""Addresses that authors publish with their work: in metadata of packages, in commits, in notices of copyright."""

import re

_ROLE = r"(?:author|maintainer|committer|contributor|developer|uploader|packager|tagger|copyright[ _-]?holder)s?"
_LABEL = re.compile(
    rf"(?i)(?<![a-z])(?:original[ _-]?)?{_ROLE}(?:[ _-]?(?:e-?mail|name|info|address(?:es)?))?(?![a-z])|\bcopyright\b|©|\(c\)\s*\d{{4}}"
    r"|\b(?:signed-off|co-(?:authored|developed)|reviewed|acked|tested|reported|suggested|helped|approved|requested)-by:|\bwritten (?:originally )?by\b|\bupstream[ -]contact\b|\bbugs?:|\breport bugs\b|\bsend (?:bug|patch)"
    r"|\bx-original-|\bspec(?:ification)?\.email\b|\bs\.email\b|<author>|<developer>"
)
_AUTHOR_KEY = re.compile(rf"(?i)_?(?:{_ROLE}|publishers?|bugs|_?npmuser)(?:[_-]?e?mails?)?")
_PRODUCERS = re.compile(
    r"(?:\w+=\S*\s+)*(?:git(?:\s+-[cC]\s+\S+|\s+--no-pager)*\s+(?:log|shortlog|blame|annotate|show|format-patch|whatchanged|reflog|for-each-ref)"
    r"|gh\s+(?:api|pr|issue|release|run|search|repo)|glab\s+(?:api|mr|issue)|(?:npm|pnpm|yarn)\s+(?:view|info|show|owner\s+ls)|pip3?\s+show"
    r"|uv\s+pip\s+show|poetry\s+show|cargo\s+(?:info|metadata)|gem\s+(?:spec|specification|info)|composer\s+show|apt(?:-cache)?\s+show|dpkg\s+-s)\b"
)
_FILTERS = re.compile(r"(?:cd|head|tail|sort|uniq|wc|less|cut|column|grep|rg|sed|awk|tr|nl|jq|true|echo)\b")
_SEPARATORS = re.compile(r"\|\|?|&&|;|\n")
_LIST_LINE = re.compile(r"\s+\S|[-*•]\s|\s*[\d,–-]{4,}\s|\s*[\"'{]|\s*$")
_MAX_LINE = 400
_MAX_BEFORE = 2000
"""Characters before an address in which the list that it belongs to may begin."""
_MAX_LINES = 40


def is_author_address(text: str, start: int) -> bool:
    """Returns whether the address at this place is an author's, by its line, its list, or the object around it."""
    before = text[max(0, start - _MAX_BEFORE) : start]
    lines = before.split("\n")
    line = lines[-1][-_MAX_LINE:]
    labels = [label.end() for label in _LABEL.finditer(line)]
    if labels and "}" not in line[labels[-1] :]:  # else the object of the label has ended
        return True
    return _is_below_label(lines) or _is_in_author_object(before)


def shows_authors(command: str) -> bool:
    """Returns whether a command prints only what git, forges or package managers record, filtered perhaps."""
    pieces = [piece.strip() for piece in _SEPARATORS.split(command[:_MAX_BEFORE])]
    if not any(map(_PRODUCERS.match, pieces)):
        return False
    before = ""
    for piece in pieces:
        filters = _FILTERS.match(piece) and not (before == "" and re.match(r"(?:head|tail|grep|rg|sed|awk|jq)\b", piece))
        if piece and not filters and not _PRODUCERS.match(piece):
            return False
        before = piece or before
    return True


def _is_below_label(lines: list[str]) -> bool:
    """Returns whether the address is in a list or an indented paragraph below a line such as `Authors:`."""
    for n in range(len(lines) - 1, max(0, len(lines) - _MAX_LINES), -1):
        if not _LIST_LINE.match(lines[n]):
            return False
        above = lines[n - 1]
        if _LABEL.search(above[:_MAX_LINE]):
            return True
    return False


def _is_in_author_object(before: str) -> bool:
    """Returns whether an object or a list that is still open was opened by a key such as `"maintainers"`."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        char = before[at]
        if char in "}])":
            depth += 1
        elif char in "{[(":
            depth -= 1
            if depth < 0:
                depth = 0
                key = _KEY_BEFORE.search(before[max(0, at - 60) : at])
                if key is not None and _AUTHOR_KEY.fullmatch(key["key"]):
                    return True
    return False


_KEY_BEFORE = re.compile(r"[\"']?(?P<key>[\w-]+)[\"']?\s*[:=]>?\s*$")
