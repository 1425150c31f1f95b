"""A tool's output reaches the agent without its secrets: complete calls, as a host makes them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.hosts.claude_code import host as claude_code
from toolgate.hosts.formats.payload import MAX_DEPTH
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy, Redaction
from toolgate.redaction.redactor import MAX_RESULT_LENGTH
from toolgate.redaction.settings import build_redactor
from toolgate.sessions.command_filter import unwrap_command
from unit.redaction.planted import AWS, EMAIL, GITHUB, PEM, SURE, URL, plant_values

PAYLOADS = Path(claude_code.__file__).parent / "payloads"
ACCEPTANCE = Path(__file__).parents[2] / "acceptance" / "cases.jsonl"
SQUAD = Policy(placeholders="labels", addresses="all")
LABELS = {
    row["id"]: row
    for row in map(json.loads, ACCEPTANCE.read_text().splitlines())
    if row.get("context", {}).get("hook") == "post" and "result" in row["expect"]
}


ANSWERED = json.loads((ACCEPTANCE.parent / "answered.json").read_text())
SPACED = [id_ for ids in ANSWERED["outputs otherwise"].values() for id_ in ids]


def test_all_of_them_are_listed() -> None:
    assert sorted(LABELS) == sorted(ANSWERED["of outputs"] + SPACED)


@pytest.mark.parametrize("id_", [id_ for id_, row in LABELS.items() if row["context"]["config"]["scrubPii"]])
def test_the_designs_own_cases(id_: str) -> None:
    tool_input, wanted = LABELS[id_]["input"]["result"], LABELS[id_]["expect"]["result"]
    if id_ in SPACED:
        wanted = json.loads(json.dumps(wanted).replace("[EMAIL_REDACTED]", "[EMAIL REDACTED]"))
    assert build_redactor(SQUAD, lambda: b"").redact_value(tool_input) == wanted


@pytest.mark.parametrize("id_", [id_ for id_, row in LABELS.items() if not row["context"]["config"]["scrubPii"]])
def test_a_result_stays_as_it_is_where_redaction_is_off(id_: str, tmp_path: Path) -> None:
    tool_input = LABELS[id_]["input"]["result"]
    assert tool_input == LABELS[id_]["expect"]["result"]
    assert answer_result(tmp_path, tool_input, policy='profile = "squad"\n') != Answer()
    assert answer_result(tmp_path, tool_input, policy='profile = "squad"\nredact = "off"\n') == Answer()


def test_the_team_profile_labels_what_it_hides(tmp_path: Path) -> None:
    """Exactly as the design writes them."""
    text = f"Contact {EMAIL} or {GITHUB}, {AWS}"
    printed_text = output(answer_result(tmp_path, text, policy='profile = "squad"\n'))["updatedToolOutput"]
    assert printed_text == "Contact [EMAIL REDACTED] or [GITHUB_TOKEN REDACTED], [AWS_KEY REDACTED]"


def test_none_of_the_planted_values_is_shown(tmp_path: Path) -> None:
    """Two hundred values in the results of fifty calls."""
    rows = plant_values()
    for number in range(50):
        mine = rows[number::50]
        answer = answer_result(
            tmp_path, {"stdout": "\n".join(line for line, _ in mine), "stderr": ""}, policy='profile = "squad"\n'
        )
        printed_text = json.dumps(output(answer)["updatedToolOutput"])
        assert [value for _, value in mine if value in printed_text] == []
    assert len(rows) == 200


def answer_result(home: Path, response: object, session: str = "s-1", tool: str = "Bash", policy: str = "") -> Answer:
    """Returns the answer to one result, in a home of its own."""
    home.mkdir(exist_ok=True)
    (home / "policy.toml").write_text(policy)
    payload = {
        "session_id": session,
        "cwd": str(home),
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"file_path": str(home / "x"), "command": "x"},
        "tool_response": response,
    }
    environ = {"HOME": str(home), "TOOLGATE_HOME": str(home)}
    return App().handle(
        Request("claude-code", "PostToolUse", json.dumps(payload).encode(), environ, str(home), 1000, 1_795_280_000.0)
    )


def output(answer: Answer) -> dict[str, object]:
    specific: dict[str, object] = json.loads(answer.stdout)["hookSpecificOutput"]
    return specific


@pytest.mark.parametrize("file", sorted(PAYLOADS.glob("PostToolUse.*.json")), ids=lambda path: path.stem)
def test_every_tools_own_shape_is_kept(file: Path, tmp_path: Path) -> None:
    """With a secret in each of its texts: the same keys and the same kinds of values come back, and no secret."""

    def plant_secrets(value: object) -> object:
        match value:
            case str():
                return f"{value} {GITHUB} {EMAIL}"
            case list():
                return [plant_secrets(each) for each in value]
            case dict():
                return {key: plant_secrets(each) for key, each in value.items()}
            case _:
                return value

    def shape(value: object) -> object:
        match value:
            case list():
                return [shape(each) for each in value]
            case dict():
                return {key: shape(each) for key, each in value.items()}
            case _:
                return type(value)

    tool_input = plant_secrets(json.loads(file.read_text())["tool_response"])
    answer = answer_result(tmp_path, tool_input)
    assert shape(output(answer)["updatedToolOutput"]) == shape(tool_input)
    assert GITHUB not in answer.stdout
    assert EMAIL not in answer.stdout


def test_marks_are_the_same_in_a_session_and_others_in_the_next(tmp_path: Path) -> None:
    first, again, other = (
        output(answer_result(tmp_path, GITHUB, session))["updatedToolOutput"] for session in ("s-1", "s-1", "s-2")
    )
    assert first == again
    assert first != other
    assert str(first).startswith("[REDACTED:github-token:")
    assert ((tmp_path / "state" / "redaction.key").stat().st_mode & 0o777) == 0o600


def test_the_agent_is_told_how_many_each_time_and_what_it_means_once(tmp_path: Path) -> None:
    notices = [str(output(answer_result(tmp_path, f"{GITHUB} {AWS}"))["additionalContext"]) for _ in range(2)]
    assert notices[1] == "\u26a0\ufe0f 2 sensitive value(s) redacted from tool output."
    assert notices[0].startswith(notices[1])
    assert "same mark throughout this session" in notices[0]


def test_nothing_found_is_silence(tmp_path: Path) -> None:
    assert answer_result(tmp_path, {"stdout": "all is well", "isImage": False}) == Answer()
    assert answer_result(tmp_path, None) == Answer()


def test_a_policy_says_what_is_looked_for(tmp_path: Path) -> None:
    own = '[[redaction.pattern]]\nkind = "staff-number"\nmatch = "P-[0-9]{6}"\n[redaction.exclude]\ndomains = ["@corp.io"]\n'
    answer = answer_result(tmp_path, f"{EMAIL} P-123456", policy=own)
    assert output(answer)["updatedToolOutput"] == f"{EMAIL} {_mark(answer)}"
    assert _mark(answer).startswith("[REDACTED:staff-number:")
    assert answer_result(tmp_path, GITHUB, policy='redact = "off"') == Answer()
    paths = '[redaction.exclude]\npaths = ["x"]'
    assert answer_result(tmp_path, GITHUB, tool="Read", policy=paths) == Answer()
    assert answer_result(tmp_path, GITHUB, policy=paths) != Answer()


def _mark(answer: Answer) -> str:
    return str(output(answer)["updatedToolOutput"]).rpartition(" ")[2]


@pytest.mark.parametrize(
    "payload",
    [
        b"{" + b'"a":{' * 5000,
        b'{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":[],"tool_response":"x"}',
        b"\xff\xfe",
        b"",
    ],
)
def test_what_cannot_be_looked_through_is_withheld(payload: bytes) -> None:
    answer = App().handle(Request("claude-code", "PostToolUse", payload, {}, "/", 1000, 0.0))
    assert json.loads(answer.stdout)["continue"] is False


@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ("[", "]")])
def test_what_is_nested_is_looked_through_or_withheld_with_the_reason(opened: str, closed: str, tmp_path: Path) -> None:
    """The payload itself is at the greatest depth that is read."""

    def answer_nested(depth: int) -> Answer:
        return answer_result(tmp_path, json.loads(f'{opened * depth}"{GITHUB}"{closed * depth}'))

    hidden = answer_nested(MAX_DEPTH - 1)
    assert "updatedToolOutput" in output(hidden)
    assert GITHUB not in hidden.stdout
    for depth in (MAX_DEPTH, 500, 800, 900):
        answer = json.loads(answer_nested(depth).stdout)
        assert answer["continue"] is False
        assert f"nested too deep (more than {MAX_DEPTH} levels)" in answer["stopReason"]
        assert "ask for a part of it" in answer["stopReason"]
        assert "report" not in answer["stopReason"]


def test_megabytes_are_looked_through_and_what_is_beyond_the_limit_is_cut_with_a_notice(tmp_path: Path) -> None:
    line = "." * 99 + "\n"
    printed = line * 51_000
    beyond = (MAX_RESULT_LENGTH - len(printed)) // len(line) * line
    response = {
        "stdout": f"{printed}{GITHUB}",
        "stderr": f"{AWS} {beyond}{line}{URL}",
        "isImage": False,
        "type": "text",
        "last": GITHUB,
    }
    changed = output(answer_result(tmp_path, response))["updatedToolOutput"]
    assert isinstance(changed, dict)
    assert list(changed) == list(response)  # a host drops what has another shape, and shows the agent what the tool printed
    assert (changed["isImage"], changed["type"]) == (False, "text")
    assert changed["last"].startswith("[REDACTED:github-token:")
    assert changed["stdout"].startswith(f"{printed}[REDACTED:github-token:")
    assert changed["stdout"].endswith("]")
    assert changed["stderr"].startswith("[REDACTED:aws-")
    assert re.search(r"\n\[toolgate: \d+ more characters were cut off: more than it looks .* one result\]\Z", changed["stderr"])
    assert URL.rpartition("@")[0] not in changed["stderr"]


def test_a_key_that_cannot_be_kept_still_hides(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    assert GITHUB not in answer_result(tmp_path, GITHUB).stdout


def test_strange_text() -> None:
    hiding = build_redactor(Policy(), lambda: b"k")
    for before, after_ in (
        ("\x00", "\x00"),
        ("\udc80", "\ud800"),
        ("\x1b[1m", "\x1b[0m"),
        ("\u0130 ", " \u0130"),
        ("\\n", "\\n"),
    ):
        for secret in SURE:
            assert secret not in hiding.redact_text(before + secret + after_), (before, secret)
    coloured = f"token \x1b[31m{GITHUB[:9]}\x1b[0m{GITHUB[9:]}\x1b[K."
    assert hiding.redact_text(coloured).startswith("token \x1b[31m[REDACTED:github-token:")
    assert hiding.redact_text(coloured).endswith("\x1b[K.")
    assert "s3cr3tPw9" not in hiding.redact_text(URL)


def test_ten_thousand_keys_and_numbers_beside_them() -> None:
    value = {f"k{n}": [n, None, True, PEM if n == 9999 else "x"] for n in range(10_000)}
    hidden = build_redactor(Policy(), lambda: b"k").redact_value(value)
    assert isinstance(hidden, dict)
    assert PEM not in json.dumps(hidden)
    assert {**hidden, "k9999": 0} == {**value, "k9999": 0}


def test_numbers_of_persons_are_asked_for() -> None:
    text = "SSN: 219-09-9999, 4111 1111 1111 1111"
    assert build_redactor(Policy(), lambda: b"k").redact_text(text) == text
    policy = Policy(redaction=Redaction(personal=("card", "ssn")), placeholders="labels")
    assert build_redactor(policy, lambda: b"k").redact_text(text) == "SSN: [SSN REDACTED], [CARD REDACTED]"


def test_a_command_is_wrapped_where_the_policy_says_so(tmp_path: Path) -> None:
    """Its other fields stay, it is not approved by this, and the wrapped command is judged as the original."""
    (tmp_path / "policy.toml").write_text("wrap_commands = true\n")

    def ask_command(command: str) -> Answer:
        payload = {
            "session_id": "s-1",
            "cwd": str(tmp_path),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "d", "timeout": 5},
        }
        environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path)}
        return App().handle(Request("claude-code", "PreToolUse", json.dumps(payload).encode(), environ, str(tmp_path), 1000, 1e9))

    changed = output(ask_command("echo hi"))
    assert "permissionDecision" not in changed
    updated_input = changed["updatedInput"]
    assert isinstance(updated_input, dict)
    assert (unwrap_command(updated_input["command"]), updated_input["description"], updated_input["timeout"]) == (
        "echo hi",
        "d",
        5,
    )
    assert unwrap_command(str(output(ask_command(updated_input["command"]))["updatedInput"]["command"])) == "echo hi"  # type: ignore[index]
    asks = output(ask_command("git push --force"))
    assert asks["permissionDecision"] == "ask"
    assert "updatedInput" in asks
    assert ask_command("rm -rf ~").exit_code == 2


def test_a_command_that_prints_a_secret_runs_with_its_output_withheld(tmp_path: Path) -> None:
    """The real script runs in bash: none of the output is shown, the exit status stays, and the consumer receives the secret."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(f"#!/bin/sh\necho {GITHUB}; echo {GITHUB} >&2; exit 3\n")
    (tmp_path / "bin" / "gh").chmod(0o755)
    (tmp_path / "policy.toml").write_text('on_credential_print = "withhold"\n')
    environ = {"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

    def answer(command: str, host: str = "claude-code") -> Answer:
        payload = {
            "session_id": "s-1",
            "cwd": str(tmp_path),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        return App().handle(Request(host, "PreToolUse", json.dumps(payload).encode(), environ, str(tmp_path), 1000, 1e9))

    changed = output(answer("gh auth token"))
    assert "permissionDecision" not in changed
    script = changed["updatedInput"]["command"]  # type: ignore[index]
    assert unwrap_command(script) == "gh auth token"
    result = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    size = len(GITHUB) + 1
    assert (result.returncode, result.stdout, result.stderr) == (
        3,
        f"[toolgate withheld {size} bytes of output, which hold a secret]\n",
        f"[toolgate withheld {size} bytes of output, which hold a secret]\n",
    )
    assert not answer("gh auth status").stdout
    both = output(answer("gh auth token; git push --force"))
    assert (both["permissionDecision"], both.get("updatedInput")) == ("ask", None)


def test_a_mark_is_not_hidden_again() -> None:
    hiding = build_redactor(Policy(), lambda: b"k")
    once = hiding.redact_text(f"{GITHUB} {URL} DB_PASSWORD=hunter2 {EMAIL}")
    assert hiding.redact_text(once) == once
