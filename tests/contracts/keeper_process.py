"""Runs the keeper in a process of its own: `keeper_process.py FOLDER SOCKET`, under the account that starts it."""

import socket
import sys

from toolgate.transport.keeper import run_keeper

if __name__ == "__main__":
    folder, path = sys.argv[1:]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    _supervisor, lines = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    run_keeper(folder, lines, listener)
