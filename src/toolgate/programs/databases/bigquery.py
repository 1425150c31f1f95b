"""bq: statements, tables and expirations of BigQuery."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

from .clients import interpret_codes


def bq(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "--project_id= --dataset_id= --location= --format= -q,--quiet --headless --use_legacy_sql=? --nouse_legacy_sql --dry_run=? --destination_table= --replace"
        " --append_table -n,--max_rows= --maximum_bytes_billed= --parameter= -f,--force -r,--recursive -t,--table -d,--dataset -m,--model --sync --apilog= --help"
    ).parse(argv)
    verb = options.operands[0].text if options.operands else None
    if verb == "query" and options.has_flag("--dry_run", "--help") is not True:
        codes = [(join_words(options.operands[1:]) if options.operands[1:] else context.stdin, "")]
        yield from interpret_codes("sql", codes, None, "bq", context)
    elif verb in ("rm", "remove") and len(options.operands) > 1 and options.has_flag("--help") is not True:
        yield Operation("database.drop", context.origin, options.operands[-1], (("disposable", False),))
    elif verb == "update" and any((word.text or "").lstrip("-").startswith(_EXPIRATIONS) for word in argv[1:]):
        what = join_words(options.operands[-1:])
        yield Operation("database.drop", context.origin, known_word("what expires in ") + what, (("disposable", False),))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_EXPIRATIONS = ("expiration", "default_table_expiration", "default_partition_expiration")

ROWS: dict[str, Program] = {"bq": Program(does=bq)}
