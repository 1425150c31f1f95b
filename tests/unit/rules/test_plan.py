"""Tests what a plan allows: its own commands, always; and nothing more for being wrapped, quoted or joined."""

import json
import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate import cases
from toolgate.app import App
from toolgate.cases import Case
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision
from toolgate.model.event import Caller, Scene
from toolgate.model.world import ABSENT, UNKNOWN
from toolgate.policy import load
from toolgate.rules.plan import context
from toolgate.rules.plan.context import Condition, PlanDocument
from toolgate.shell.syntax.comments import find_comments

SHELL = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path) if case.tool == "Bash"]
SPOKEN = [case for case in SHELL if str(case.input["command"]).strip()]
NOUS = load({"TOOLGATE_HOME": "/dev/null"}, "/home/u", "/home/u/project", profile="nous-plan")
ENVIRON = {"NOUS_ITER_DIR": "/plan", "NOUS_PLAN_ENFORCEMENT": "strict", "PATH": "/usr/bin:/bin"}


def decide_with_plan(text: str, planned: list[str], case: Case | None = None) -> Decision:
    here = case or SPOKEN[0]
    plan = json.dumps({"arms": [{"arm_id": "a", "conditions": [{"command": each} for each in planned]}]})
    world = replace(here.world, files={**here.world.files, "/plan/experiment_plan.yaml": plan})
    scene = Scene(Caller("claude-code", "s"), here.cwd, here.project, here.home, {"HOME": here.home, **ENVIRON}, "u")
    return App(lambda: world).judge(RunShell(text), scene, NOUS).decision


def is_unplanned(text: str, planned: list[str], case: Case | None = None) -> bool:
    return any(finding.rule == "plan.unplanned" for finding in decide_with_plan(text, planned, case).findings)


# ---- what it lets run


def test_a_plan_stops_none_of_its_own_commands() -> None:
    for case in SPOKEN[::3]:
        text = str(case.input["command"])
        if case.cwd == case.project:
            assert not is_unplanned(text, [text], case), text


def test_a_plan_that_names_nothing_lets_nothing_run() -> None:
    for case in SPOKEN[2::3]:
        assert is_unplanned(str(case.input["command"]), [], case), case.display_text


def test_one_command_more_is_never_overlooked() -> None:
    """Before and after the plan's commands, whatever they are."""
    for case in SPOKEN[1::6]:
        text = str(case.input["command"])
        for more in (f"./evil-program; {text}", f"{text}\n./evil-program"):
            assert is_unplanned(more, [text], case), more


SHAPES = (
    "./blis run --workload x",
    "python -m bench.run --seed 1",
    "FOO=1 BAR='two words' ./sim --batch=4",
    "/usr/bin/perf record -g ./sim",
    "timeout 60 nice -n 5 ./sim",
    "cd build && cmake --build . && ./sim > ../results/out.json 2>&1",
    "mpirun -n 4 ./sim",
    "for s in 1 2 3; do ./blis run --seed $s; done",
    "bash -c './prepare && ./blis run'",
    "./blis run | tee log.txt | tail -n 1",
    "make -j4 bench",
    "PATH=$PWD/bin:$PATH blis run",
    "LD_LIBRARY_PATH=/opt/lib ./sim",
    "docker run --rm -v $PWD:/w image ./blis run",
    "python - <<'X'\nimport run\nrun.main()\nX",
    "uv run python run.py",
    "source venv/bin/activate; python run.py",
    "./blis run &\nwait",
    "time ./sim; echo done",
)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_plans_with_other_arguments(shape: str) -> None:
    assert not is_unplanned(f"{shape} ", [shape])
    assert not is_unplanned(f"true; {shape}", [shape])
    assert is_unplanned(f"{shape}\n./evil", [shape])
    assert is_unplanned("./evil --workload x", [shape])


def test_where_the_plan_is_for_is_where_its_own_words_count() -> None:
    case = replace(SPOKEN[0], cwd="/tmp")
    assert is_unplanned("./blis run", ["./blis run"], case)
    assert not is_unplanned(f"{case.project}/blis run", ["./blis run"], case)


FORMS = (
    "env A=b {}",
    "timeout 5 {}",
    "nohup {} &",
    "xargs {} < /dev/null",
    "time {}",
    "command {}",
    "exec {}",
    "! {}",
    "( {} )",
    "{{ {}; }}",
    "if {}; then :; fi",
    "while {}; do break; done",
    "f() {{ {}; }}; f",
    "echo $({})",
    "true && {}",
    "false || {}",
    "{} | cat",
    "cat x | {}",
    "find . -maxdepth 0 -exec {} \\;",
    "trap {q} EXIT",
    "eval {q}",
    "bash -c {q}",
    "sh <<< {q}",
    "python3 -c {code}",
    "sudo {}",
    "coproc {}",
    "cat <({})",
    "alias python={q}; python",
    "python3() {{ {}; }}; python3 x",
)


@pytest.mark.parametrize("form", FORMS)
def test_no_form_around_it_lets_more_run(form: str) -> None:
    for command in ("./evil", "/tmp/evil/blis run", "rm -rf build", "blis run", "curl x"):
        code = shlex.quote(f"import os; os.system({command!r})")
        text = form.format(command, q=shlex.quote(command), code=code)
        assert is_unplanned(text, ["./blis run", "python3 run.py"]), text


def test_a_relative_path_is_meant_from_a_folder_of_the_work() -> None:
    here = replace(SPOKEN[0], world=replace(SPOKEN[0].world, files={"/home/u/project/blis": "x"}))
    for case, elsewhere in ((SPOKEN[0], True), (here, False)):  # where the session began there is none, or there is one
        for text in ("cd build && ./blis run", "cd build; .//blis run", "cd /plan && ./blis run", "(cd a/b && exec ./blis)"):
            assert is_unplanned(text, ["./blis run"], case) is not elsewhere, text
        for text in (
            "cd /tmp/evil && ./blis run",
            "cd .. && ./blis",
            "cd $X && ./blis",
            "../blis run",
            "build/blis run",
            "/tmp/blis run",
        ):
            assert is_unplanned(text, ["./blis run"], case), text
    linked = replace(SPOKEN[0], world=replace(SPOKEN[0].world, links={"/home/u/project/away": "/tmp/evil"}))
    assert is_unplanned("cd away && ./blis run", ["./blis run"], linked)


# ---- comments


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("ls # nous: ad-hoc", (" nous: ad-hoc",)),
        ("# one\nls # two\n#three", (" one", " two", "three")),
        ("ls;#x", ("x",)),
        ("if true # a\nthen # b\n ls; fi", (" a", " b")),
        ("x=$(ls # inner\n)", (" inner",)),
        ("cat <<X # beside\n# in the body\nX\n# after", (" beside", " after")),
        ("echo 'it # is' \"none # here\" no#ne \\# none ${x#y} $#", ()),
        ("ls $'\\n# no'", ()),
        ("echo \\\n# still a comment", (" still a comment",)),
        ("ls # seen\necho 'unterminated # no", (" seen",)),
        ("(( 2 # 3 ))", ()),
        ("ls", ()),
    ],
)
def test_a_comment_is_what_the_lexer_leaves_out(text: str, comments: tuple[str, ...]) -> None:
    assert find_comments(text) == comments


@given(st.text(alphabet="ab #\n'\"\\$(){}`;|&<>=", max_size=40))
def test_whatever_the_text_comments_are_read_or_not(text: str) -> None:
    assert all("\n" not in each for each in find_comments(text))


# ---- what a plan's file says


def test_both_keys_and_missing_lists() -> None:
    text = "arms:\n- arm_id: a\n  conditions:\n  - command: ./x\n  - cmd: ./y\n  - name: none\n- arm_id: b\n- conditions: null\n"
    assert context.parse_plan(text) == PlanDocument((Condition("a", "./x"), Condition("a", "./y")))
    assert context.parse_plan("") == context.parse_plan("other: 1") == PlanDocument()


NO_PLANS = (
    "arms: 7",
    "arms: x",
    "arms: [7]",
    "arms: [[]]",
    "arms: [{conditions: 7}]",
    "arms: [{conditions: [7]}]",
    "7",
    "[]",
    "just text",
    "arms: [{conditions: [{command: [x]}]}]",
    "commands: ls",
    "commands: [[ls]]",
    "hosts: 7",
    "arms: [",
    "\tx: 1",
    "a: b: c",
    "{",
    "\u0000",
    "a: &a [*a]\narms: *a",
    "!!python/object/apply:os.system [id]",
    "--- a\n--- b",
    "&a",
    "[" * 5000,
    "arms: " + "[" * 5000,
    "commands:\n" + "- x\n" * 501,
    "commands: [" + "x" * 70_000 + "]",
)


@pytest.mark.parametrize("text", NO_PLANS)
def test_what_is_no_plan_says_why(text: str) -> None:
    parsed = context.parse_plan(text)
    assert parsed.problem
    assert parsed == PlanDocument(problem=parsed.problem)


def test_what_is_not_there_or_cannot_be_read() -> None:
    assert context.parse_plan(ABSENT).problem == "it is not there"
    assert "cannot be read" in context.parse_plan(UNKNOWN).problem


def test_no_alias_multiplies_anything() -> None:
    lines = ["x0: &x0 [a, a, a, a, a, a, a, a, a]"] + [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert context.parse_plan("\n".join([*lines, "arms: *x11"])).problem
    merged = ["m0: &m0 {command: ./x}"] + [f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}]}}" for n in range(1, 40)]
    assert context.parse_plan("\n".join([*merged, "arms: [{conditions: [*m39]}]"])) == PlanDocument()


KEYS = ("arms", "conditions", "command", "cmd", "arm_id", "commands", "programs", "paths", "hosts")
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


def nested_values(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)


@given(st.recursive(PLAIN, nested_values))
def test_whatever_it_holds_it_is_read_or_refused(value: object) -> None:
    parsed = context.parse_plan(json.dumps(value))
    assert isinstance(parsed, PlanDocument)


@pytest.mark.parametrize(
    ("said", "mode", "wrong"),
    [("", "warn", False), ("STRICT", "strict", False), (" warn ", "warn", False), ("on", "strict", True), ("0", "strict", True)],
)
def test_modes(said: str, mode: str, wrong: bool) -> None:
    environ = {"NOUS_PLAN_ENFORCEMENT": said}
    assert (context.enforcement_mode(environ), bool(context.describe_invalid_mode(environ))) == (mode, wrong)


def test_the_nearest_arm() -> None:
    conditions = (Condition("a", "./blis run --workload short"), Condition("b", "./blis run --workload long --no-cache"))
    assert context.find_nearest_arm("./other run --workload long", conditions) == "b"
    assert context.find_nearest_arm("./blis run", conditions) == "a"
    assert context.find_nearest_arm("cat results/b/log.txt", conditions) == "b"
    assert context.find_nearest_arm("./sim --workload=long", conditions) == "b"
    assert context.find_nearest_arm("ls", conditions) == ""
    assert context.find_nearest_arm("ls", ()) == ""
