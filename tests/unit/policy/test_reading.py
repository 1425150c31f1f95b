"""Errors of a file are reported with file, line, key and remedy, verbatim."""

import re

import pytest

from toolgate.model.errors import PolicyError
from toolgate.policy.parsing import Vocabulary, parse_statements
from unit.policy.layers import TABLE, Layers

USER = "~/gate/policy.toml"
FORM = "`toolgate policy schema` has the form"
KEYS = (
    "known here: human, cap, ask_through, messages, agent_may_confirm, answers, max_questions, shortest_answer, "
    "on_error, on_timeout, on_missing_context, on_store_error, on_session_error, log, audit, zones, limits, network, redact, "
    "placeholders, addresses, on_credential_print, wrap_commands, rewrite, journal, undo, answer_prompts, redaction, "
    "rules, profile, store, wrappers, rule, mcp, floors, project"
)
REASON = 'reason = "I know what I do"'

FILES = [
    ('verdit = "deny"', f":1: verdit: unknown key; {KEYS}"),
    ("humn = true", ":1: humn: unknown key; did you mean human?"),
    ('users_may_lower = ["*"]', f":1: users_may_lower: unknown key; {KEYS}"),
    ('human = "no"', ":1: human: expected `bool`, got `str`; one of true, false"),
    ("human = ", ": not TOML: Invalid value; fix the syntax there"),
    ("\nhuman = = 3", ":2: not TOML: Invalid value; fix the syntax there"),
    ('profile = "paranoyd"', ":1: profile: there is no such profile; did you mean paranoid?"),
    ("rules = 3", f":1: rules: expected `object`, got `int`; {FORM}"),
    ('# why\n\n[rules."git.clean"]\nverdct = 1', ':4: rules."git.clean".verdct: unknown key; did you mean verdict?'),
    (
        '[rules."git.clean"]\nverdict = "no"',
        ":2: rules.\"git.clean\".verdict: invalid enum value 'no'; one of pass, warn, ask, deny",
    ),
    (
        '[rules]\n"git.clean" = {verdict = 3}',
        ':2: rules."git.clean".verdict: expected `str`, got `int`; one of pass, warn, ask, deny',
    ),
    ('[rules."git.klean"]', ':1: rules."git.klean": there is no such rule; did you mean git.clean?'),
    (
        '[rules."git.force-push"]\noptions = {lease_is_fin = true}',
        ':2: rules."git.force-push".options.lease_is_fin: there is no such option; did you mean lease_is_fine?',
    ),
    (
        '[rules."git.force-push"]\noptions = {lease_is_fine = 3}',
        ':2: rules."git.force-push".options.lease_is_fine: expected `bool`, got `int`; see: toolgate rules show git.force-push',
    ),
    ('[rules."gate.tamper"]\noptions = {x = 1}', ':2: rules."gate.tamper".options: this rule has no options; leave them out'),
    ('[floors."gate.tamper"]\nverdict = "warn"', f':1: floors."gate.tamper".reason: missing; {FORM}'),
    (
        f'[floors."git.clean"]\nverdict = "warn"\n{REASON}',
        ':1: floors."git.clean": this rule has no floor; set it under [rules."git.clean"]',
    ),
    (
        f'[floors."gate.tamper"]\nverdict = "deny"\n{REASON}',
        ':1: floors."gate.tamper": this does not lower the floor; raise it under [rules."gate.tamper"]',
    ),
]
RULES = [
    (
        'id = "a"\non = {}',
        "on: no condition: the rule would never match; give one of operation, program, path, connect, zone, text",
    ),
    (
        'id = "a"\non = {path = "/x", connect = "y"}',
        "on: no effect has both path and connect: the rule would never match; write two rules",
    ),
    (
        'id = "a"\non = {text = "("}',
        "on.text: not a re2 expression: missing ): (; see https://github.com/google/re2/wiki/Syntax",
    ),
    ('id = "git.clean"\non = {program = "x"}', "id: git.clean is a rule of toolgate itself; choose another id"),
    (
        'id = "A b"\non = {program = "x"}',
        f"id: expected `str` matching regex '^[a-z0-9][a-z0-9-]*(\\\\.[a-z0-9][a-z0-9-]*)*$'; {FORM}",
    ),
    ('id = "a"\non = {programme = "x"}', "on.programme: unknown key; did you mean program?"),
    ('id = "a"\non = {path = "a/../b"}', "on.path: too many ** in it, or a .. in it; name the folder itself"),
]


@pytest.mark.parametrize(("text", "complaint"), FILES)
def test_a_complaint_says_where_what_and_what_to_do(layers: Layers, text: str, complaint: str) -> None:
    layers.user = text
    assert layers.complaint() == USER + complaint


@pytest.mark.parametrize(("text", "complaint"), RULES)
def test_a_rule_that_can_never_match_is_an_error(layers: Layers, text: str, complaint: str) -> None:
    layers.user = f'[[rule]]\n{text}\nverdict = "ask"\nreason = "r"'
    assert layers.complaint().partition(": ")[2] == f"rule[1].{complaint}"


def test_a_written_rule_that_passes_is_refused(layers: Layers) -> None:
    layers.user = '[[rule]]\nid = "a"\non = {program = "x"}\nverdict = "pass"\nreason = "r"'
    assert layers.complaint() == f"{USER}:4: rule[1].verdict: invalid enum value 'pass'; one of warn, ask, deny"


def test_the_second_rule_is_pointed_at(layers: Layers) -> None:
    rule = '[[rule]]\nid = "a"\non = {program = "x"}\nverdict = "ask"\nreason = "r"\n'
    layers.user = rule + rule.replace('"r"', '"two\\nlines"')
    assert (
        layers.complaint() == f"{USER}:10: rule[2].reason: holds control characters or line breaks; write one line of plain text"
    )


def test_bytes_that_are_no_text(layers: Layers) -> None:
    with pytest.raises(PolicyError, match=re.escape("p.toml: not UTF-8 (byte 8); save it as UTF-8")):
        parse_statements(b"human = \xff", "user", "p.toml", Vocabulary(TABLE))


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000, "a = {" * 5000], ids=["lists", "digits", "tables"])
def test_what_breaks_parsers_is_an_error_like_any_other(text: str) -> None:
    with pytest.raises(PolicyError):
        parse_statements(text.encode(), "user", "p.toml", Vocabulary(TABLE))


@pytest.mark.parametrize("good", [True, False])
def test_examples_are_tried(layers: Layers, good: bool) -> None:
    tried = []

    def try_example(rule: object, text: str) -> bool:
        tried.append(text)
        return (text == "helm delete x") is good

    layers.try_example = try_example
    layers.user = (
        '[[rule]]\nid = "team.helm"\non = {program = "helm"}\nverdict = "ask"\nreason = "r"\n'
        'stops = ["helm delete x"]\nleaves = ["helm list"]'
    )
    problems = [str(problem).replace(str(layers.home), "~") for problem in layers.compile_layers().problems]
    expected = (
        f"{USER}:1: rule[1].stops[1]: the rule team.helm does not stop this example; fix the rule's conditions, or the example"
    )
    assert problems == ([] if good else [expected])
    assert tried == (["helm delete x", "helm list"] if good else ["helm delete x"])
