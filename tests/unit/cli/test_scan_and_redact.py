"""Tests `scan` and `redact` as real processes: on files, on a real index, in a pipe."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unit.redaction.planted import EMAIL, GITHUB, PEM, SURE

TOOLGATE = [sys.executable, "-m", "toolgate"]


def run(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home")}
    return subprocess.run([*TOOLGATE, *words], cwd=folder, input=stdin, capture_output=True, env=environ, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b.py").write_text(f"x = 1\n\u00e9 = '{GITHUB}'\n")
    (tmp_path / "config.yml").write_text("db_password: k3X9vQ2mZ7pL\n")
    (tmp_path / "README.md").write_text("Set `TOKEN` first.\n")
    (tmp_path / "image.bin").write_bytes(b"\0" + GITHUB.encode())
    return tmp_path


def test_files_are_told_by_place_kind_and_tier_and_no_value(project: Path) -> None:
    result = run(project, "scan", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["path"], row["line"], row["column"], row["kind"], row["tier"]) for row in rows] == [
        ("config.yml", 1, 14, "secret", "likely"),
        ("src/a b.py", 2, 6, "github-token", "sure"),
    ]
    assert result.returncode == 1
    assert GITHUB.encode() not in result.stdout + result.stderr
    assert run(project, "scan", "README.md").returncode == 0


def test_sarif_points_at_the_same(project: Path) -> None:
    results = json.loads(run(project, "scan", "--sarif", "src").stdout)["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [("github-token", "error")]
    region = results[0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 6, "endLine": 2, "endColumn": 6 + len(GITHUB)}


def test_what_is_staged_counts_and_not_the_work_tree(project: Path) -> None:
    assert run(project, "scan", "--staged").returncode == 0
    subprocess.run(["git", "add", "src"], cwd=project, check=True)
    (project / "src" / "a b.py").write_text("nothing\n")
    result = run(project, "scan", "--staged", "--sure")
    assert (result.returncode, result.stdout) == (1, b"src/a b.py:2:6: github-token (sure)\n")
    assert run(project / "src", "scan", "--staged").returncode == 1


def test_what_is_wrong_is_said(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert run(project, "scan", "nothing-there").returncode == 64
    assert run(project, "scan", "--staged", "src").returncode == 64
    assert b"repository" in run(tmp_path_factory.mktemp("bare"), "scan", "--staged").stderr


def test_the_filter_hides_and_keeps_everything_else(tmp_path: Path) -> None:
    noise = os.urandom(50_000)
    text = noise + b"\n" + "\n".join((*SURE, EMAIL)).encode() + b"\nend\n"
    out = run(tmp_path, "redact", stdin=text).stdout
    assert out.startswith(noise + b"\n[REDACTED:github-token:")
    assert out.endswith(b"\nend\n")
    assert not any(secret.encode() in out for secret in (*SURE, EMAIL))


def test_a_secret_on_a_border_is_hidden(tmp_path: Path) -> None:
    for before in range(65_500, 65_540, 7):
        text = ("x" * 79 + "\n") * 3000
        text = text[:before] + " " + PEM + " " + text[before:]
        out = run(tmp_path, "redact", stdin=text.encode()).stdout.decode()
        assert "MIIE" not in out
        assert len(out) > len(text) - len(PEM)


def test_marks_are_a_sessions(tmp_path: Path) -> None:
    first, again, other = (run(tmp_path, "redact", "--session", each, stdin=GITHUB.encode()).stdout for each in "aab")
    assert first == again
    assert first != other


@pytest.mark.parametrize("words", [("check",), ("check", "--json"), ("explain",), ("explain", "--json")])
def test_what_is_explained_holds_no_secret(tmp_path: Path, words: tuple[str, ...]) -> None:
    token = "gh" + "p_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
    command = f"curl -H 'X-Token: {token}' https://a.example.com -o /etc/{token} && git push https://{token}@github.com/a/b -f"
    result = run(tmp_path, *words, "--", command)
    assert result.stderr == b""
    assert token.encode() not in result.stdout
    assert b"REDACTED:" in result.stdout
