"""Loops over literal lists, unrolled: `["a", "b"].each { rm(it) }` becomes `rm("a")` and `rm("b")`.

The functions of a list differ between languages by little more than their names. What a function returns for each element is a
list again, so that chains are unrolled one call after another.
"""

import re
from collections.abc import Callable
from itertools import count

from .texts import TEXT, ReplacedSource, find_closing, find_end_of_body, find_opening, write_out

_ELEMENTS = rf"{TEXT}(?:\s*[,;]?\s*{TEXT})*"
_CONSTRUCTED = re.compile(
    rf"(?<![\w.])(?:java\.util\.)?(?:listOf|setOf|arrayOf|sequenceOf|(?:List|Set|Stream)\.of|Arrays\.asList|List|Seq|Set|Array|c|list)\s*"
    rf"\(\s*({_ELEMENTS})\s*\)|\bnew\s*(?:string|String)?\s*\[\]\s*\{{\s*({_ELEMENTS})\s*\}}|\(list\s+({_ELEMENTS})\s*\)|\bvec!\s*\[\s*({_ELEMENTS})\s*,?\s*\]"
)
_WORD_LIST = re.compile(r"~w[(\[{/|]([\w./\s-]+)[)\]}/|]")
LIST = (
    r"(?:(?<![\w)\]])|(?<=u8)|(?<=\]string))(?:\[_\]\[\]const u8|\[\]string)?"
    rf"[(\[{{]\s*{_ELEMENTS}\s*,?\s*(?:NULL|nullptr)?\s*[)\]}}]"
)
_PARAMETER = re.compile(
    r"\s*(?:fn|fun|func|function|lambda|\\|λ)?\s*[(\[|]?\s*(?:(?:final|var|val|auto|const|string|String|Path|File)\s+)?([A-Za-z_]\w*)"
    r"\s*(?::\s*[\w.]+\s*)?[)\]|]?\s*(?:->|=>|\bin\b)"
    r"|\s*(?:function|lambda|\\|λ)\s*[(\[]\s*([A-Za-z_]\w*)\s*[)\]]"
    r"|\s*(?:move\s+)?\|\s*&?([A-Za-z_]\w*)\s*(?::\s*[&\w]+\s*)?\|"
    r"|\s*\(\s*(?:(?:final|var|string|String)\s+)?([A-Za-z_]\w*)\s*\)\s*(?=\{)"
)
"""The head of a function without a name, in the notation of any of these languages."""
_REFERENCE = re.compile(r"\s*(?:&\s*)?(?:([A-Z]\w*)?::)?([A-Za-z_][\w.:-]*[!?]?)(?:/1)?\s*")
_MAPS = r"map|collect|flatMap|select|Select|lapply|sapply|mapIt"
_EACH = rf"{_MAPS}|each|run!|forEach|ForEach|foreach|iter|walk|for-each|mapc|mapM_|traverse_|for_each"
"""Functions that call another for each element; `_MAPS`: those that return a list of the results."""
_KEEPS = (
    r"filter|findAll|where|Where|reject|sorted|sort|sortedBy|reversed|reverse|distinct|stream|toList|asSequence|toArray"
    r"|iter(?=\(\))|into_iter"
)
"""Functions that return elements of the list."""
_KEPT = re.compile(rf"({LIST})\s*(?:\.|\|>\s*(?:[A-Z]\w*\.)+)(?:{_KEEPS})\b\s*(?=[({{])")
_METHOD = re.compile(rf"(?P<list>{LIST})\s*(?:\?\.|\.|\|>\s*(?:[A-Z]\w*\.)+)(?P<does>{_EACH})(?![\w-])!?\s*(?P<open>[({{])")
_LIST_FIRST = re.compile(rf"(?<![\w.])(?:[A-Z]\w*\.|purrr::)?(?P<does>{_EACH})(?P<open>\()\s*(?P<list>{LIST})\s*,\s*(?=[\w&\\(])")
_FUNCTION_FIRST = re.compile(rf"(?<![\w.])(?:[A-Z]\w*\.|lists:)?(?P<does>{_EACH})(?![\w-])\s*#?(?=[(\w])")
_LIST_NEXT = re.compile(rf"\s*(?:\$|@@|<\|)?\s*'?({LIST})")
_SECTION = re.compile(rf"\s*\(?\s*({TEXT})\s*(</>|<>|\+\+|/|\^|\+)\s*\)?\s*")
"""An operator of Haskell that is applied to its first operand: `(home </>)`."""
_COMPOSED = re.compile(r"\s+\.\s+|\s*∘\s*|\s+<=<\s+|\s*<<\s*")
_COMPREHENSION = re.compile(rf"\s(?:\|\||\||for)\s*(?P<name>[A-Za-z_]\w*)\s*(?:<-|\bin\b|=|∈)\s*(?P<list>{LIST})\s*\]")
"""The generator of a list of results, whose body stands before it."""
_LIST_LAST = re.compile(rf"(?s)(.*),\s*({LIST})\s*")
_DECLARES = r"(?:(?:let|var|val|final|const|auto|string|String|Path|File)\s+)*"
_LOOPS = tuple(
    map(
        re.compile,
        (
            rf"\bfor(?:each(?:_reverse)?|Each)?\s*\(?\s*{_DECLARES}(?:_\s*,\s*)?(?P<name>[A-Za-z_]\w*)\s*"
            rf"(?:\bin\b|:=\s*range\b|:|;|<-|=|∈)\s*[@&]?(?P<list>{LIST})[ \t]*(?:\)|,?[ \t]*do\b:?|:)?",
            rf"\bFor\s+Each\s+(?P<name>\w+)(?:\s+As\s+\w+)?\s+In\s+(?P<list>{LIST})",
            rf"\bfor\s*\(\s*&?\.?(?P<list>{LIST})\s*\)\s*\|(?P<name>\w+)\|",
            rf"\bforM?_\s*(?P<list>{LIST})\s*\$?\s*\(?\s*\\(?P<name>\w+)\s*->",
            rf"\((?:for\*?|for/\w+|dolist|doseq)\s*[(\[]+\s*(?P<name>[\w-]+)\s+(?:\(in-list\s+)?'?(?P<list>{LIST})[)\]]+",
        ),
    )
)
"""Heads of loops: of most languages, of Visual Basic, of Zig, of Haskell, and of Lisp."""
_LOCAL = re.compile(r"\b(?:let|val|var|const|auto|final|def|my)\s+(?:mut\s+)?(\w+)\s*(?::\s*\w+\s*)?=(?!=)|(?<![\w.])(\w+)\s*:=")
"""A name that the body of a loop declares: it has a value of its own in every round."""
_LIST = re.compile(LIST)
_TEXTS = re.compile(TEXT)
_PLACEHOLDER = re.compile(r"(?<![\w\"])_(?![\w\"])|(?<![\w\"%])%1?(?![\w\"%])")
"""The argument of a function without a name, in Scala and in Clojure."""
_FURTHER_ARGUMENTS = re.compile(r"(?<=\w)\s*,\s*[\w.]+\s*=[^()]*$")
"""Arguments of R that follow a function's name: `lapply(files, unlink, recursive = TRUE)`."""
_FARTHEST = 2000
"""Characters of a function before the list that it is given."""
_LONGEST = 80_000  # characters, unrolled
_Function = Callable[[str], str]
_Unrolled = tuple[int, int, str]
"""Where a loop begins and ends, and what it becomes."""


def unroll_loops(text: str) -> str:
    """Returns the code with its loops over literal lists unrolled; without those that would make it too long."""
    text = _CONSTRUCTED.sub(lambda match: f"[{next(group for group in match.groups() if group)}]", text)
    text = _WORD_LIST.sub(lambda match: "[" + ", ".join(f'"{word}"' for word in match[1].split()) + "]", text)
    if _LIST.search(text) is None:
        return text
    for pattern, unroll in _FORMS:
        replaced = ReplacedSource(text)
        for match in pattern.finditer(text):
            if not replaced.is_replaced(match.start()) and (unrolled := unroll(text, match)) is not None:
                replaced.replace(*unrolled, match.end() if pattern is _KEPT else unrolled[1])
        text = joined if len(joined := replaced.join()) <= _LONGEST else text
    return text


def _drop_filter(text: str, match: re.Match[str]) -> _Unrolled:
    """`LIST.filter { ... }`: any element may pass."""
    end = find_closing(text, match.end())
    return match.start(), end, match[1]


def _unroll_call(text: str, match: re.Match[str]) -> _Unrolled | None:
    """`LIST.each { ... }`, `LIST |> Enum.each(fn ... end)`, `lapply(LIST, function(x) ...)`."""
    end = find_closing(text, match.start("open"))
    function = _read_function(text[match.end() : end - 1])
    return None if function is None else (match.start(), end, _apply(function, match["list"], match["does"]))


def _unroll_function_first(text: str, match: re.Match[str]) -> _Unrolled | None:
    """`List.iter (fun f -> ...) LIST`, `mapM_ removeFile LIST`, `foreach(f -> ..., LIST)`."""
    at = match.end()
    reference = _REFERENCE.match(text, at) if text[at] != "(" else None
    end = find_closing(text, at) if reference is None else reference.end()
    source = text[at:end] if reference is not None else text[at + 1 : end - 1]
    following = _LIST_NEXT.match(text, end)
    if following is not None:
        elements, end = following[1], following.end()
    elif reference is None and len(source) < _FARTHEST and (last := _LIST_LAST.fullmatch(source)) is not None:
        source, elements = last.groups()
    else:
        return None
    function = _read_function(source)
    return None if function is None else (match.start(), end, _apply(function, elements, match["does"]))


def _unroll_loop(text: str, match: re.Match[str]) -> _Unrolled:
    """`for p in LIST { ... }`, in the notation of any of these languages."""
    end = find_end_of_body(text, match)
    name, body = match["name"], text[match.end() : end]
    own = [each for each in _find_declared(body) if not re.search(rf"\b{each}\b", text[: match.start()] + text[end:])]
    local, rounds = re.compile(rf"(?<![\w.$])({'|'.join(own)})(?!\w)") if own else None, count(1)

    def write_round(element: str) -> str:
        written, number = write_out({name: element}, body), next(rounds)
        return written if local is None else local.sub(rf"\1_{number}", written)

    return match.start(), end, _apply(write_round, match["list"], "each")


def _unroll_comprehension(text: str, match: re.Match[str]) -> _Unrolled | None:
    """`[f(x) || x <- LIST]`, `[f(x) for x in LIST]`."""
    opening = find_opening(text, match.end())
    if opening is None:
        return None
    name, body = match["name"], text[opening + 1 : match.start()]
    return opening, match.end(), _apply(lambda element: write_out({name: element}, body), match["list"], "map")


def _find_declared(body: str) -> set[str]:
    return {found[1] or found[2] for found in _LOCAL.finditer(body)}


def _read_function(source: str) -> _Function | None:
    """Returns what a function makes of the source of its argument; None if the source is no function."""
    if (parameter := _PARAMETER.match(source)) is not None:
        name = next(group for group in parameter.groups() if group)
        body = source[parameter.end() :]
        return lambda element: write_out({name: element}, body)
    if "&1" in source:
        return lambda element: source.lstrip().removeprefix("&").replace("#{&1}", element[1:-1]).replace("&1", element)
    if "$0" in source:
        return lambda element: source.replace("\\($0)", element[1:-1]).replace("$0", element)
    if re.search(r"(?<![\w.])it(?!\w)", source):
        return lambda element: write_out({"it": element}, source)
    source = _FURTHER_ARGUMENTS.sub("", source)
    placeholder = _PLACEHOLDER.search(source)
    if placeholder is not None:
        return lambda element: source.replace(placeholder[0], element)
    if (section := _SECTION.fullmatch(source)) is not None:
        joined = f"{section[1]} {section[2]} "
        return lambda element: f"{joined}{element}"
    if len(composed := _COMPOSED.split(source)) > 1:
        return _compose([_read_function(each) for each in composed])
    reference = _REFERENCE.fullmatch(source)
    if reference is None:
        return None
    receiver, name = reference.groups()
    return lambda element: f"{element}.{name}()" if receiver else f"{name}({element})"


def _compose(functions: list[_Function | None]) -> _Function | None:
    """Returns what `f . g` makes of its argument; None if a part is no function."""
    known = [each for each in functions if each is not None]
    if len(known) < len(functions):
        return None

    def call_in_turn(element: str) -> str:
        for function in reversed(known):
            element = function(element)
        return element

    return call_in_turn


def _apply(function: _Function, elements: str, does: str) -> str:
    results = [function(element) for element in _TEXTS.findall(elements)]
    if re.fullmatch(_MAPS, does):
        return "[" + ", ".join(result.strip() for result in results) + "]"
    return "\n".join(results)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str, re.Match[str]], _Unrolled | None]], ...] = (
    (_KEPT, _drop_filter),
    (_METHOD, _unroll_call),
    (_LIST_FIRST, _unroll_call),
    (_FUNCTION_FIRST, _unroll_function_first),
    (_COMPREHENSION, _unroll_comprehension),
    *((loop, _unroll_loop) for loop in _LOOPS),
)
