"""What is counted: questions, calls of a rule, denials."""

from toolgate.consent.budgets import count_call, explain_question_limit, is_brief, take_question
from toolgate.consent.escalation import build_user_message, count_denial


def test_each_agent_has_a_budget_of_questions() -> None:
    first, number = take_question({}, "main", 2)
    second, last = take_question(first, "main", 2)
    assert (number, last) == (1, 2)
    assert take_question(second, "main", 2) == (second, None)
    assert take_question(second, "other", 2)[1] == 1


def test_a_limit_of_zero_or_less_allows_no_question() -> None:
    assert take_question({}, "main", 0) == ({}, None)
    assert take_question({}, "main", -1) == ({}, None)
    assert "(0/0 " in explain_question_limit(-1)
    assert "(2/2 " in explain_question_limit(2)


def test_an_answer_is_brief_by_its_letters() -> None:
    assert is_brief(" yes  ", 4)
    assert not is_brief("sure", 4)


def test_calls_are_counted_within_their_time() -> None:
    document, allowed = count_call({"other": [1.0]}, "rule", 2, 10.0, 100.0)
    assert allowed
    assert document == {"other": [1.0], "rule": [100.0]}
    document, allowed = count_call(document, "rule", 2, 10.0, 105.0)
    assert allowed
    assert count_call(document, "rule", 2, 10.0, 109.0) == (document, False)
    document, allowed = count_call(document, "rule", 2, 10.0, 110.0)
    assert allowed
    assert document["rule"] == [105.0, 110.0]


def test_setting_the_clock_back_resets_no_count() -> None:
    document, _ = count_call({}, "rule", 1, 10.0, 100.0)
    assert count_call(document, "rule", 1, 10.0, 50.0)[1] is False


def test_denials_are_counted_by_rule_and_agent_within_a_turn() -> None:
    document, first = count_denial({}, "t", "main", ("git.clean",))
    document, second = count_denial(document, "t", "main", ("git.discard", "git.clean"))
    assert (first, second) == (1, 2)
    assert count_denial(document, "t", "main", ("git.clean", "git.push"))[1] == 3
    assert count_denial(document, "t", "other", ("git.clean",))[1] == 1
    assert count_denial(document, "u", "main", ("git.clean",))[1] == 1


def test_the_latest_counts_are_kept() -> None:
    document, _ = count_denial({}, "t", "main", (str(n) for n in range(201)))
    assert len(document["counts"]) == 200
    assert "main\n0" not in document["counts"]
    assert document["counts"]["main\n200"] == 1


def test_the_user_is_told_who_attempted_what() -> None:
    assert " main attempted git push but was blocked: A reason. " in build_user_message("main", "git push", "A reason.")
    assert " The agent attempted " in build_user_message("", "git push", "A reason.")
