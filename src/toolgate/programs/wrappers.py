"""Programs that run the rest of their argv in another environment: another line editor, network, clock, key ring or runtime."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Interpret, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .convention import written_by
from .environments import runs
from .options import Flags
from .program import Program, via
from .verbs import tool


def _plain(options: str = "", operands: str = "command") -> Program:
    return Program(Flags(f"{options} --help --version"), operands)


def nix(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`nix-shell --run CODE`, `nix develop -c COMMAND...`."""
    given = Flags(
        "-p,--packages --run= --command= -A= -I= --arg= --argstr= --pure --impure -i= -E= --keep= -h,--help --version"
    ).read(argv)
    for code in given.all("--run", "--command"):
        yield Interpret("shell", code, seen.origin, via=via(argv, "--run"))
    marks = [n for n, word in enumerate(argv) if word.text in ("-c", "--command")]
    if marks and argv[0].tail.endswith("nix"):
        yield Run(argv[marks[0] + 1 :], seen.origin, via(argv, "-c"))


def _deletes(forms: str, options: str = "") -> Program:
    """Return the forms that delete secrets, for a program that is called without its verb to run something."""
    return tool({"cloud.delete": forms}, options)


_SOPS = tool({}, "-d,--decrypt -i,--in-place --input-type= --output-type= --extract= -e,--encrypt --output=")


def _in_environment(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`sops exec-env FILE CODE`."""
    if len(argv) > 3 and argv[1].text in ("exec-env", "exec-file"):
        yield Interpret("shell", argv[-1], seen.origin, via=via(argv, "exec-env"))
    else:
        yield from _SOPS.effects(argv, seen)


def jar(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`java -jar tools/bfg-1.14.jar ...`: the program has the name of its archive."""
    at = next((n for n, word in enumerate(argv) if word.text == "-jar"), 0)
    name = _JAR.match((argv[at + 1].text or "").rpartition("/")[2]) if at and at + 1 < len(argv) else None
    if name is not None:
        yield Run((known(name[1], argv[at + 1].src), *argv[at + 2 :]), seen.origin, "java -jar", sure=None)
    else:
        yield from written_by(argv, seen)


def autossh(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """autossh runs ssh and monitors the connection; `-M` sets its port."""
    words = [word for before, word in pairwise(argv) if word.starts("-M") is not True and before.text != "-M"]
    yield Run((known("ssh"), *words), seen.origin, "autossh")


def sandboxed(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """bwrap binds folders of this machine. Its command begins at the first word that names a program."""
    from . import row

    command = next((n for n, word in enumerate(argv) if n and word.text and row(word.text.rpartition("/")[2]) is not None), 0)
    if command:
        yield Run(argv[command:], seen.origin, "bwrap")


_JAR = re.compile(r"([A-Za-z_][\w-]*?)(?:-(?:cli-)?\d[\w.-]*|-all|-standalone)*\.jar$")
_EXEC = "exec"
ROWS: dict[str, Program] = {
    "rlwrap": _plain(
        "-a -A -b= -c -C= -D= -f= -g= -H= -i -I -l= -m -n -N -o -O= -p -P= -q= -r -R -s= -S= -t= -T -U -v -w= -W -z="
    ),
    **dict.fromkeys(("proxychains", "proxychains4"), _plain("-q -f=")),
    **dict.fromkeys(("torsocks", "torify"), _plain("-u,--user= -p,--pass= -i,--isolate -a,--address= -P,--port= -d -q")),
    "firejail": _plain(),
    "eatmydata": _plain(),
    "faketime": _plain("-m -p= -f", "data command"),
    "cpulimit": _plain("-l,--limit= -i,--include-children -z,--lazy -b -f,--foreground"),
    "prlimit": _plain("-n= -p,--pid= --noheadings -v"),
    **dict.fromkeys(("linux32", "linux64"), _plain("-R,--addr-no-randomize")),
    "setarch": _plain("-R,--addr-no-randomize -v,--verbose", "data command"),
    "numactl": _plain("-i,--interleave= -m,--membind= -N,--cpunodebind= -C,--physcpubind= -l,--localalloc -p,--preferred="),
    "choom": _plain("-n,--adjust= -p,--pid="),
    "systemd-inhibit": _plain("--what= --who= --why= --mode= --list"),
    "chronic": _plain("-v -e"),
    "ifne": _plain("-n"),
    "sshpass": _plain("-p= -f= -d= -e -P= -v"),
    "autossh": Program(does=autossh),
    "bwrap": Program(does=sandboxed),
    "gosu": _plain("", "data command"),
    "su-exec": _plain("", "data command"),
    "tini": _plain("-s -g -v -p= -w -l -e="),
    "dumb-init": _plain("-c,--single-child -r,--rewrite= -v,--verbose"),
    "ssh-agent": _plain("-a= -c -D -d -k -s -t= -E= -O= -P="),
    "dbus-launch": _plain("--sh-syntax --csh-syntax --auto-syntax --exit-with-session --autolaunch= --config-file="),
    "setpriv": _plain(
        "-d,--dump --reuid= --regid= --clear-groups --keep-groups --init-groups --groups= --inh-caps= --no-new-privs"
    ),
    "perf": runs(
        "stat|record|trace|mem record|c2c record|sched record|lock record|kvm stat record",
        "-e,--event= -o,--output= -r,--repeat= -p,--pid= -t,--tid= -a,--all-cpus -C,--cpu= -g --call-graph= -F,--freq= -c,--count= -d,--detailed"
        " -v,--verbose -x,--field-separator= -I,--interval-print= -n,--null -B,--big-num -A,--no-aggr -S,--sync -i,--no-inherit -s,--summary",
    ),
    "rtk": _plain("-v,--verbose -u,--ultra-compact"),
    "aws-vault": runs(
        _EXEC, "--no-session -d,--duration= -s,--server --ec2-server --ecs-server --region= --prompt= --backend=", skipped=1
    ),
    "java": Program(does=jar),
    "op": runs(
        "run",
        "--env-file= --no-masking --account= --environment=",
        _deletes(
            "item|document|vault|user|group|service-account delete; connect server|token|vault delete|revoke; vault|group user|group revoke",
            "--archive",
        ),
    ),
    "doppler": runs(
        "run",
        "-p,--project= -c,--config= -t,--token= --command= --mount= --fallback= --scope= --preserve-env --silent",
        _deletes(
            "secrets|projects|environments|configs|groups delete; configs tokens revoke; service-tokens revoke; secrets upload",
            "-y,--yes",
        ),
    ),
    "infisical": runs(
        "run",
        "--env= --path= --projectId= --token= --command= --watch",
        _deletes("secrets delete; secrets folders delete", "--type="),
    ),
    "chamber": runs(
        _EXEC,
        "--pristine --strict --strict-value= -b,--backend= -r,--retries= -v,--verbose",
        _deletes("delete"),
        skipped=1,
    ),
    "envchain": _plain("-s -l -d", "data command"),
    "sops": Program(does=_in_environment),
    **dict.fromkeys(("nix-shell", "nix"), Program(does=nix)),
    **dict.fromkeys(("pyenv", "rbenv"), runs(_EXEC, "")),
    "volta": runs("run", "--node= --npm= --yarn= --bundled-npm --no-yarn --verbose --quiet"),
    "fnm": runs(_EXEC, "--using= --using-file --fnm-dir= --log-level= --arch="),
    "pixi": runs(
        "run", "-e,--environment= --manifest-path= --frozen --locked -x,--executable --clean-env -v,--verbose -q,--quiet"
    ),
    "devbox": runs("run", "-c,--config= -e,--env= --env-file= --pure -q,--quiet -l,--list"),
}
