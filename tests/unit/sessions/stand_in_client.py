"""A client with a terminal, of which only the process matters:

`stand_in_client.py ORDERS ANSWERS`. It starts the gate's hook as its own child, as the real client does, for every line in
ORDERS: `{"event", "payload", "environ", "between"}`. It discards keys that are pressed at its terminal.
"""

import json
import os
import select
import subprocess
import sys

HOOK = (sys.executable, "-I", "-m", "toolgate", "hook", "claude-code")


def answer_order(order: dict[str, object]) -> str:
    environ = {**os.environ, "CLAUDE_PID": str(os.getpid()), **dict(order["environ"])}  # type: ignore[call-overload]
    words = [*HOOK, str(order["event"])]
    if order["between"]:  # somebody else starts it
        words = ["sh", "-c", '"$@"; exit $?', "sh", *words]
    result = subprocess.run(words, input=json.dumps(order["payload"]).encode(), env=environ, capture_output=True, check=False)
    return json.dumps({"code": result.returncode, "out": result.stdout.decode(), "err": result.stderr.decode()})


def main(orders: str, answers: str) -> None:
    with open(orders) as source, open(answers, "w") as sink:
        terminal = sys.stdin.fileno()
        while True:
            ready, _, _ = select.select([terminal, source], [], [])
            if terminal in ready:
                os.read(terminal, 1024)
            if source in ready:
                line = source.readline()
                if not line:
                    return
                sink.write(answer_order(json.loads(line)) + "\n")
                sink.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
