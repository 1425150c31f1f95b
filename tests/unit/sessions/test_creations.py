"""Tests ownership: a session may delete what it certainly created, and nothing else, with real files."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toolgate.cli.session_facts import forget_facts, show_facts
from toolgate.cli.surroundings import Surroundings
from unit.sessions.creating import Call, begin_session, execute, judge
from unit.sessions.simulated_client import SimulatedClient


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    return begin_session(tmp_path)


OWN = {
    "a folder": (["mkdir ~/src/x"], "rm -rf ~/src/x"),
    "a folder with its parents": (["mkdir -p ~/new/a/b"], "rm -rf ~/new"),
    "a file in it": (["mkdir ~/src/x", "echo hello > ~/src/x/a.txt"], "rm ~/src/x/a.txt"),
    "a recursive deletion of one file": (["mkdir ~/src/x", "echo hello > ~/src/x/a.txt"], "rm -r ~/src/x/a.txt"),
    "all that is in it": (["mkdir ~/src/x; echo 1 > ~/src/x/a; echo 2 > ~/src/x/b"], "rm -rf ~/src/x/*"),
    "a file that it changed again": (
        ["mkdir ~/src/x", "echo 1 > ~/src/x/a.txt", "echo 2 >> ~/src/x/a.txt", "sed -i s/1/3/ ~/src/x/a.txt"],
        "rm ~/src/x/a.txt",
    ),
    "files of a program in the same call": (["mkdir ~/src/x && cd ~/src/x && git init -q"], "rm -rf ~/src/x"),
    "a clone": (["git init -q --bare t.git", "git clone -q --no-hardlinks t.git ~/src/c"], "rm -rf ~/src/c"),
    "an overwritten file": (["mkdir ~/src/x", "echo 1 > ~/src/x/a.txt"], "echo 2 > ~/src/x/a.txt"),
    "a new file in an own folder": (["mkdir ~/src/x"], "echo 2 > ~/src/x/b.txt"),
    "a move of it": (["mkdir ~/src/x", "mkdir ~/src/y"], "mv ~/src/x ~/src/y/x"),
}


@pytest.mark.parametrize("story", OWN)
def test_what_the_session_created_passes(client: SimulatedClient, story: str) -> None:
    calls, last = OWN[story]
    for command in calls:
        assert execute(client, command).status == 0, command
    assert judge(client, last) == "runs"
    client.session = "s-2"
    assert judge(client, last) == "ask"


NOT_OWN = {
    "a file in a folder of the user's": (["echo hello > ../note.txt"], "rm -rf ../note.txt"),
    "a file in such a folder, overwritten": (["echo 1 > ~/src/a.txt"], "echo 2 > ~/src/a.txt"),
    "it was there before": (["mkdir -p ~/src"], "rm -rf ~/src"),
    "a file that was there": (["echo more >> ~/Documents/thesis.txt"], "rm ~/Documents/thesis.txt"),
    "things moved into it": (["mkdir ~/src/d", "mv ~/Documents/* ~/src/d"], "rm -rf ~/src/d"),
    "things moved into it by the call that creates it": (["mkdir ~/src/d; mv ~/Documents/thesis.txt ~/src/d"], "rm -rf ~/src/d"),
    "things that a program moved": (["mkdir ~/src/d; ./move.py ~/Documents ~/src/d/e"], "rm -rf ~/src/d"),
    "a renamed folder": (["mv ~/Documents ~/src/d"], "rm -rf ~/src/d"),
    "a copy": (["cp -r ~/Documents ~/src/d"], "rm -rf ~/src/d"),
    "a hard link": (["mkdir ~/src/d", "ln ~/Documents/thesis.txt ~/src/d/t"], "rm -rf ~/src/d"),
    "an archive": (["tar cf a.tar -C ~ Documents", "mkdir ~/src/d", "tar xf a.tar -C ~/src/d"], "rm -rf ~/src/d"),
    "more than it": (["mkdir ~/src/x"], "rm -rf ~/src"),
    "a call that failed": (["mkdir ~/src/x && false"], "rm -rf ~/src/x"),
    "what the deleting call moves into it": (["mkdir ~/src/x"], "mv a ~/src/x/; rm -rf ~/src/x"),
}


@pytest.mark.parametrize("story", NOT_OWN)
def test_what_it_did_not_create_asks(client: SimulatedClient, story: str) -> None:
    calls, last = NOT_OWN[story]
    (client.project / "a").write_text("a\n")
    mover = client.project / "move.py"
    mover.write_text("#!/usr/bin/env python3\nimport os, sys\nos.rename(sys.argv[1], sys.argv[2])\n")
    mover.chmod(0o755)
    for command in calls:
        execute(client, command)
    assert judge(client, last) == "ask"


def replace_by_equal_file(path: Path) -> None:
    status, text = path.stat(), path.read_text()
    path.unlink()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def change_and_restore_times(path: Path) -> None:
    status = path.stat()
    path.write_text("HELLO\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace_folder(path: Path) -> None:
    path.parent.rename(path.parent.parent / "y")
    path.parent.mkdir()


MEDDLING: dict[str, Callable[[Path], object]] = {
    "a change": lambda path: path.write_text("the user's\n"),
    "an equal file in its place": replace_by_equal_file,
    "a change with the former times": change_and_restore_times,
    "another file": lambda path: (path.parent / "other").write_text("the user's\n"),
    "another folder": lambda path: (path.parent / "folder").mkdir(),
    "another name of the file": lambda path: os.link(path, path.parent.parent / "second"),
    "another folder in its place": replace_folder,
}


@pytest.mark.parametrize("story", MEDDLING)
def test_what_another_has_written_since_asks(client: SimulatedClient, story: str) -> None:
    execute(client, "mkdir ~/src/x")
    execute(client, "echo hello > ~/src/x/a.txt")
    assert judge(client, "rm -rf ~/src/x") == "runs"
    time.sleep(0.02)
    MEDDLING[story](client.home / "src" / "x" / "a.txt")
    assert judge(client, "rm -rf ~/src/x") == "ask"


def test_a_change_by_the_session_gives_nothing_that_another_changed_before(client: SimulatedClient) -> None:
    execute(client, "echo 1 > ~/src/a.txt")
    time.sleep(0.02)
    (client.home / "src" / "a.txt").write_text("the user's\n")
    execute(client, "echo 2 >> ~/src/a.txt")
    assert judge(client, "rm ~/src/a.txt") == "ask"


@pytest.mark.parametrize("response", [{"backgroundTaskId": "b1"}, {"isAsync": True}, {"status": "async_launched"}])
def test_a_background_call_proves_nothing(client: SimulatedClient, response: dict[str, object]) -> None:
    Call(client, "mkdir ~/src/x").run().report(**response)
    assert judge(client, "rm -rf ~/src/x") == "ask"


def test_a_result_without_its_call_proves_nothing(client: SimulatedClient) -> None:
    unreported = Call(client, "mkdir ~/src/x").run()
    assert judge(client, "rm -rf ~/src/x") == "ask"
    unreported.id = "unknown"
    unreported.report()
    nameless = Call(client, "mkdir ~/src/y").run()
    nameless.id = ""
    nameless.report()
    elsewhere = Call(client, "mkdir ~/src/z").run()
    client.session = "s-2"
    elsewhere.report()
    assert judge(client, "rm -rf ~/src/z") == "ask"
    client.session = "s-1"
    assert [judge(client, f"rm -rf ~/src/{name}") for name in "xyz"] == ["ask", "ask", "ask"]


def test_a_denied_call_proves_nothing(client: SimulatedClient) -> None:
    denied = Call(client, "mkdir ~/src/x; rm -rf ~")
    assert denied.verdict == "deny"
    (client.home / "src" / "x").mkdir()
    denied.report()
    assert judge(client, "rm -rf ~/src/x") == "ask"


def test_many_files_that_the_session_created_in_the_project_pass(client: SimulatedClient) -> None:
    shutil.rmtree(client.project / ".git")
    assert execute(client, "git init -q .").status == 0
    assert execute(client, "mkdir gen && cd gen && for n in $(seq 300); do echo $n > f$n; done").status == 0
    (client.project / "notes").mkdir()
    for n in range(300):
        (client.project / "notes" / f"n{n}").write_text("x")
    assert judge(client, "rm -rf notes") == "ask"
    assert judge(client, "rm -rf gen") == "runs"


def test_a_call_that_creates_nothing_leaves_no_mark(client: SimulatedClient) -> None:
    for command in ("ls -la", "echo hello > a.txt", "cat a.txt", "mkdir /tmp/toolgate-none-such", "git status"):
        judge(client, command)
    assert not list((client.home / ".cache" / "toolgate" / "sessions").glob("*.made"))


def test_parallel_calls_and_sub_agents_own_what_each_created(client: SimulatedClient) -> None:
    """Every call is judged before any is reported; results arrive at once and in any order."""
    calls = []
    for n in range(24):
        client.agent = f"agent-{n % 3}"
        calls.append(Call(client, f"mkdir ~/src/d{n} && echo {n} > ~/src/d{n}/a"))
    client.agent = ""
    for call in calls[:20]:
        call.run()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(Call.report, random.Random(7).sample(calls[:20], 20)))
    assert [judge(client, f"rm -rf ~/src/d{n}") for n in range(20)] == ["runs"] * 20
    for call in calls[20:]:
        (client.home / "src" / call.command.split("/")[2].split(" ")[0]).mkdir()  # the user was first; the call never ran
    assert [judge(client, f"rm -rf ~/src/d{n}") for n in range(20, 24)] == ["ask"] * 4


def test_200_kills_leave_no_fact_that_was_not_proved(client: SimulatedClient) -> None:
    """A client dies at a random moment between the judgement and the report, or in the middle of either."""
    chance, owned = random.Random(11), 0
    execute(client, "mkdir ~/src/first")
    for n in range(200):
        reporting = client.root / f"reporting-{n}"
        if (child := os.fork()) == 0:
            try:
                call = Call(client, f"mkdir ~/src/k{n}")
                (client.home / "src" / f"k{n}").mkdir()
                reporting.touch()
                call.report()
            finally:
                os._exit(0)
        time.sleep(chance.random() * 0.012)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        (client.home / "src" / f"k{n}").mkdir(exist_ok=True)
        verdict = judge(client, f"rm -rf ~/src/k{n}")
        assert verdict == "ask" or reporting.exists(), n
        owned += verdict == "runs"
    assert judge(client, "rm -rf ~/src/first") == "runs"
    assert owned < 200


ACTS = {
    "mkdir": "mkdir -p {}",
    "write": "test -f {0} || echo mine > {0}",
    "append": "echo mine >> {}",
    "move": "mv ~/Documents {}",
    "copy": "cp -r ~/Documents {}",
}


def test_random_calls_never_delete_unasked_what_the_user_wrote(tmp_path: Path) -> None:
    """A session, another session and a user write into one tree. No deletion passes that loses a file of the user."""
    passed = question_count = 0
    for seed in range(40):
        chance = random.Random(seed)
        client = begin_session(tmp_path / str(seed))
        top = client.home / "src"
        for _ in range(14):
            name = chance.choice(("a", "b", "a/c", "b/d", "a/c/e"))
            place, path = top / name, f"~/src/{name}"
            act = chance.choice(("user", "mkdir", "mkdir", "write", "write", "append", "move", "copy", "delete", "delete"))
            if act == "user":
                if place.parent.is_dir() and not place.is_dir():
                    place.write_text("USER\n")
                    time.sleep(0.01)
            elif act != "delete":
                execute(client, ACTS[act].format(path))
            elif place.exists():
                call = Call(client, f"rm -rf {path}")
                files = [each for each in (place, *place.rglob("*")) if each.is_file()]
                lost = [each for each in files if {"USER", "years of work"} & set(each.read_text().splitlines())]
                if call.verdict == "runs":
                    assert not lost, (seed, name, lost)
                    passed += 1
                    call.run().report()
                else:
                    question_count += 1
    assert passed > 10
    assert question_count > 10


def test_facts_of_a_session_are_shown_and_forgotten(client: SimulatedClient, capsys: pytest.CaptureFixture[str]) -> None:
    execute(client, "mkdir ~/src/x")
    execute(client, "echo 'x = 1' > app.py")
    here = Surroundings({"HOME": str(client.home)}, str(client.home), str(client.project))
    assert show_facts(here, "s-1", as_json=False) == 0
    output = capsys.readouterr().out
    assert f"{client.home}/src/x" in output
    assert f"{client.project}/app.py" in output
    assert show_facts(here, "s-2", as_json=False) == 1
    forget_facts(here, "s-1")
    assert show_facts(here, "s-1", as_json=False) == 1
    assert judge(client, "rm -rf ~/src/x") == "ask"
