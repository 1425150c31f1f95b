"""Tests the evaluated reading of Go against the literal one, and over spellings, broken programs and a missing grammar."""

import random
import re
import sys
from collections.abc import Iterator

import pytest

from toolgate.languages.scripting import grammars
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Interpret, Run, Write
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand

pytest.importorskip("tree_sitter_go")

CALLS = {
    "removes": 'os.RemoveAll("/srv/data")',
    "unlinks": 'os.Remove("/srv/data/a")',
    "writes": 'os.WriteFile("/srv/data/a", nil, 0o644)',
    "runs": 'exec.Command("rm", "-rf", "/srv/data").Run()',
    "runs with a context": 'exec.CommandContext(ctx, "rm", "-rf", "/srv/data").Run()',
    "runs a shell": 'exec.Command("sh", "-c", "rm -rf /srv/data").Run()',
    "deletes the home folder": "home, _ := os.UserHomeDir(); os.RemoveAll(home)",
    "joins": 'os.RemoveAll(filepath.Join("/srv", "data"))',
    "formats": 'os.RemoveAll(fmt.Sprintf("/srv/%s", "data"))',
}
SPELLINGS = {
    "the program": "func main() { %s }",
    "a closure": "func main() { f := func() { %s }; f() }",
    "deferred": "func main() { defer func() { %s }(); println(1) }",
    "beside": "func main() { go func() { %s }(); select {} }",
    "a method": "type T struct{}\nfunc (t *T) do() { %s }\nfunc main() { (&T{}).do() }",
    "a branch": "func main() { if len(os.Args) > 1 { return } else { %s } }",
    "a loop": "func main() { for i := 0; i < 3; i++ { %s } }",
    "a case": "func main() { switch os.Args[0] { case `x`: println(); default: %s } }",
    "an init": "func init() { %s }\nfunc main() {}",
    "a callback": "func main() { filepath.WalkDir(`.`, func(p string, d fs.DirEntry, err error) error { %s; return nil }) }",
    "a function that nothing calls": "func main() {}\nfunc other() { %s }",
}
HEAD = 'package main\nimport ("os"; "os/exec"; "path/filepath"; "fmt"; "io/fs"; "context")\nvar ctx = context.Background()\n'


def find_effects(program: str) -> Effects:
    text = f"cat > main.go <<'END'\n{program}\nEND\ngo run main.go"
    return understand(RunShell(text), Scene(Caller("test"), "/work", "/work", "/home/u", {}, "u"), MachineWorld())


def list_acts(effects: Effects) -> set[object]:
    found: set[object] = set()
    for effect in effects.all:
        if isinstance(effect, Delete):
            found.add(("delete", effect.place.path, effect.recursive))
        elif isinstance(effect, Write) and effect.place.path != "/work/main.go":
            found.add(("write", effect.place.path))
        elif isinstance(effect, Run) and effect.argv[0].text in ("rm", "sh"):
            found.add(("run", tuple(word.text for word in effect.argv)))
    return found


@pytest.fixture
def without_grammar(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    grammars._parser.cache_clear()
    yield
    grammars._parser.cache_clear()


def test_what_the_literal_reading_finds_is_found_by_evaluation(request: pytest.FixtureRequest) -> None:
    programs = [HEAD + SPELLINGS["the program"] % call for call in CALLS.values()]
    evaluated = [list_acts(find_effects(program)) for program in programs]
    request.getfixturevalue("without_grammar")
    by_literals = [list_acts(find_effects(program)) for program in programs]
    assert sum(map(bool, by_literals)) >= 7
    assert all(more >= less for more, less in zip(evaluated, by_literals, strict=True))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_call_has_its_effect_wherever_it_is(spelling: str, call: str) -> None:
    plain = list_acts(find_effects(HEAD + SPELLINGS["the program"] % CALLS[call]))
    assert plain
    assert list_acts(find_effects(HEAD + SPELLINGS[spelling] % CALLS[call])) >= plain


def test_a_broken_program_is_read_without_an_error() -> None:
    """Every program is read, whatever its tokens."""
    chance = random.Random(0)
    programs = [HEAD + form % call for form in SPELLINGS.values() for call in CALLS.values()]
    for _ in range(150):
        tokens = re.findall(r"\w+|\s+|[^\w\s]", chance.choice(programs))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(tokens))
            tokens[at : at + chance.randint(0, 4)] = chance.choice([[], [chance.choice(tokens)]])
        assert find_effects("".join(tokens)).all


@pytest.mark.usefixtures("without_grammar")
def test_without_the_grammar_the_literals_are_read() -> None:
    found = find_effects(HEAD + SPELLINGS["the program"] % CALLS["removes"])
    assert ("delete", "/srv/data", True) in list_acts(found)
    assert any(isinstance(effect, Interpret) and effect.language == "go" for effect in found.all)
