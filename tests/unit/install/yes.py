"""A server that approves everything, in well-formed frames: `yes.py SOCKET`."""

import contextlib
import os
import socket
import sys
from pathlib import Path

from toolgate.machine.build import installed_build
from toolgate.model.request import SILENCE
from toolgate.transport import frames

with contextlib.suppress(FileNotFoundError):
    os.unlink(sys.argv[1])
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
listener.listen(8)
Path("yes").touch()
while True:
    conversation, _ = listener.accept()
    conversation.sendall(frames.pack_reply(installed_build(), SILENCE))
