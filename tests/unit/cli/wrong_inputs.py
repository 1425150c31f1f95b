"""Wrong inputs that people make: files and command lines.

`{home}` is the home folder. `wrong_inputs.txt` contains the messages.
"""

from typing import NamedTuple


class WrongInput(NamedTuple):
    """`files`: path below the home folder -> text."""

    files: dict[str, str]
    words: tuple[str, ...]


POLICY, SETTINGS = ".config/toolgate/policy.toml", ".claude/settings.json"


def policy(text: str) -> WrongInput:
    return WrongInput({POLICY: text}, ("policy", "check"))


WRONG_INPUTS: dict[str, WrongInput] = {
    "policy: not TOML": policy('profile = "default'),
    "policy: unknown key": policy('profil = "default"'),
    "policy: unknown profile": policy('profile = "paranoyd"'),
    "policy: unknown rule": policy('[rules."git.force-pusch"]\nverdict = "deny"'),
    "policy: unknown verdict": policy('[rules."git.force-push"]\nverdict = "block"'),
    "policy: wrong type": policy("human = 1"),
    "policy: unknown option": policy('[rules."git.force-push"]\noptions = {lease = true}'),
    "policy: option of a wrong type": policy('[rules."git.force-push"]\noptions = {lease_is_fine = "yes"}'),
    "policy: below a floor": policy('[rules."gate.tamper"]\nverdict = "pass"'),
    "policy: rule without verdict": policy('[[rule]]\nid = "team.helm"\non = {program = "helm"}\nreason = "no"'),
    "policy: rule with a bad pattern": policy(
        '[[rule]]\nid = "team.helm"\non = {program = "helm", text = "("}\nverdict = "ask"\nreason = "no"'
    ),
    "policy: example that is not stopped": policy(
        '[[rule]]\nid = "team.helm"\non = {program = "helm"}\nverdict = "ask"\nreason = "no"\nstops = ["kubectl get pods"]'
    ),
    "policy: a folder": WrongInput({f"{POLICY}/x": ""}, ("policy", "check")),
    "settings: not JSON": WrongInput({SETTINGS: "{\n  // mine\n}"}, ("install", "claude-code")),
    "settings: not an object": WrongInput({SETTINGS: "[]"}, ("install", "claude-code")),
    "settings: wrong hooks": WrongInput({SETTINGS: '{"hooks": []}'}, ("install", "claude-code")),
    "install: unknown host": WrongInput({}, ("install", "claud-code")),
    "install: no host": WrongInput({}, ("install",)),
    "install: a scope that the host lacks": WrongInput({}, ("install", "copilot", "--scope", "managed")),
    "deploy: no such folder": WrongInput({}, ("deploy", "{home}/nowhere")),
    "check: no command": WrongInput({}, ("check",)),
    "check: no such file": WrongInput({}, ("check", "--calls", "{home}/calls.jsonl")),
    "check: unknown profile": WrongInput({}, ("check", "--profile", "paranoyd", "--", "ls")),
    "check: unknown host": WrongInput({}, ("check", "--host", "claud-code", "--calls", "{home}/calls.jsonl")),
    "test: a broken case file": WrongInput({"my.cases.toml": '[[case]]\nshell = "ls"\n'}, ("test", "{home}/my.cases.toml")),
    "test: no such file": WrongInput({}, ("test", "{home}/no.cases.toml")),
    "why: unknown id": WrongInput({}, ("why", "zzzz")),
    "rules: unknown rule": WrongInput({}, ("rules", "show", "git.force-pusch")),
    "undo: unknown id": WrongInput({}, ("undo", "show", "zzzz")),
    "replay: no such file": WrongInput({}, ("replay", "--policy", "{home}/draft.toml")),
    "store: bad URL": policy('store = "mysql://x"'),
    "unknown verb": WrongInput({}, ("explian", "--", "ls")),
    "unknown command of a verb": WrongInput({}, ("policy", "shwo")),
    "unknown option": WrongInput({}, ("rules", "--jsn")),
    "approve: no terminal": WrongInput({}, ("approve",)),
}
