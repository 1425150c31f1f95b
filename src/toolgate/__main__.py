"""`python -m toolgate`, and the console script. A hook call is dispatched before anything else is imported."""

import sys


def main() -> int:
    if sys.argv[1:2] == ["hook"]:
        from toolgate.transport.process import run

        return run(sys.argv[2:])
    from toolgate.cli import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
