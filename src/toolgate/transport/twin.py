"""The native client once more, in Python: same frames, same refusals, same daemon. client.c tells it in full.

Most of what it costs is the interpreter's own start, and imports are most of the rest: so it stands on what is built in, and does
without `os`, `socket`, `signal` and `struct`. POSIX only: Windows has neither this kind of socket nor fork.
"""

import _signal  # type: ignore[import-not-found]
import posix
import sys
import time

TYPE_CHECKING = False  # as in `typing`, which costs more than all the rest
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable
    from typing import NoReturn

DEADLINE = 2.0  # seconds, as in client.c
PATIENCE = 1.0
LARGEST = 80 << 20  # as in client.c
LARGEST_ANSWER = 256 << 20
HERE = __file__.rpartition("/")[0]
START = """\
import os, sys
top = os.path.dirname(os.path.dirname(sys.executable))
lib = '/lib/python%d.%d/' % sys.version_info[:2]
found = [top + lib + 'site-packages']
if not os.path.exists(top + '/pyvenv.cfg'):
    found += ['/usr/local' + lib + 'dist-packages', sys.prefix + lib + 'site-packages', '/usr/lib/python3/dist-packages']
try:
    with open(found[0] + '/_editable_impl_toolgate.pth') as editable:
        found += editable.read().split('\\n')
except OSError:
    pass
sys.path += [each for each in dict.fromkeys(found) if each[:1] == '/' and os.path.isdir(each)]
from toolgate.transport.engine import main
main()
"""
"""Starts the engine without `site`, whose .pth files and customizing modules would run first: client.c says why, and the same."""
MARK = "@REASON@"
PLACES = (
    (b"TOOLGATE_HOME", b"/run", 2),
    (b"XDG_RUNTIME_DIR", b"/toolgate", 1),
    (b"XDG_CACHE_HOME", b"/toolgate/run", 3),
    (b"HOME", b"/.cache/toolgate/run", 3),
)
"""machine/environment.py says the same. The last so many folders may be made: never a home."""
WHO = ("TOOLGATE_AGENT=", "TOOLGATE_ROLE=", "TOOLGATE_PHASE=")
"""What the registered command itself says of the agent: as in model/event.py, and before what the environment says."""
SUPERVISED, SUPERVISOR = b"/etc/toolgate/supervised", b"/run/toolgate/hook.sock"
"""machine/supervision.py says the same."""
STOPS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGUSR1", "SIGUSR2")


class Unanswered(Exception):
    """There was no answer that could be believed."""


def main(words: list[str]) -> "NoReturn":
    if words == ["--serve"]:
        _serve()
    many = 0
    while words[many : many + 1] and words[many].startswith(WHO):
        many += 1
    who, words = words[:many], words[many:]
    refused = Refusal(*words) if len(words) == 2 else Refusal("", "")
    try:
        refused.listen()
        if len(words) != 2:
            refused("usage: client.py [TOOLGATE_ROLE=...] HOST EVENT")
        call = Call(*(word.encode(errors="surrogateescape") for word in (*words, *who)))
        _finish(refused, *ask(call, refused))
    except Unanswered as problem:
        refused(str(problem))
    except BaseException as problem:  # noqa: BLE001  (memory, an import, an interrupt: the host must get a no)
        refused(f"its client failed, {type(problem).__name__}")
    posix._exit(2)


def _finish(refused: "Refusal", code: int, out: bytes, err: bytes) -> "NoReturn":
    refused.begin_answer()
    try:
        _write(2, err)
    except OSError:
        pass  # people read it; the host does not
    try:
        if out and not refused.has_stdout:
            posix._exit(2)
        _write(1, out)
    except OSError:
        posix._exit(2)
    posix._exit(code)


class Refusal:
    """The event's own no, read at the start: later there may be neither memory nor descriptors for it."""

    def __init__(self, host: str, event: str) -> None:
        self.began = time.monotonic()
        self.answering = False
        self.child = 0
        self.has_stdout = _is_open(1)
        for descriptor in range(3):
            if not _is_open(descriptor):
                posix.open("/dev/null", posix.O_RDWR)  # the lowest that is free
        self._code, self._out, self._err = 2, "", MARK
        begins = f'REFUSAL("{host}", "{event}", '
        try:
            for line in _file(f"{HERE}/refusals.inc").decode().splitlines():
                if host and line.startswith(begins):
                    _, _, self._code, self._out, self._err = eval(line[7:], {"__builtins__": {}})  # literals, of our own making
        except OSError:
            pass  # the exit code is a no wherever anything is

    def listen(self) -> None:
        _signal.signal(_signal.SIGALRM, lambda _number, _frame: self("the time for it is over"))
        for name in STOPS:
            _signal.signal(getattr(_signal, name), lambda _number, _frame: self("it was stopped"))
        _signal.setitimer(_signal.ITIMER_REAL, DEADLINE)

    def begin_answer(self) -> None:
        """What is decided is said whole: nothing interrupts it but the clock, since nobody may be reading."""
        _signal.pthread_sigmask(_signal.SIG_BLOCK, [getattr(_signal, name) for name in STOPS])
        self.answering = True
        _signal.alarm(1)

    def left(self, limit: float = -1.0) -> float:
        return (DEADLINE if limit < 0 else limit) - (time.monotonic() - self.began)

    def __call__(self, reason: str) -> "NoReturn":
        if self.answering:
            posix._exit(2)
        self.begin_answer()
        end_engine(self.child)
        told = f"toolgate could not judge this call ({reason}), so it refuses it; `toolgate doctor` says more"
        code = self._code
        try:
            _write(2, self._err.replace(MARK, told).encode())
            if self._out and self.has_stdout:
                _write(1, self._out.replace(MARK, told).encode())
            elif self._out:
                code = 2
        except OSError:
            code = 2
        posix._exit(code)


class Call:
    """What the engine is told: client.c and frames.py describe it."""

    def __init__(self, host: bytes, event: bytes, *who: bytes) -> None:
        self.build = _build()
        environ = b"".join(each + b"\0" for each in who)
        environ += b"".join(name + b"=" + value + b"\0" for name, value in posix.environ.items())
        parts = (host, event, _directory(), environ, _standard_input())
        self._head = b"TGQ1" + self.build + _number(int(time.time() * 1e6), 8) + _number(posix.getuid())
        self._tail = b"".join((*(_number(len(part)) for part in parts), *parts))

    def frame(self, left: float) -> bytes:
        return self._head + _number(max(0, int(left * 1000))) + self._tail


def ask(call: Call, refused: Refusal) -> tuple[int, bytes, bytes]:
    """Exit code, standard output, standard error: of the daemon if there is one, of the daemon in the making where somebody makes
    it, else of a child that will be it. The supervisor's alone where root has installed one. Raises Unanswered."""
    if _is_supervised():
        return _supervisors(call, refused)
    how, asked, place = "once", 0, _place(call.build)
    while place and refused.left(PATIENCE) > 0:
        try:
            conversation = place.connected() if asked < 2 else None
            if conversation:
                asked += 1  # twice: it may just have been on its way out
                return _asked(conversation, call, refused)
            lock = place.locked()
        except (Unanswered, OSError):
            how = "once" if refused.left(PATIENCE) > 0 else "unanswered"
        except Busy:
            if asked == 2:
                break
        else:
            listener = place.listening() if lock >= 0 else -1
            if listener < 0:
                break
            return _child(call, refused, place, "stay", lock, listener)
        time.sleep(0.003)
    return _child(call, refused, place, how)


def _is_supervised() -> bool:
    """Is this a client that root's file names, a line each? What cannot be read names it. Root is above the supervisor."""
    if not posix.geteuid():
        return False
    try:
        names = _file(SUPERVISED.decode()).split(b"\n")
        return names == [b""] or f"{HERE}/client.py".encode(errors="surrogateescape") in names
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _supervisors(call: Call, refused: Refusal) -> tuple[int, bytes, bytes]:
    """There is no way round it: what it does not answer is refused. Only root listens there, and is believed."""
    import _socket

    while True:
        conversation = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        conversation.settimeout(0)
        try:
            conversation.connect(SUPERVISOR)
        except BlockingIOError:
            conversation.close()
            time.sleep(0.003)
            continue
        except OSError:
            raise Unanswered(
                "the supervisor of this machine is not there; root starts it: systemctl start toolgate.socket"
            ) from None
        if _peer(conversation) != 0:
            raise Unanswered("what answers for the supervisor is not root's")
        break
    try:
        conversation.settimeout(max(0.001, refused.left()))
        conversation.sendall(call.frame(refused.left()))
        return _answer(lambda: conversation.recv(65536), call.build)
    except (OSError, Unanswered):
        raise Unanswered("the supervisor of this machine gave no answer") from None


def _asked(conversation: "_socket.socket", call: Call, refused: Refusal) -> tuple[int, bytes, bytes]:
    conversation.settimeout(refused.left(PATIENCE))
    conversation.sendall(call.frame(refused.left()))

    def more() -> bytes:
        try:
            conversation.settimeout(max(0.001, refused.left(PATIENCE)))
            return conversation.recv(65536)
        except TimeoutError:
            if not _is_taken(conversation.fileno()):
                raise
        conversation.settimeout(max(0.001, refused.left()))  # it is at work: the answer may take its time
        return conversation.recv(65536)

    return _answer(more, call.build)


def _answer(more: "Callable[[], bytes]", build: bytes) -> tuple[int, bytes, bytes]:
    data, whole, code, out, err = bytearray(), 48, 2, 0, 0
    while len(data) < whole:
        part = more()
        if not part:
            raise Unanswered("its engine gave no answer")
        data += part
        if whole == 48 and len(data) >= 48:
            code, out, err = (int.from_bytes(data[at : at + 4], sys.byteorder) for at in (36, 40, 44))
            if data[:4] != b"TGA1" or data[4:36] != build or code not in (0, 2) or max(out, err) > LARGEST_ANSWER:
                raise Unanswered("its engine gave no answer")
            whole += out + err
    if len(data) > whole:
        raise Unanswered("its engine gave no answer")
    return code, bytes(data[48 : 48 + out]), bytes(data[48 + out :])


def _is_taken(descriptor: int) -> bool:
    """Has the other side taken everything we sent?"""
    if sys.platform != "linux":
        return False
    import fcntl

    waiting = fcntl.ioctl(descriptor, 0x5411, b"\0" * 4)  # SIOCOUTQ
    return not any(waiting)


# ---- the engine as a child


def _child(
    call: Call, refused: Refusal, place: "Place | None", how: str, lock: int = -1, listener: int = -1
) -> tuple[int, bytes, bytes]:
    import _socket

    ours, theirs = _socket.socketpair()
    words = _engine_words(how, call.build, place)
    refused.child = posix.fork()
    if refused.child == 0:
        _become_engine(theirs.fileno(), lock, listener, words)
    theirs.close()
    for descriptor in (lock, listener):
        if descriptor >= 0:
            posix.close(descriptor)  # the engine's alone: the lock is free when that is gone
    try:
        ours.settimeout(max(0.001, refused.left()))
        ours.sendall(call.frame(refused.left()))
        found = _answer(lambda: ours.recv(65536), call.build)
    except OSError:
        raise Unanswered("its engine did not start") from None
    refused.child = 0
    return found


def end_engine(child: int) -> None:
    for target in (-child, child) if child > 0 else ():
        try:
            posix.kill(target, _signal.SIGKILL)
        except OSError:
            pass


def _engine_words(how: str, build: bytes, place: "Place | None") -> list[bytes]:
    folder, name = (place.path, place.name) if place else (b"", b"")
    python = sys.executable.encode(errors="surrogateescape")
    return [python, b"-I", b"-S", b"-X", b"utf8", b"-c", START.encode(), how.encode(), build, folder, name]


def _become_engine(conversation: int, lock: int, listener: int, words: list[bytes]) -> "NoReturn":
    """No environment, no descriptor of the host's, no signal or mask of the host's, at no place of the host's."""
    import fcntl

    try:
        nothing = posix.open("/dev/null", posix.O_RDWR)
        kept = [conversation if conversation >= 0 else nothing, nothing, nothing, *((lock, listener) if lock >= 0 else ())]
        kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in kept]
        for number, descriptor in enumerate(kept):
            posix.dup2(descriptor, number)
        posix.closerange(len(kept), _most_descriptors())
        for signal in range(1, _signal.NSIG):
            if signal not in (_signal.SIGKILL, _signal.SIGSTOP) and _signal.getsignal(signal) is not None:
                _signal.signal(signal, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        posix.setsid()
        posix.umask(0o077)
        posix.chdir("/")
        posix.execve(words[0], words, {})
    finally:
        posix._exit(127)


def _most_descriptors() -> int:
    most = posix.sysconf("SC_OPEN_MAX")
    return most if most > 0 else 65536


# ---- the daemon


class Busy(Exception):
    """Somebody else is there just now."""


class Place:
    """The runtime folder, and the name of the daemon in it that sees the machine as we do."""

    def __init__(self, path: bytes, folder: int, build: bytes) -> None:
        self.path, self._folder = path, folder
        self.name = f"{_hash(_identity(build)):016x}".encode()
        where = b"/proc/self/fd/%d" % folder if sys.platform == "linux" else path
        self._address = where + b"/" + self.name + b".sock"

    def connected(self) -> "_socket.socket | None":
        """None where there is none. Raises Busy where more are waiting than it has room for."""
        import _socket

        conversation = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        conversation.settimeout(0)
        try:
            conversation.connect(self._address)
            if _peer(conversation) == posix.geteuid():
                return conversation
        except BlockingIOError:
            raise Busy from None
        except OSError:
            pass
        conversation.close()
        return None

    def locked(self) -> int:
        """-1: it cannot be had here. Raises Busy where somebody has it."""
        import fcntl

        try:
            lock = posix.open(
                self.name + b".lock",
                posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW,
                0o600,
                dir_fd=self._folder,
            )
        except OSError:
            return -1
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            posix.close(lock)
            raise Busy from None
        return lock

    def listening(self) -> int:
        """Where others wait from now on. Only who holds the lock may come here."""
        import _socket

        listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            try:
                posix.unlink(self.name + b".sock", dir_fd=self._folder)
            except FileNotFoundError:
                pass
            listener.bind(self._address)
            listener.listen(512)
        except OSError:
            return -1
        return listener.detach()


def _place(build: bytes) -> Place | None:
    """None: there is no folder that a socket could be trusted to."""
    for name, rest, ours in PLACES:
        value = posix.environ.get(name, b"")
        if value.startswith(b"/"):
            path = value.rstrip(b"/") + rest
            folder = _trusted_folder(path, ours)
            return None if folder < 0 else Place(path, folder, build)
    return None


def _trusted_folder(path: bytes, ours: int) -> int:
    ways = getattr(posix, "O_PATH", posix.O_RDONLY) | posix.O_DIRECTORY | posix.O_NOFOLLOW | posix.O_CLOEXEC
    try:
        try:
            folder = posix.open(path, ways)
        except FileNotFoundError:
            _make_folders(path, ours)
            folder = posix.open(path, ways)
        status = posix.fstat(folder)
    except OSError:
        return -1
    if status.st_uid != posix.geteuid() or status.st_mode & 0o077:
        posix.close(folder)
        return -1
    return folder


def _make_folders(path: bytes, ours: int) -> None:
    above = path.rpartition(b"/")[0]
    if ours > 1 and above:
        _make_folders(above, ours - 1)
    try:
        posix.mkdir(path, 0o700)
    except OSError:
        pass


def _identity(build: bytes) -> bytes:
    """Same build, same installation, same rights, same namespaces."""
    root = posix.stat("/")
    numbers = (posix.geteuid(), posix.getegid(), *posix.getgroups(), root.st_dev, root.st_ino)
    parts = [
        build,
        sys.executable.encode(errors="surrogateescape"),
        HERE.encode(errors="surrogateescape"),
        repr(numbers).encode(),
    ]
    for name in ("mnt", "user", "pid"):
        try:
            parts.append(posix.readlink(f"/proc/self/ns/{name}").encode())
        except OSError:
            parts.append(b"")
    try:
        parts.append(_file("/proc/sys/kernel/random/boot_id"))
    except OSError:
        pass
    return b"\0".join(parts)


def _hash(data: bytes) -> int:
    """FNV-1a: names a file in a folder of our own, and guards nothing."""
    found = 14695981039346656037
    for byte in data:
        found = (found ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return found


def _serve() -> "NoReturn":
    """The daemon without a call, for service managers: this process becomes it."""
    build = _build()
    place = _place(build)
    try:
        lock = place.locked() if place else -1
        listener = place.listening() if place and lock >= 0 else -1
    except Busy:
        _fail("a daemon runs already")
    if listener < 0:
        _fail("there is no folder that a socket could be trusted to")
    _become_engine(-1, lock, listener, _engine_words("serve", build, place))


def _fail(why: str) -> "NoReturn":
    _write(2, f"client.py: {why}\n".encode())
    posix._exit(1)


# ---- the machine


def _build() -> bytes:
    try:
        return _file(f"{HERE}/BUILD")[:32]
    except FileNotFoundError:
        return b"checkout".ljust(32, b"-")  # machine/build.py


def _file(path: str) -> bytes:
    descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: posix.read(descriptor, 65536), b""))
    finally:
        posix.close(descriptor)


def _standard_input() -> bytes:
    parts, size = [], 0
    while part := posix.read(0, 65536):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise Unanswered("this call is larger than toolgate reads")
    return b"".join(parts)


def _directory() -> bytes:
    try:
        return posix.getcwdb()
    except OSError:
        return b"/"


def _peer(conversation: "_socket.socket") -> int:
    """The user at the other end; where the system does not say, the folder is ours alone all the same."""
    import _socket

    if sys.platform != "linux":
        return posix.geteuid()
    return int.from_bytes(conversation.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)[4:8], sys.byteorder)


def _is_open(descriptor: int) -> bool:
    try:
        posix.fstat(descriptor)
    except OSError:
        return False
    return True


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[posix.write(descriptor, data) :]


def _number(value: int, size: int = 4) -> bytes:
    return value.to_bytes(size, sys.byteorder)
