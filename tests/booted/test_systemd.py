"""Tests the managed tier on a machine that systemd boots: each test boots it, so only what is on its disk counts."""

from booted.machine import Machine, codes


def test_a_booted_machine_judges_every_accounts_calls(machine: Machine) -> None:
    output = machine.boot(
        "systemctl is-active toolgate.socket; systemctl is-enabled toolgate.socket;"
        "ask 'git push --force'; ask 'ls -la'; ask 'rm -rf /';"
        "stat -c 'kept by %U, %a' /var/lib/toolgate/users/*/audit/*; as_agent $GATE doctor; echo doctor $?"
    )
    assert output.startswith("active\nenabled\n")
    assert codes(output) == [0, 0, 2]
    assert '"permissionDecision": "ask"' in output
    assert "[git.force-push]" in output
    assert "kept by toolgate, 600" in output
    assert "this account tried, and can change none of what it stands on" in output
    assert "doctor 0" in output


def test_a_supervisor_that_is_killed_is_there_again(machine: Machine) -> None:
    output = machine.boot(
        "ask ls; kill -9 $(systemctl show -p MainPID --value toolgate.service); ask ls; ask 'git push --force';"
        "systemctl show -p NRestarts toolgate.service"
    )
    assert codes(output) == [0, 0, 0]
    assert "[git.force-push]" in output
    assert "NRestarts=1" in output


def test_a_restart_is_a_wait_and_no_refusal(machine: Machine) -> None:
    output = machine.boot(
        'ask ls; for n in $(seq 60); do ask "ls $n"; done >/root/during & sleep 0.5; systemctl restart toolgate.service;'
        "sleep 0.7; systemctl restart toolgate.service; wait; cat /root/during"
    )
    assert codes(output) == [0] * 61


def test_without_it_every_call_is_refused_and_the_remedy_said(machine: Machine) -> None:
    output = machine.boot("systemctl stop toolgate.socket toolgate.service; ask ls; systemctl start toolgate.socket; ask ls")
    assert codes(output) == [2, 0]
    assert "root starts it: systemctl start toolgate.socket" in output


def test_it_goes_as_it_came(machine: Machine) -> None:
    output = machine.boot(
        "$GATE uninstall claude-code --scope managed;"
        "for each in /etc/systemd/system/toolgate.{socket,service} /etc/toolgate/supervised /run/toolgate/hook.sock;"
        "do [ -e $each ] && echo LEFT $each; done;"
        "systemctl is-active toolgate.socket toolgate.service; ask 'git push --force';"
        "ls -d /home/agent/.local/state/toolgate/audit;"
        "$GATE install claude-code --scope managed; ask 'git push --force'"
    )
    assert "LEFT" not in output
    assert "inactive\ninactive\n" in output
    assert "\n/home/agent/.local/state/toolgate/audit\n" in output
    assert codes(output) == [0, 0]
    assert output.count("[git.force-push]") >= 2
