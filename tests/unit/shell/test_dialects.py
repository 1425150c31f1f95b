"""Which shells may read the text of a tool."""

import pytest

from toolgate.shell.syntax.dialects import dialect_of_login_shell


@pytest.mark.parametrize("text", ["source .env && make", "set -e\n[[ -n $X ]] || exit", "a=(1 2)", "cat <<< x", "diff <(a) <(b)"])
def test_a_text_for_bash_is_not_read_as_dash_where_the_shell_is_unknown(text: str) -> None:
    assert not dialect_of_login_shell("", text).may_be_dash
    assert dialect_of_login_shell("dash", text).may_be_dash


@pytest.mark.parametrize("text", ["make test", ". ./.env", "echo 'source x'", "x=$(ls)"])
def test_any_other_text_may_be_read_by_dash(text: str) -> None:
    assert dialect_of_login_shell("", text).may_be_dash
    assert not dialect_of_login_shell("bash", text).may_be_dash
