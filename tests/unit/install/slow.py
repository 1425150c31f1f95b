"""A caller that sends half of its request and waits: `slow.py SOCKET`, as 12345 with two more groups."""

import os
import socket
import sys
import time

os.setgroups([777, 778])
os.setresgid(12345, 12345, 12345)
os.setresuid(12345, 12345, 12345)
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as conversation:
    conversation.connect(sys.argv[1])
    conversation.sendall(b"TGQ1")
    time.sleep(30)
