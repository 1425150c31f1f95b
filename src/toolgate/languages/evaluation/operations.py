"""Operators, and concatenation of text."""

from __future__ import annotations

from itertools import product

from toolgate.model.word import Hole, Maybe, Word, maybe_not

from . import nodes
from .leaf_texts import shown_words
from .operators import add_values, are_equal, calculate, concatenate_words, is_endless, is_ordered, narrow_text, repeat_value
from .own_variables import note_default
from .secret_variables import narrow_variables
from .shared_state import Evaluation
from .switches import decide_comparison, decide_truth
from .values import (
    FALSE,
    MAX_ALTERNATIVES,
    NULL,
    TRUE,
    Constant,
    ListValue,
    MapValue,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
)


class Operations(Evaluation):
    # ---- text

    def evaluate_concatenation(self, node: nodes.Concatenation) -> Value:
        values = [self.evaluate(each) for each in node.parts]
        made = self.concatenate(values)
        self.report.openings.likely.follow_text(made, values, self.concatenate)
        return made

    def concatenate(self, values: list[Value]) -> Value:
        """Returns one text for each combination of alternatives."""
        texts = [shown_words(value) for value in values]
        count = 1
        for each in texts:
            count *= len(each)
        if count > MAX_ALTERNATIVES:
            texts = [[word_of(value)] for value in values]
        self.work.spend_steps(min(count, MAX_ALTERNATIVES) * len(texts))
        return self.join_values(*(concatenate_words(combination) for combination in product(*texts)))

    # ---- operators

    def evaluate_operation(self, node: nodes.Operation) -> Value:
        value = self.evaluate(node.first)
        for operator, operand in node.more:
            value = self.apply_operator(operator, value, self.evaluate(operand))
        return value

    def apply_operator(self, operator: str, left: Value, right: Value) -> Value:
        lefts, rights = list_alternatives(left), list_alternatives(right)
        if len(lefts) * len(rights) > MAX_ALTERNATIVES:
            return unknown_from("a result", left, right) if operator != "+" else self.concatenate([left, right])
        self.work.spend_steps(len(lefts) * len(rights))
        return self.join_values(*(self.operate_on(operator, one, other) for one in lefts for other in rights))

    def operate_on(self, operator: str, left: Value, right: Value) -> Value:
        """Applies an operator to two values, neither of them a choice."""
        found = self.library.apply_operator(self, operator, left, right)
        if found is not None:
            return found
        if isinstance(left, Constant) and isinstance(right, Constant):
            return calculate(operator, left.value, right.value)
        made: Value | None = None
        if operator == "+":
            made = add_values(left, right)
        elif operator == "*":
            if is_endless(left, right):
                self.report.fill_memory()
            made = repeat_value(left, right)
        elif operator == "|" and isinstance(left, MapValue) and isinstance(right, MapValue):
            return MapValue({**left.entries, **right.entries}.items())
        if made is None and isinstance(left, ListValue):
            more = right.items if isinstance(right, ListValue) else ()
            return ListValue(left.kind, (), join_all((*left.items, left.rest, *more)))
        return unknown_from("a result", left, right) if made is None else made

    def evaluate_unary(self, node: nodes.Unary) -> Value:
        if node.operator == "delete":
            self.delete(node.operand)
            return TRUE
        if node.operator == "not":
            answer = self.decide_test(node.operand)
            return Unknown("a test") if answer is None else Constant(not answer)
        value = self.evaluate(node.operand)
        if node.operator == "await":
            self.called["await"] = self.called.get("await", 0) + 1
            return value
        if node.operator == "-" and isinstance(value, Constant) and isinstance(value.value, int | float):
            return Constant(-value.value)
        return unknown_from("a number", value)

    def decide_test(self, test: nodes.Expression) -> Maybe:
        """Evaluates a test, and returns whether it holds: `names and not dry_run` does not, whatever the names, in a dry run."""
        if isinstance(test, nodes.Logical) and test.operator != "??":
            return self._decide_from(test, 0)
        return self._decide_truth(self.evaluate(test))

    def _decide_truth(self, value: Value) -> Maybe:
        answer = self.library.truth_of(value)
        return decide_truth(self, value) if answer is None else answer

    def _decide_from(self, test: nodes.Logical, at: int) -> Maybe:
        answer, deciding = self.decide_test(test.operands[at]), test.operator != "and"
        if at == len(test.operands) - 1 or answer is deciding:
            return answer
        if answer is not None:
            return self._decide_from(test, at + 1)
        answers: list[Maybe] = []

        def decide_rest() -> None:
            self.narrow_by_test(test.operands[at], not deciding)
            answers.append(self._decide_from(test, at + 1))

        self.run_possibly(decide_rest)
        return deciding if answers == [deciding] else None

    def evaluate_logical(self, node: nodes.Logical) -> Value:
        return self._logical_from(node, 0)

    def _logical_from(self, node: nodes.Logical, at: int) -> Value:
        left = self.evaluate(node.operands[at])
        if at == len(node.operands) - 1:
            return left
        answer = _is_set(left) if node.operator == "??" else self._decide_truth(left)
        if answer is (node.operator != "and"):
            return left
        if answer is not None:
            return self._logical_from(node, at + 1)

        def evaluate_rest() -> Value:
            self.narrow_by_test(node.operands[at], node.operator == "and")
            return self._logical_from(node, at + 1)

        made = self.choose_branch([lambda: left, evaluate_rest])
        return made if node.operator == "and" else note_default(self, left, made)

    def evaluate_conditional(self, node: nodes.Conditional) -> Value:
        answer = self.decide_test(node.test)
        if answer is not None:
            return self.evaluate(node.consequence if answer else node.alternative)

        def evaluate_consequence() -> Value:
            self.narrow_by_test(node.test, True)
            return self.evaluate(node.consequence)

        return self.choose_branch([evaluate_consequence, lambda: self.evaluate(node.alternative)])

    def evaluate_comparison(self, node: nodes.Comparison) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        answer = decide_comparison(self, node.operator, left, right)
        if answer is None:
            answer = self.compare_values(node.operator, left, right)
        if answer is not None:
            return TRUE if answer else FALSE
        test = Unknown("a test")
        self.selections.follow_comparison(node.operator, left, right, test)
        return test

    def compare_values(self, operator: str, left: Value, right: Value) -> Maybe:
        match operator:
            case "==" | "is":
                return are_equal(left, right)
            case "!=" | "is not":
                return maybe_not(are_equal(left, right))
            case "in":
                return self._contains_item(right, left)
            case "not in":
                return maybe_not(self._contains_item(right, left))
            case _ if isinstance(left, Constant) and isinstance(right, Constant):
                return is_ordered(operator, left.value, right.value)
            case _:
                return None

    def _contains_item(self, holder: Value, item: Value) -> Maybe:
        if isinstance(holder, Word):
            return holder.contains(text) if (text := text_of(item)) is not None else None
        if not isinstance(holder, ListValue | MapValue):
            return None
        items, rest = self.items_of(holder)
        answers = [are_equal(item, each) for each in items]
        if True in answers:
            return True
        return None if rest is not None or None in answers else False

    def narrow_by_test(self, test: nodes.Expression, holds: bool) -> None:
        """Narrows the value that a test is about."""
        if holds:
            narrow_variables(self, test)
        if isinstance(test, nodes.Unary) and test.operator == "not":
            self.narrow_by_test(test.operand, not holds)
        elif isinstance(test, nodes.Logical):
            for each in test.operands if (test.operator == "and") == holds else ():
                self.narrow_by_test(each, holds)
        elif holds and (found := self.library.find_narrowing(self, test)) is not None:
            place, globs = found
            narrowed = [narrow_text(each, glob) for each in list_alternatives(self.evaluate(place)) for glob in globs]
            if narrowed and all(each is not None for each in narrowed):
                self.store(place, self.join_values(*narrowed))


def _is_set(value: Value) -> Maybe:
    """Returns whether a value is not null. An environment variable may be missing."""
    if isinstance(value, Word) and len(value.parts) == 1 and isinstance(value.parts[0], Hole) and value.parts[0].variable:
        return None
    return maybe_not(are_equal(value, NULL))
