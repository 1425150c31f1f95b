"""Tests the supervisor with two accounts that call it: what it judges, as which account, and what neither account can access.

It runs on a private machine (private_machine.py): root installs it as on any machine, and a stand-in replaces systemd.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hatch_build import compiled

from toolgate.install import supervisor_units
from toolgate.machine import build
from toolgate.machine.supervision import KEEPER, MARKER, SOCKET, STATE_FOLDER, UNITS
from unit.install.private_machine import Private

HERE = Path(__file__).parent
ONE, OTHER = 12345, 23456
PUSH = "git push --force"
MACHINE = f"export PATH={HERE}/stand_in:$PATH; mkdir -p /run/systemd/system; "
INSTALL = "GATE install claude-code --scope managed >/dev/null 2>/run/said || { cat /run/said; exit 9; }; "
KEEPERS = "pgrep -u toolgate -f '[t]ransport.supervisor'"
KINDS = ("native", "twin")


@pytest.fixture(scope="session")
def native_client(tmp_path_factory: pytest.TempPathFactory) -> str:
    """This very client, beside its Python."""
    folder = tmp_path_factory.mktemp("client")
    program = compiled(folder / "toolgate-hook", build.CHECKOUT)
    if program is None:
        pytest.skip("no C compiler")  # REQUIRE_NATIVE makes that an error before the first test
    (folder / "toolgate").write_text(f"#!{sys.executable}\n")
    return str(folder)


class Machine:
    """A machine with a supervisor. `run`: runs shell text as root, in which ONE and OTHER stand for the two accounts."""

    def __init__(self, private: Private, native: str) -> None:
        self.private = private
        self.scratch = private.scratch
        for name in ("toolgate-hook", "toolgate"):
            target = self.scratch / name
            target.write_bytes((Path(native) / name).read_bytes())
            target.chmod(0o755)
        self.clients = {
            "native": str(self.scratch / "toolgate-hook"),
            "twin": f"{sys.executable} -I -S {build.PACKAGE}/transport/client.py",
        }

    def run(self, text: str, *, installed: bool = True) -> str:
        ready = MACHINE + (f"{INSTALL} echo {self.clients['native']} >> {MARKER}; " if installed else "")
        text = ready + text
        for name, user in (("ONE", ONE), ("OTHER", OTHER)):
            text = text.replace(f"AS_{name}", f"env HOME=$PWD setpriv --reuid {user} --regid {user} --clear-groups --")
        result = self.private.run(text)
        assert result.returncode != 9, result.stdout + result.stderr
        return result.stdout + result.stderr

    def ask(self, command: str, user: int = ONE, groups: str = "-", client: str = "native", event: str = "") -> str:
        """Returns shell text that asks about a command."""
        words = f'{sys.executable} {HERE}/ask.py "{self.clients[client]}" {user} {groups} "{command}" {event}'
        return f"{words}; "


@pytest.fixture
def machine(private_machine: Private, native_client: str) -> Machine:
    return Machine(private_machine, native_client)


def parse_answers(output: str) -> list[tuple[str, int, dict[str, Any]]]:
    found = []
    for line in output.splitlines():
        verdict, _, rest = line.partition(" ")
        if verdict in ("pass", "ask", "deny", "no"):
            code, _, answer = rest.removeprefix("answer ").partition(" ")
            found.append((verdict, int(code), json.JSONDecoder().raw_decode(answer)[0]))
    return found


# ---- what it is for


@pytest.mark.parametrize("client", KINDS)
def test_a_call_is_judged_and_what_is_kept_is_not_the_callers(client: str, machine: Machine) -> None:
    audit = f"{STATE_FOLDER}/users/{ONE}/audit"
    look = f"ls -A . ; stat -c '%U %a' {STATE_FOLDER} {audit}/*; cat {audit}/*.jsonl"
    output = machine.run(machine.ask(PUSH, client=client) + machine.ask("ls -la", client=client) + look)
    assert [(verdict, code) for verdict, code, _ in parse_answers(output)] == [("ask", 0), ("pass", 0)], output
    assert "toolgate 700" in output
    assert "toolgate 600" in output
    assert '"git.force-push"' in output
    assert not (machine.scratch / "agent" / ".local/state/toolgate/audit").exists()
    assert not (machine.scratch / "agent" / ".cache/toolgate/policy").exists()
    assert not Path(MARKER).exists(), "the machine's own /etc was never touched"


def test_it_sees_no_more_than_the_caller_and_no_less(machine: Machine) -> None:
    """A script is read only if the caller may read it, also through one of its groups."""
    make = f"printf '{PUSH}' > theirs.sh; chown {OTHER}:777 theirs.sh; chmod 640 theirs.sh; "
    asks = machine.ask("sh theirs.sh", OTHER) + machine.ask("sh theirs.sh") + machine.ask("sh theirs.sh", ONE, "777")
    output = machine.run(make + asks)
    reasons = [json.dumps(table) for _, _, table in parse_answers(output)]
    assert [("git.force-push" in each) for each in reasons] == [True, False, True], output


def test_two_users_at_once(machine: Machine) -> None:
    commands = enumerate(machine.ask(PUSH, user) for _ in range(12) for user in (ONE, OTHER))
    calls = "".join(f"({ask}) > said.{number} & " for number, ask in commands)  # a file each: lines would run into each other
    logs = [f"{STATE_FOLDER}/users/{user}/audit/*.jsonl" for user in (ONE, OTHER)]
    counted = f"cat {logs[0]} | wc -l; cat {logs[1]} | wc -l; cat {logs[0]} | grep -c of-{OTHER}"
    output = machine.run(f"cd $(mktemp -d); {calls} wait; cat said.*; {counted}")
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["ask"] * 24, output
    assert [line for line in output.splitlines() if line.strip().isdigit()] == ["12", "12", "0"]


# ---- what no account gets at


def test_the_agents_account_gets_at_none_of_it(machine: Machine) -> None:
    attempts = [
        f"echo x >> {MARKER}",
        f"rm {MARKER}",
        f"echo x >> {UNITS[0]}",
        f"echo x >> {UNITS[1]}",
        "echo x >> /etc/toolgate/policy.toml",
        "echo x >> /etc/claude-code/managed-settings.json",
        f"rm {SOCKET}",
        f"mv {SOCKET} /tmp/x",
        "touch /run/toolgate/x",
        f"ls {STATE_FOLDER}",
        f"cat {STATE_FOLDER}/users/{OTHER}/audit/*",
        f"echo x >> {STATE_FOLDER}/users/{ONE}/audit/x",
        f"{sys.executable} -c 'import socket; socket.socket(socket.AF_UNIX).connect(\\\"{KEEPER}\\\")'",
        *(f"kill -9 $(pgrep -u {user} -f '[t]ransport.supervisor')" for user in ("root", "toolgate")),
        f"env SUDO_UID={OTHER} {sys.executable} -m toolgate approvals",
        f"{sys.executable} -m toolgate approvals",
        f"{sys.executable} -m toolgate uninstall claude-code --scope managed",
    ]
    tried = "".join(f'AS_ONE sh -c "{each}" >/dev/null 2>&1 && echo "DONE: {each.split()[0]}"; ' for each in attempts)
    output = machine.run(machine.ask(PUSH) + machine.ask(PUSH, OTHER) + tried + machine.ask(PUSH))
    assert "DONE" not in output
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["ask"] * 3, output


def test_a_worker_has_no_rights_but_the_callers(machine: Machine) -> None:
    """A worker is examined while it waits for the rest of its caller's request."""
    lines = "'^(Uid|Gid|Groups|CapEff|CapPrm|NoNewPrivs)'"
    find = f"worker=$(pgrep -u {ONE} -f '[t]ransport.supervisor')"
    look = (
        f"while {find}; do sleep 0.05; done",  # the worker of the call before may not have ended yet
        f"{sys.executable} {HERE}/slow.py {SOCKET} & until {find}; do sleep 0.05; done",
        "echo $(readlink /proc/$worker/fd/* | grep -c socket) sockets",
        f"grep -E {lines} /proc/$worker/status",
        "stat -c 'owner %u' /proc/$worker/environ",
        "AS_ONE cat /proc/$worker/maps > /dev/null && echo READ",
    )
    output = machine.run(machine.ask("ls") + "; ".join(look))
    assert f"Uid:\t{ONE}\t{ONE}\t{ONE}\t{ONE}" in output, output
    assert f"Gid:\t{ONE}\t{ONE}\t{ONE}\t{ONE}" in output
    assert "Groups:\t777 778" in output
    assert "CapEff:\t0000000000000000" in output
    assert "CapPrm:\t0000000000000000" in output
    assert "NoNewPrivs:\t1" in output
    assert "owner 0" in output, "what it holds is no process's of the same account to look at"
    assert "READ" not in output
    assert "2 sockets" in output, "its caller's and its own line to the keeper"


def test_no_other_machine_is_judged_by_this_one(machine: Machine) -> None:
    """A caller with other mounts: a file here may be another one there."""
    output = machine.run(f"unshare -m {machine.ask(PUSH)}")
    ((verdict, code, table),) = parse_answers(output)
    assert (verdict, code) == ("deny", 2)
    assert "sees another machine" in json.dumps(table)


# ---- closed, and said


@pytest.mark.parametrize("client", KINDS)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_without_its_supervisor_a_client_refuses(client: str, event: str, machine: Machine) -> None:
    gone = f"kill $(cat /run/service); rm {SOCKET}; "
    output = machine.run(gone + machine.ask("ls", client=client, event=event))
    ((_, code, table),) = parse_answers(output)
    assert "the supervisor of this machine is not there" in json.dumps(table)
    assert code == (2 if event == "PreToolUse" else 0)
    assert table.get("continue", False) is False


@pytest.mark.parametrize("client", KINDS)
def test_a_server_that_is_not_roots_is_not_believed(client: str, machine: Machine) -> None:
    """Even if root gave the folder to another account."""
    fake = f"chown {ONE} /run/toolgate; AS_ONE {sys.executable} {HERE}/yes.py {SOCKET} & until [ -e yes ]; do sleep 0.05; done; "
    ((verdict, code, table),) = parse_answers(machine.run(fake + machine.ask(PUSH, client=client)))
    assert (verdict, code) == ("deny", 2)
    assert "is not root's" in json.dumps(table)


def test_what_dies_is_started_anew(machine: Machine) -> None:
    """The supervisor restarts the keeper; the supervisor itself is restarted by whoever started it."""
    killed = machine.ask("ls") + f"sleep 1.2; before=$({KEEPERS}); kill -9 $before; "
    killed += f"until now=$({KEEPERS}) && [ $now != $before ]; do sleep 0.05; done; "
    count = f"cat {STATE_FOLDER}/users/{ONE}/audit/*.jsonl | wc -l"
    output = machine.run(killed + machine.ask(PUSH) + count)
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["pass", "ask"], output
    assert "2" in output.splitlines()


def test_who_was_let_in_is_answered_before_it_ends(machine: Machine) -> None:
    """As at every restart: a call has begun when the supervisor is told to end."""
    asked = f"{sys.executable} {HERE}/halfway.py {SOCKET} {ONE} '{PUSH}' & asked=$!; until [ -e half ]; do sleep 0.02; done; "
    told = "kill $(pgrep -o -f '[t]ransport.supervisor'); sleep 0.3; touch go; wait $asked; "
    ended = "until ! pgrep -f '[t]ransport.supervisor'; do sleep 0.05; done >/dev/null"
    assert "git.force-push" in machine.run(machine.ask("ls") + asked + told + ended)


def test_root_takes_it_away_and_every_users_gate_is_its_own_again(machine: Machine) -> None:
    away = "GATE uninstall claude-code --scope managed; "
    left = f"ls {MARKER} {UNITS[0]} {UNITS[1]} {SOCKET}; pgrep -f '[t]ransport.supervisor' && echo RUNS; "
    output = machine.run(away + left + machine.ask(PUSH) + "ls -d .local/state/toolgate/audit")
    assert output.count("No such file") == 4, output
    assert "RUNS" not in output
    assert "rm -r /var/lib/toolgate" in output, "what stays is said"
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["ask"]
    assert "\n.local/state/toolgate/audit\n" in output


def test_what_went_wrong_half_way_refuses_and_is_finished_by_running_it_again(machine: Machine) -> None:
    broken = "mkdir bad; ln -s /bin/false bad/systemctl; good=$PATH; PATH=$PWD/bad:$PATH; "
    marked = f"echo {machine.clients['native']} >> {MARKER}; "
    again = "PATH=$good; GATE install claude-code --scope managed; "
    install = "GATE install claude-code --scope managed; "
    output = machine.run(broken + install + marked + machine.ask("ls") + again + marked + machine.ask(PUSH), installed=False)
    assert "mend that, and run the command again" in output
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["deny", "ask"], output


def test_roots_own_calls_and_another_installations_are_not_its(machine: Machine) -> None:
    """Root is not subject to it. A client that root's file does not name is not part of it: the registered one answers, too."""
    other = f"sed -i '\\,{machine.clients['native']},d' {MARKER}; "
    gone = f"kill $(cat /run/service); rm {SOCKET}; "
    output = machine.run(gone + machine.ask(PUSH, 0) + other + machine.ask(PUSH))
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["ask", "ask"], output


@pytest.mark.parametrize("client", KINDS)
@pytest.mark.parametrize("hidden", [f": > {MARKER}", "chmod 700 /etc/toolgate", f"chmod 600 {MARKER}"])
def test_what_cannot_be_read_names_every_client(hidden: str, client: str, machine: Machine) -> None:
    gone = f"{hidden}; kill $(cat /run/service); rm {SOCKET}; "
    ((verdict, _, _),) = parse_answers(machine.run(gone + machine.ask("ls", client=client)))
    assert verdict == "deny"


# ---- who says yes


def test_only_root_says_yes(machine: Machine) -> None:
    """The request names the command to approve it; the account that asks cannot run it, and root can: for that call, once."""
    policy = "printf 'ask_through = \"code\"\\n' >> /etc/toolgate/policy.toml; "
    yes = f"{sys.executable} {HERE}/approve.py {KEEPER} {ONE}"
    tried = f"AS_ONE {yes}; "
    output = machine.run(
        policy + machine.ask(PUSH) + tried + machine.ask(PUSH) + f"{yes}; " + machine.ask(PUSH) + machine.ask(PUSH)
    )
    assert [verdict for verdict, _, _ in parse_answers(output)] == ["deny", "deny", "pass", "deny"], output
    assert "sudo toolgate approve" in output
    assert "approve tgc-" not in output, "no answer in the conversation is offered"
    assert "this account has no way to it" in output


# ---- what doctor says, from the agent's account


def test_doctor_proves_it_from_the_agents_account(machine: Machine) -> None:
    output = machine.run("AS_ONE GATE doctor | grep -E 'tier of claude|supervisor'")
    assert "can change none of what it stands on; state, approvals and audit are the supervisor's" in output
    assert "it answers; what it keeps, this account can neither read nor write" in output


@pytest.mark.parametrize(
    ("hole", "found"),
    [
        ("chmod 777 /run/toolgate", "but this account can change /run/toolgate"),
        (f"chmod 666 {UNITS[1]}", f"but this account can change {UNITS[1]}"),
        (f"chmod 755 {STATE_FOLDER}", f"this account can look into {STATE_FOLDER}"),
        (f"chown {ONE} {MARKER}", f"but this account can change {MARKER}"),
        (f"kill $(cat /run/service); rm {SOCKET}", "every call is refused"),
    ],
)
def test_doctor_finds_the_hole(hole: str, found: str, machine: Machine) -> None:
    output = machine.run(f"{hole}; AS_ONE GATE doctor | grep -E 'tier of claude|supervisor'")
    assert found in output


# ---- the units


def test_a_dry_run_shows_all_of_it_and_does_nothing(machine: Machine) -> None:
    output = machine.run("GATE install claude-code --scope managed --dry-run; ls /etc/systemd/system/toolgate.*", installed=False)
    for each in ("$ useradd", "$ install -d -m 0700", "$ systemctl enable --now toolgate.socket", "ExecStart=", f"+++ {MARKER}"):
        assert each in output
    assert "No such file" in output


def test_where_no_systemd_runs_it_is_said_and_every_gate_is_the_users(machine: Machine) -> None:
    output = machine.run("rmdir /run/systemd/system; GATE install claude-code --scope managed; ls " + MARKER, installed=False)
    assert "no systemd runs here" in output
    assert "No such file" in output


def test_the_units_are_what_systemd_takes(tmp_path: Path) -> None:
    (tmp_path / "toolgate.socket").write_text(supervisor_units.render_socket_unit())
    (tmp_path / "toolgate.service").write_text(supervisor_units.render_service_unit(sys.executable))
    try:
        words = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in ("toolgate.socket", "toolgate.service"))]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no systemd here")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    "key", ["ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices", "ReadOnlyPaths", "RootDirectory"]
)
def test_no_unit_gives_a_worker_mounts_of_its_own(key: str) -> None:
    assert f"{key}=" not in supervisor_units.render_service_unit("/opt/toolgate/bin/python")


def test_a_path_with_blanks_is_one_word_for_systemd() -> None:
    assert 'ExecStart="/opt/my tools/python" -I ' in supervisor_units.render_service_unit("/opt/my tools/python")


def test_the_marker_names_the_clients_as_they_find_themselves(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/opt/toolgate")
    named = supervisor_units.render_marker([f"{link}/bin/toolgate-hook"]).splitlines()
    assert named[:2] == [f"{link}/bin/toolgate-hook", "/opt/toolgate/bin/toolgate-hook"]
    assert named[2] == os.path.join(build.PACKAGE, "transport/client.py")
