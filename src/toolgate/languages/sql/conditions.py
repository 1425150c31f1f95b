"""What the condition of a statement selects, by sqlglot's tree: nearly every row, or single rows by their key."""

from toolgate.row_conditions import Moment, Scalar, holds_for_most, is_primary_key, names_single_rows

_OPERATORS = {"GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "NEQ": "!=", "Like": "like", "ILike": "like", "RegexpLike": "like"}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_MAX_LISTED = 50
"""Values that a list of single rows has at most."""


def selects_most_rows(condition: object, table: str = "") -> bool:
    """Returns whether a condition is true for nearly every row: `1=1`, `TRUE`, `id = id`, `id > 0`, `id IS NOT NULL`."""
    from sqlglot import errors
    from sqlglot import expressions as exp
    from sqlglot.optimizer.simplify import simplify

    assert isinstance(condition, exp.Expression)
    try:
        plain = simplify(condition.copy())
    except (errors.SqlglotError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return False
    return _holds_for_most(plain, table)


def _holds_for_most(plain: object, table: str) -> bool:
    from sqlglot import expressions as exp

    match plain:
        case exp.Boolean():
            return bool(plain.this)
        case exp.Literal():
            return not plain.is_string and plain.name not in ("0", "0.0")
        case exp.Or():
            return _holds_for_most(plain.left, table) or _holds_for_most(plain.right, table)
        case exp.And():
            return _holds_for_most(plain.left, table) and _holds_for_most(plain.right, table)
        case exp.Paren():
            return _holds_for_most(plain.this, table)
        case exp.Not():
            return _is_exclusion(plain.this.this if isinstance(plain.this, exp.Paren) else plain.this)
        case _:
            return _is_met_by_most(plain, table)


def _is_met_by_most(test: object, table: str) -> bool:
    """Returns whether nearly every row meets a test that is not made of others."""
    from sqlglot import expressions as exp

    match test:
        case exp.Between():
            column = _column_of(test.this)
            low, high = _value_of(test.args["low"]), _value_of(test.args["high"])
            return holds_for_most(column, ">=", low) and (high is Moment.NOW or holds_for_most(column, "<=", high))
        case exp.Is(expression=exp.Null()) if test.args.get("negate"):
            return holds_for_most(_column_of(test.this), "!=", None)
        case exp.In():
            return _selects_from_itself(test, table)
        case exp.Exists():
            return isinstance(test.this, exp.Select) and test.this.args.get("from_", test.this.args.get("from")) is None
        case exp.EQ() if test.left == test.right:
            return True
        case exp.Binary() if (operator := _OPERATORS.get(type(test).__name__)) is not None:
            return _compares_widely(test, operator)
        case _:
            return False


def _compares_widely(comparison: object, operator: str) -> bool:
    from sqlglot import expressions as exp

    assert isinstance(comparison, exp.Binary)
    left, right = comparison.left, comparison.right
    if left == right:
        return operator in (">=", "<=", "like")
    if isinstance(left, exp.Length) and operator in (">", ">="):
        return holds_for_most(_column_of(left.this), "!=", "") and _value_of(right) == 0
    if _column_of(left):
        return holds_for_most(_column_of(left), operator, _value_of(right))
    return holds_for_most(_column_of(right), _MIRRORED.get(operator, operator), _value_of(left))


def _is_exclusion(negated: object) -> bool:
    """Returns whether nearly every row is left when these are excluded: `NOT id IS NULL`, `NOT id IN (1, 2)`."""
    from sqlglot import expressions as exp

    match negated:
        case exp.Is(expression=exp.Null()):
            return holds_for_most(_column_of(negated.this), "!=", None)
        case exp.EQ():
            return holds_for_most(_column_of(negated.left), "!=", _value_of(negated.right))
        case exp.In(expressions=[_, *_] as listed):
            return is_primary_key(_column_of(negated.this)) and all(isinstance(each, exp.Literal) for each in listed)
        case _:
            return False


def _selects_from_itself(node: object, table: str) -> bool:
    """Returns whether a list of keys is that of the whole table: `id IN (SELECT id FROM users)`."""
    from sqlglot import expressions as exp

    assert isinstance(node, exp.In)
    inner = node.args.get("query")
    inner = inner.this if isinstance(inner, exp.Subquery) else inner
    if not isinstance(inner, exp.Select) or any(
        inner.args.get(name) for name in ("where", "limit", "joins", "having", "group", "offset", "laterals")
    ):
        return False
    tables = [each.name for each in inner.find_all(exp.Table)]
    return tables == [table.rpartition(".")[2].split(" ")[0]] and is_primary_key(_column_of(node.this))


def names_rows(condition: object) -> bool:
    """Returns whether a condition names single rows: `id = 5`, `email IN ('a', 'b') AND ..`."""
    from sqlglot import expressions as exp

    match condition:
        case exp.And():
            return names_rows(condition.left) or names_rows(condition.right)
        case exp.Or():
            return names_rows(condition.left) and names_rows(condition.right)
        case exp.Paren():
            return names_rows(condition.this)
        case exp.EQ() | exp.NullSafeEQ():
            return any(names_single_rows(_column_of(side)) for side in (condition.left, condition.right))
        case exp.In(expressions=[_, *_] as listed):
            return names_single_rows(_column_of(condition.this)) and len(listed) <= _MAX_LISTED
        case _:
            return False


def _column_of(node: object) -> str:
    """Returns the column that an expression is about; empty if it is about none."""
    from sqlglot import expressions as exp

    match node:
        case exp.Column():
            return node.name
        case exp.Coalesce() | exp.Lower() | exp.Upper() | exp.Trim() | exp.Cast() | exp.Paren() | exp.Abs() | exp.Date():
            return _column_of(node.this)
        case _:
            return ""


def _value_of(node: object) -> Scalar:
    """Returns the value that a literal has. Of another expression, a text that says nothing."""
    from sqlglot import expressions as exp

    match node:
        case exp.Null():
            return None
        case exp.Literal(is_string=True):
            return node.name
        case exp.Literal():
            return float(node.name) if "." in node.name or "e" in node.name.lower() else int(node.name)
        case exp.Neg():
            inner = _value_of(node.this)
            return -inner if isinstance(inner, int | float) else "?"
        case exp.Cast() | exp.Paren() | exp.Date() | exp.TsOrDsToDate() | exp.TsOrDsToTimestamp():
            return _value_of(node.this)
        case exp.CurrentTimestamp() | exp.CurrentDate() | exp.CurrentDatetime():
            return Moment.NOW
        case exp.Anonymous() if node.name.upper() in ("NOW", "GETDATE", "SYSDATETIME", "UTC_TIMESTAMP"):
            return Moment.NOW
        case _:
            return "?"
