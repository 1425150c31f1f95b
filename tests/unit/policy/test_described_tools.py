"""Tests `[mcp]` of a policy: who may set what, and the errors of a row."""

import pytest

from toolgate import policy
from toolgate.model.rule import DescribedTool
from toolgate.policy.parsing import RAISES_ONLY_REMEDY
from unit.policy.layers import Layers

ERASE = '[mcp.notes]\nerase = { delete = "path" }\n'
SHIP = '[mcp."my notes"]\nship = { run = ["git", "push", "{force?--force}", "{branches[]}"] }\n'
FORM = "`toolgate policy schema` has the form"
PATH = "an argument's name; options.path for what lies in it, files[] for each of a list, a|b for the first that is there"
WORD = "{argument}, in a word or as one; {files[]} as a word of its own; {force?--force} for an argument that is true"

WRONG = [
    ('{ delte = "path" }', ".delte: unknown key; did you mean delete?"),
    ("{ delete = 3 }", f".delete: expected `str`, got `int`; {FORM}"),
    (
        '{ content = "text" }',
        ": it does not say what the tool does; give one of read, write, delete, move, connect, shell, run, operation",
    ),
    ('{ move = "from" }', ".move: means nothing without `to`; give `to` too, or leave it out"),
    ('{ read = "path", cwd = "folder" }', ".cwd: means nothing without `shell`; give `shell` too, or leave it out"),
    ('{ read = "the path" }', f".read: this leads to no argument; {PATH}"),
    ('{ read = "a||b" }', f".read: this leads to no argument; {PATH}"),
    ('{ read = "{path}" }', f".read: this leads to no argument; {PATH}"),
    ('{ run = ["git push"] }', f".run: 'git push' is no word of a command; {WORD}"),
    ('{ run = ["git", "{branch"] }', f".run: '{{branch' is no word of a command; {WORD}"),
    ('{ run = ["git", "x={files[]}"] }', f".run: 'x={{files[]}}' is no word of a command; {WORD}"),
    ('{ run = ["{x?git}"] }', f".run: '{{x?git}}' is no word of a command; {WORD}"),
    ("{ run = [] }", f".run: expected `array` of length >= 1; {FORM}"),
    ('{ operation = "database.drip" }', ".operation: there is no such operation; did you mean database.drop?"),
]


@pytest.mark.parametrize("layer", ["organisation", "user", "project"])
@pytest.mark.parametrize(("row", "complaint"), WRONG)
def test_what_is_wrong_with_a_row_is_said(layers: Layers, layer: str, row: str, complaint: str) -> None:
    if layer == "project" and "run =" in row:
        complaint = f".run: unknown key; {RAISES_ONLY_REMEDY}"
    setattr(layers, layer, f"# why\n[mcp.notes]\nerase = {row}")
    (problem,) = layers.compile_layers().problems
    assert str(problem).partition(":")[2] == f"3: mcp.notes.erase{complaint}"


def test_a_server_without_tools_is_no_server(layers: Layers) -> None:
    layers.user = '[mcp.notes]\ndelete = "path"'
    error = """~/gate/policy.toml:2: mcp.notes.delete: not a tool's row; write tool = { delete = "path" }"""
    assert layers.complaint() == error


def test_a_file_describes_so_many_tools(layers: Layers) -> None:
    servers = [f"[mcp.s{n}]\n" + "\n".join(f't{m} = {{ read = "path" }}' for m in range(100)) for n in range(5)]
    layers.user = "\n".join(servers)
    assert len(layers.load().tools) == 500
    layers.user += '\n[mcp.last]\nt = { read = "path" }'
    assert layers.complaint() == "~/gate/policy.toml: mcp: more than 500 tools; describe those that matter"


def rows(layers: Layers, session: str = "") -> list[tuple[str, str, bool]]:
    return [(each.file.replace(str(layers.home), "~"), each.tool, each.adds) for each in layers.load(session).tools]


USER, PROJECT, ORGANISATION = "~/gate/policy.toml", "~/code/api/.toolgate/policy.toml", "~/gate/organisation/policy.toml"


def test_every_layer_adds_up(layers: Layers) -> None:
    layers.user, layers.project = ERASE, ERASE
    assert rows(layers) == [(USER, "erase", False), (PROJECT, "erase", True)]
    layers.organisation = SHIP
    assert rows(layers) == [(ORGANISATION, "ship", False), (USER, "erase", True), (PROJECT, "erase", True)]
    layers.organisation = 'users_may_lower = ["mcp"]\n' + SHIP
    assert rows(layers) == [(ORGANISATION, "ship", False), (USER, "erase", False), (PROJECT, "erase", True)]


def test_a_row_survives_the_cache(layers: Layers) -> None:
    layers.user = SHIP
    words = ("git", "push", "{force?--force}", "{branches[]}")
    expected = (DescribedTool("my notes", "ship", {"run": words}, str(layers.gate / "policy.toml"), adds=False),)
    assert layers.load().tools == expected
    assert list((layers.gate / "cache" / "policy").iterdir()) != []
    assert layers.load().tools == expected


def test_the_digest_names_the_rows(layers: Layers) -> None:
    layers.user = ERASE
    digest = layers.load().digest
    assert digest != policy._BUILT_IN.digest
    layers.user = ERASE.replace("path", "file")
    assert layers.load().digest != digest


@pytest.mark.parametrize(("before", "after"), [(ERASE, ""), ("human = true", ERASE)])
def test_in_mid_session_a_row_of_one_of_both_only_adds(layers: Layers, before: str, after: str) -> None:
    layers.user = before
    layers.pin("s")
    layers.user = after
    assert rows(layers, "s") == [(USER, "erase", True)]
    layers.user = before
    assert rows(layers, "s") == [each for each in [(USER, "erase", False)] if before == ERASE]
