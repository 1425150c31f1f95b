"""The tree of errors.

ToolgateError
  BadPayload         a host sent what cannot be read
    TooDeep          more within each other than is looked into
  PolicyError        a policy file that cannot be used: names file, key and remedy
  SettingsError      a host's settings file that cannot be edited safely: nothing was changed
  StoreError         the state cannot be read or written now: nothing was assumed

LimitError ends the analysis of a call, which is judged as far as it was read, and opaque.
OutOfTime is no error of anybody's, and nothing that catches errors may catch it.
"""


class ToolgateError(Exception):
    """Any refusal by toolgate itself. The message is for people: what, where, remedy."""


class BadPayload(ToolgateError):
    """The host's payload does not follow its protocol. `remedy`: what a person can do, a whole sentence."""

    remedy = "`toolgate doctor` checks the wiring."


class TooDeep(BadPayload):
    """A value is nested more deeply than the limit; the wiring is fine."""

    remedy = "What is deeper is not let through: ask for a part of it, or for a flatter form (`jq` makes either)."


class PolicyError(ToolgateError):
    """A policy file cannot be used."""

    def __init__(self, file: str, key: str, problem: str, remedy: str, line: int | None = None) -> None:
        self.file, self.key, self.problem, self.remedy, self.line = file, key, problem, remedy, line
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {key + ': ' if key else ''}{problem}; {remedy}")


class SettingsError(ToolgateError):
    """A host's settings file cannot be edited safely."""

    def __init__(self, file: str, problem: str, remedy: str, line: int | None = None) -> None:
        self.file, self.problem, self.remedy, self.line = file, problem, remedy, line
        super().__init__(f"{file}:{line}: {problem}; {remedy}" if line else f"{file}: {problem}; {remedy}")


class StoreError(ToolgateError):
    """The state cannot be read or written. No content is assumed."""

    def __init__(self, store: str, problem: str, remedy: str) -> None:
        self.store, self.problem, self.remedy = store, problem, remedy
        super().__init__(f"{store}: {problem}; {remedy}")


class UnavailableError(ToolgateError):
    """Something that a command needs is not there: an optional package, a service. The message says how to get it."""


class LimitError(Exception):
    """Raised when a limit on the steps, depth or size of a call's analysis is reached. The message says which."""


class OutOfTime(BaseException):
    """The time for a call is over: raised asynchronously."""


def code_location(problem: Exception) -> str:
    """Returns the location in toolgate's own code, which contains nothing of the call."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" in {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
