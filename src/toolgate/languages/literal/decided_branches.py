"""Branches of code that its literal values decide: `if ("--apply" == "--apply")`, `match "tidy" { "tidy" => .. }`,
`switch("memory", memory = ..)`."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from toolgate.languages.evaluation.plain_documents import fold_name

from .texts import TEXT, find_closing, find_unmatched, write_name

_IF = re.compile(r"(?<![\w.@])if\s*(?=\()|(?<![\w.@])if\s+(?=[^({\n;]{1,200}\{)")
_SELECTS = re.compile(
    rf"\b(?:match|when|switch)\s*\(?\s*(?P<value>{TEXT}|null)\s*\)?\s*(?=\{{)|(?P<subject>{TEXT})\s+switch\s*(?=\{{)"
    rf"|\bswitch\s*(?=\(\s*(?P<r>{TEXT})\s*,)"
)
_DECISION = re.compile(f"{_IF.pattern}|{_SELECTS.pattern}")
_CONTINUES_TEST = re.compile(r"\s*(?:&&|\|\|)")
_END_OF_CASE = re.compile(r"\bbreak\s*;|(?<=[;}\n])\s*(?=(?:case\s|default\s*:))|\breturn\b[^;]*;")
_BRACKET_OR_END = re.compile(rf"{TEXT}|[()\[\]{{}}]|[,;\n]")
_LABEL = re.compile(
    rf"(?:case\s+)?(?P<pattern>(?:(?:Some\(\s*)?(?:{TEXT}|null|None)\s*\)?(?:\s*(?:,|\||or)\s*(?=[\"Sn]))?)++|_|else|default|(?:Some\()?\w+(?:::\w+)*(?:\s*\{{[^{{}}]*\}}|\([^()]*\))?\)?)\s*(?P<mark>=>|->|:(?!:))"
)
_LEAVES = re.compile(
    r"(?:\b(?:return|continue|break|throw)\b[^;{}\n]*;?|\b(?:System\.exit|Environment\.Exit|(?:std::)?process::exit|exitProcess|exit|quit|q|stop)\s*\([^()]*\);?)\s*\}?\s*$"
)
_ELSE = re.compile(r"\s*else\b\s*")
_CHAINED = re.compile(r"if\b")
_STATEMENT = re.compile(rf"\s*(?:{TEXT}|(?!\belse\b)[^;{{}}\n\"])*(?:;|(?=\n|\belse\b)|$)")
_COMPARED = re.compile(
    rf"(?P<left>{TEXT}|null)\s*(?P<operator>===?|!==?)\s*(?:(?:Some|Ok)\(\s*(?P<wrapped>{TEXT})\s*\)|(?P<right>{TEXT}|null))"
    rf"|(?P<receiver>{TEXT})\.(?:equals(?:IgnoreCase)?|Equals|eq)\(\s*(?P<given>{TEXT}|null)[^()]*\)"
    r"|(?P<absent>null)(?:\.as_deref\(\)|\.unwrap_or_default\(\)|\.as_str\(\)){0,2}(?:\s*==\s*(?:(?:Some|Ok)\(\s*\"[^\"\n]+\"\s*\)|\"[^\"\n]+\")|\.is_(?:ok|some)\(\))"
)
_TESTED = re.compile(
    rf"(?P<text>{TEXT})\.(?P<test>starts_with|startsWith|StartsWith|hasPrefix|ends_with|endsWith|EndsWith|hasSuffix|contains|Contains|includes)"
    rf"\(\s*(?P<part>{TEXT})[^()]*\)"
)
_NEGATED = re.compile(r"!\s*(true|false)\b|!\s*\(\s*(true|false)\s*\)|\bnot\s+(true|false)\b")
_ASSIGNED_TEST = re.compile(r"(?<![\w.])(\w+)\s*(?::\s*\w+\s*)?(?:=|<-)\s*(true|false|TRUE|FALSE)\s*(?:;|\n)")
_CONDITIONAL = re.compile(
    rf"(?:(?<=[=(,])|(?<=\breturn))\s*(?P<test>[^=;(){{}}?\"]{{0,80}}?\b(?:true|false)\b[^=;(){{}}?\"]{{0,80}}?)\?(?![.:?])\s*(?P<yes>{TEXT}|[\w.]+)\s*:\s*(?P<no>{TEXT}|[\w.]+)"
)
_ONLY_TEXT = re.compile(rf"\{{\s*({TEXT})\s*\}}")
_SWITCH = re.compile(
    rf"(?P<before>(?:(?<![\w.@])if\s*\(?|&&|\|\||(?<![&|])&(?=\s)|\b(?:and|or)\b)\s*\(?\s*!?\s*\(?)"
    rf"(?:(?:\*?\w+(?:\(\))?(?:\.|\$|->|::))*?\w+\.(?:get_flag|hasOption|has|isPresent|is_present|getBoolean|GetValueForOption)\(\s*(?P<asked>{TEXT})\s*\)"
    r"|(?:\*?\w+(?:\(\))?(?:\.|\$|->))*(?P<name>\w+))(?=\s*(?:\)|\{|&&|\|\||&\s|\|\s))"
)
_MATCHES_COMMAND = re.compile(
    r"\bmatch\s+&?[\w.]*(?:command|cmd|subcommand|action)\w*(?:\.\w+\(\))*\s*(?=\{)|\bmatch\s+&?\w+::parse\(\)(?:\.\w+)?\s*(?=\{)"
)
_VARIANT = re.compile(r"::(\w+)")
_MOST_DECISIONS = 40


def decide_branches(text: str, switches: Mapping[str, bool] = MappingProxyType({}), command: str = "") -> str:
    """Returns the code without the branches that its literal values rule out. `switches`: what the options that it declares are
    set to; `command`: the subcommand that is given."""
    text = _write_tests(_choose_subcommand(_write_switches(text, switches), command))
    at = 0
    for _ in range(_MOST_DECISIONS):
        found = next(iter(_find_decided(text, at)), None)
        if found is None:
            break
        start, text = found
        at = max(0, start)
    return text


def _write_switches(text: str, switches: Mapping[str, bool]) -> str:
    """Writes out declared options where tests ask for them: `if cli.dry_run`, `if (!apply)`, `opt$apply`."""

    def write_test(match: re.Match[str]) -> str:
        answer = switches.get(fold_name(match["name"] or match["asked"].strip('"')))
        return match[0] if answer is None else f"{match['before']}{'true' if answer else 'false'}"

    return _SWITCH.sub(write_test, text) if switches else text


def _choose_subcommand(text: str, command: str) -> str:
    """Writes out the arm for the subcommand that is given, where code matches on those that it declares."""
    for match in reversed(list(_MATCHES_COMMAND.finditer(text)) if command else []):
        end = find_closing(text, match.end())
        for pattern, arm in _list_arms(text[match.end() + 1 : end - 1]):
            variant = _VARIANT.search(pattern)
            if variant is not None and fold_name(variant[1]) == fold_name(command):
                text = f"{text[: match.start()]} {arm} {text[end:]}"
                break
    return text


def _write_tests(text: str) -> str:
    """Writes out comparisons of literals, and names that are assigned such an answer once."""
    text = _NEGATED.sub(_negate, _COMPARED.sub(_compare, _TESTED.sub(_test_text, text)))
    for name, value in _ASSIGNED_TEST.findall(text):
        if len(re.findall(rf"(?<![\w.]){name}\s*(?::\s*\w+\s*)?(?:[-+|&]?=(?!=)|<-)", text)) == 1:
            used = re.compile(rf"{TEXT}|(?<![\w.\"]){name}(?![\w(])(?!\s*(?::\s*\w+\s*)?(?:=(?![=>])|<-))(?!\s*:)")
            text = write_name(used, value.lower(), text)
    return _CONDITIONAL.sub(_choose_value, _NEGATED.sub(_negate, text))


def _choose_value(match: re.Match[str]) -> str:
    answer = _evaluate_test(match["test"])
    return match[0] if answer is None else f" {match['yes'] if answer else match['no']}"


def _compare(match: re.Match[str]) -> str:
    if match["absent"]:
        return "false"
    if match["receiver"]:
        return "true" if match["receiver"].lower() == match["given"].lower() else "false"
    return "true" if (match["left"] == (match["wrapped"] or match["right"])) is not match["operator"].startswith("!") else "false"


def _test_text(match: re.Match[str]) -> str:
    text, part, test = match["text"][1:-1], match["part"][1:-1], match["test"].lower()
    if test in ("starts_with", "startswith", "hasprefix"):
        is_true = text.startswith(part)
    else:
        is_true = text.endswith(part) if test in ("ends_with", "endswith", "hassuffix") else part in text
    return "true" if is_true else "false"


def _negate(match: re.Match[str]) -> str:
    return "false" if (match[1] or match[2] or match[3]) == "true" else "true"


def _find_decided(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yields the code after each decision that can be made, with the position where to go on."""
    for match in _DECISION.finditer(text, at):
        replaced = _decide_selection(text, match) if match["value"] or match["subject"] or match["r"] else _decide_if(text, match)
        if replaced is not None:
            yield match.start(), replaced


def _decide_if(text: str, match: re.Match[str]) -> str | None:
    if text[match.end()] == "(":
        end_of_test = find_closing(text, match.end())
        test = text[match.end() + 1 : end_of_test - 1]
        if _CONTINUES_TEST.match(text, end_of_test):  # Rust and Swift need no parentheses
            return None
    else:
        end_of_test = text.find("{", match.end())
        test = text[match.end() : end_of_test]
    answer = _evaluate_test(test)
    if answer is None:
        return None
    start, end = _find_block(text, end_of_test)
    alternative = _ELSE.match(text, end)
    other_start, other_end = _find_alternative(text, alternative.end()) if alternative is not None else (end, end)
    kept = text[start:end] if answer else text[other_start:other_end]
    after = text[max(end, other_end) :]
    if _LEAVES.search(kept.strip()):
        after = after[find_unmatched(after, 0, len(after)) :]
    only = _ONLY_TEXT.fullmatch(kept.strip())
    return f"{text[: match.start()]} {only[1] if only is not None else kept} {after}"


def _find_block(text: str, at: int) -> tuple[int, int]:
    """Returns the span of the block, or of the statement, that begins here."""
    start = at + len(text[at:]) - len(text[at:].lstrip())
    if text[start : start + 1] == "{":
        return start, find_closing(text, start)
    statement = _STATEMENT.match(text, start)
    return start, statement.end() if statement is not None else start


def _find_alternative(text: str, at: int) -> tuple[int, int]:
    """Returns the span of what follows `else`: a block, a statement, or a chain of further tests."""
    start, following = at, _CHAINED.match(text, at)
    while following is not None and (opening := text.find("{", at)) >= 0:
        end = find_closing(text, opening)
        alternative = _ELSE.match(text, end)
        if alternative is None:
            return start, end
        at = alternative.end()
        following = _CHAINED.match(text, at)
    return start, _find_block(text, at)[1]


def _evaluate_test(test: str, depth: int = 12) -> bool | None:
    """Returns whether a condition of known and unknown parts holds."""
    test = test.strip()
    if not depth:
        return None
    if test.startswith("(") and find_closing(test, 0) == len(test):
        return _evaluate_test(test[1:-1], depth - 1)
    for operator, deciding in ((r"\|\|?|\bor\b", True), (r"&&?|\band\b", False)):
        parts = _split_at(test, operator)
        if len(parts) > 1:
            answers = [_evaluate_test(part, depth - 1) for part in parts]
            return deciding if deciding in answers else None if None in answers else not deciding
    return {"true": True, "TRUE": True, "false": False, "FALSE": False}.get(test)


def _split_at(test: str, operator: str) -> list[str]:
    parts, start, depth = [], 0, 0
    for piece in re.finditer(rf"{TEXT}|[()\[\]{{}}]|{operator}", test):
        if piece[0][0] in "([{":
            depth += 1
        elif piece[0][0] in ")]}":
            depth -= 1
        elif not piece[0].startswith('"') and depth == 0:
            parts.append(test[start : piece.start()])
            start = piece.end()
    return [*parts, test[start:]]


def _decide_selection(text: str, match: re.Match[str]) -> str | None:
    if match["r"]:
        end = find_closing(text, match.end())
        chosen = _choose_named(_split_at(text[match.end() + 1 : end - 1], ","), match["r"])
        return None if chosen is None else f"{text[: match.start()]}{chosen.strip()}{text[end:]}"
    end = find_closing(text, match.end())
    body = text[match.end() + 1 : end - 1]
    chosen = _choose_arm(body, match["value"] or match["subject"])
    return None if chosen is None else f"{text[: match.start()]} {chosen} {text[end:]}"


def _choose_named(parts: list[str], value: str) -> str | None:
    """Returns the alternative of R's `switch` for a name."""
    fallback = None
    for n, part in enumerate(parts[1:], 1):
        name, is_named, chosen = part.partition("=")
        if not re.fullmatch(r"\s*[\"'`]?[\w.-]+[\"'`]?\s*", name) or not is_named:
            fallback = part
        elif name.strip().strip("\"'`") == value[1:-1]:
            following = [chosen, *(each.partition("=")[2] for each in parts[n + 1 :])]
            return next((each for each in following if each.strip()), "")
    return fallback


def _choose_arm(body: str, value: str) -> str | None:
    """Returns the arm for a value; that for all others, if there is none."""
    arms = list(_list_arms(body))
    texts = [[each[1:-1] for each in re.findall(TEXT, pattern)] for pattern, _ in arms]
    if not any(texts):
        return None
    for (pattern, arm), named in zip(arms, texts, strict=True):
        if (value == "null" and re.search(r"\b(?:None|null)\b", pattern)) or (value != "null" and value[1:-1] in named):
            return arm
    return next((arm for pattern, arm in arms if not re.search(TEXT, pattern) and pattern.strip() not in ("None", "null")), "")


def _list_arms(body: str) -> Iterator[tuple[str, str]]:
    """Yields the patterns and the code of the arms."""
    at = 0
    while at < len(body):
        at += len(body[at:]) - len(body[at:].lstrip(" \t\r\n,;"))
        label = _LABEL.match(body, at)
        if label is None:
            return
        if label["mark"] == ":":
            following = _END_OF_CASE.search(body, label.end())
            end = following.end() if following is not None else len(body)
            yield label["pattern"], body[label.end() : end].replace("break;", "")
        else:
            end = _find_end_of_arm(body, label.end())
            yield label["pattern"], body[label.end() : end].strip()
        at = max(end, at + 1)


def _find_end_of_arm(body: str, at: int) -> int:
    start = at + len(body[at:]) - len(body[at:].lstrip())
    if body[start : start + 1] == "{":
        return find_closing(body, start)
    depth = 0
    for piece in _BRACKET_OR_END.finditer(body, start):
        if piece[0][0] in "([{":
            depth += 1
        elif piece[0][0] in ")]}":
            depth -= 1
        elif depth == 0 and piece[0] in (",", ";", "\n"):
            following = body[piece.end() :].lstrip()
            if piece[0] != "\n" or not following.startswith("."):
                return piece.start()
    return len(body)
