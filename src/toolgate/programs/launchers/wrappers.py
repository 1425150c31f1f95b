"""Programs that run the rest of their argv in another environment: another line editor, network, clock, key ring or runtime."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.conventions import guess_writes
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier
from toolgate.programs.argv.subcommands import program_of_forms
from toolgate.programs.interpreters.script_interpreters import run_script_file
from toolgate.programs.packages.project_environments import environment_runner


def _simple_wrapper(options: str = "", operands: str = "command") -> Program:
    return Program(Flags(f"{options} --help --version"), operands)


def nix(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`nix-shell --run CODE`, `nix develop -c COMMAND...`."""
    options = Flags(
        "-p,--packages --run= --command= -A= -I= --arg= --argstr= --pure --impure -i= -E= --keep= -h,--help --version"
    ).parse(argv)
    for code in options.values_of("--run", "--command"):
        yield Interpret("shell", code, context.origin, via=make_carrier(argv, "--run"))
    marks = [n for n, word in enumerate(argv) if word.text in ("-c", "--command")]
    if marks and argv[0].tail.endswith("nix"):
        yield Run(argv[marks[0] + 1 :], context.origin, make_carrier(argv, "-c"))


def _deletion_forms(forms: str, options: str = "") -> Program:
    """Returns the forms that delete secrets, for a program that is called without its verb to run something."""
    return program_of_forms({"cloud.delete": forms}, options)


_SOPS = program_of_forms({}, "-d,--decrypt -i,--in-place --input-type= --output-type= --extract= -e,--encrypt --output=")


def _sops(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`sops exec-env FILE CODE`, `sops exec-file FILE 'CODE {}'`: what the code prints is printed."""
    if len(argv) > 3 and argv[1].text in ("exec-env", "exec-file"):
        yield Interpret("shell", argv[-1], context.origin, via=make_carrier(argv, argv[1].text))
        yield PrintedOutput(context.unknown_output("sops"))
    else:
        yield from _SOPS.effects_of_call(argv, context)


def jar(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`java -jar tools/bfg-1.14.jar ...`: the program has the name of its archive. `java Main.java` runs a source, and `java Main`
    what this call compiled."""
    at = next((n for n, word in enumerate(argv) if word.text == "-jar"), 0)
    name = _JAR.match(argv[at + 1].file_name) if at and at + 1 < len(argv) else None
    if name is not None:
        yield Run((known_word(name[1], argv[at + 1].src), *argv[at + 2 :]), context.origin, Carrier("java", "-jar"), sure=None)
    else:
        yield from _run_java_source(argv, context)
        yield from guess_writes(argv, context)


_JAVA = Flags(
    "-cp,-classpath,--class-path= -p,--module-path= --add-modules= --source= --add-opens= --add-exports= --add-reads= --upgrade-module-path="
    " --enable-native-access= --limit-modules="
)


def _run_java_source(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    operands = argv[_JAVA.parse(argv, stop=True).rest :]
    main = next(iter(operands), None)
    if main is None or main.text is None:
        return
    if main.text.endswith(".java"):
        yield from run_script_file("jvm", main, operands, context)
    elif any(text.src for text in context.read_followed_code(known_word(f"{main.text.replace('.', '/')}.java"))):
        yield from run_script_file("jvm", known_word(f"{main.text.replace('.', '/')}.java"), operands, context)


def autossh(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """autossh runs ssh and monitors the connection; `-M` sets its port."""
    words = [word for before, word in pairwise(argv) if word.starts_with("-M") is not True and before.text != "-M"]
    yield Run((known_word("ssh"), *words), context.origin, Carrier("autossh"))


def bwrap(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """bwrap binds folders of this machine. Its command begins at the first word that names a program."""
    from toolgate.programs import find_row

    command = next(
        (n for n, word in enumerate(argv) if n and word.text and find_row(word.text.rpartition("/")[2]) is not None), 0
    )
    if command:
        yield Run(argv[command:], context.origin, Carrier("bwrap"))


_JAR = re.compile(r"([A-Za-z_][\w-]*?)(?:-(?:cli-)?\d[\w.-]*|-all|-standalone)*\.jar$")
_EXEC = "exec"


def setarch(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """setarch: the architecture before the options may be left out."""
    is_named = len(argv) > 1 and argv[1].starts_with("-") is not True
    yield from _SETARCH.effects_of_call((argv[0], *argv[2:]) if is_named else argv, context)


_SETARCH = _simple_wrapper(
    "-B,--32bit -F,--fdpic-funcptrs -I,--short-inode -L,--addr-compat-layout -R,--addr-no-randomize -S,--whole-seconds"
    " -T,--sticky-timeouts -X,--read-implies-exec -Z,--mmap-page-zero -3,--3gb --4gb -v,--verbose"
)

ROWS: dict[str, Program] = {
    "rlwrap": _simple_wrapper(
        "-a -A -b= -c -C= -D= -f= -g= -H= -i -I -l= -m -n -N -o -O= -p -P= -q= -r -R -s= -S= -t= -T -U -v -w= -W -z="
    ),
    **dict.fromkeys(("proxychains", "proxychains4"), _simple_wrapper("-q -f=")),
    **dict.fromkeys(("torsocks", "torify"), _simple_wrapper("-u,--user= -p,--pass= -i,--isolate -a,--address= -P,--port= -d -q")),
    "firejail": _simple_wrapper(),
    "eatmydata": _simple_wrapper(),
    "faketime": _simple_wrapper("-m -p= -f", "data command"),
    "cpulimit": _simple_wrapper("-l,--limit= -i,--include-children -z,--lazy -b -f,--foreground"),
    "prlimit": _simple_wrapper("-n= -p,--pid= --noheadings -v"),
    **dict.fromkeys(("linux32", "linux64"), _simple_wrapper("-R,--addr-no-randomize")),
    "setarch": Program(does=setarch),
    "numactl": _simple_wrapper(
        "-i,--interleave= -m,--membind= -N,--cpunodebind= -C,--physcpubind= -l,--localalloc -p,--preferred="
    ),
    "choom": _simple_wrapper("-n,--adjust= -p,--pid="),
    "systemd-inhibit": _simple_wrapper("--what= --who= --why= --mode= --list"),
    "chronic": _simple_wrapper("-v -e"),
    "ifne": _simple_wrapper("-n"),
    "sshpass": _simple_wrapper("-p= -f= -d= -e -P= -v"),
    "autossh": Program(does=autossh),
    "bwrap": Program(does=bwrap),
    "gosu": _simple_wrapper("", "data command"),
    "su-exec": _simple_wrapper("", "data command"),
    "tini": _simple_wrapper("-s -g -v -p= -w -l -e="),
    "dumb-init": _simple_wrapper("-c,--single-child -r,--rewrite= -v,--verbose"),
    "ssh-agent": _simple_wrapper("-a= -c -D -d -k -s -t= -E= -O= -P="),
    "dbus-launch": _simple_wrapper("--sh-syntax --csh-syntax --auto-syntax --exit-with-session --autolaunch= --config-file="),
    "setpriv": _simple_wrapper(
        "-d,--dump --reuid= --regid= --clear-groups --keep-groups --init-groups --groups= --inh-caps= --no-new-privs"
    ),
    "perf": environment_runner(
        "stat|record|trace|mem record|c2c record|sched record|lock record|kvm stat record",
        "-e,--event= -o,--output= -r,--repeat= -p,--pid= -t,--tid= -a,--all-cpus -C,--cpu= -g --call-graph= -F,--freq= -c,--count= -d,--detailed"
        " -v,--verbose -x,--field-separator= -I,--interval-print= -n,--null -B,--big-num -A,--no-aggr -S,--sync -i,--no-inherit -s,--summary",
    ),
    "dagger": environment_runner(
        "run", "-m,--mod= -q,--quiet -v,--verbose -s,--silent -d,--debug -i,--interactive --progress= --cloud --focus"
    ),
    "asciinema": Program(
        Flags(
            "-c,--command=code -i,--idle-time-limit= -t,--title= -e,--env= --stdin -q,--quiet -y,--yes --append --overwrite --raw"
        ),
        "data write",
    ),
    "rtk": _simple_wrapper("-v,--verbose -u,--ultra-compact"),
    "aws-vault": environment_runner(
        _EXEC, "--no-session -d,--duration= -s,--server --ec2-server --ecs-server --region= --prompt= --backend=", skipped=1
    ),
    "java": Program(does=jar),
    "op": environment_runner(
        "run",
        "--env-file= --no-masking --account= --environment=",
        _deletion_forms(
            "item|document|vault|user|group|service-account delete; connect server|token|vault delete|revoke; vault|group user|group revoke",
            "--archive",
        ),
    ),
    "doppler": environment_runner(
        "run",
        "-p,--project= -c,--config= -t,--token= --command= --mount= --fallback= --scope= --preserve-env --silent",
        _deletion_forms(
            "secrets|projects|environments|configs|groups delete; configs tokens revoke; service-tokens revoke; secrets upload",
            "-y,--yes",
        ),
    ),
    "railway": environment_runner(
        "run",
        "-s,--service= -e,--environment= -p,--project=",
        _deletion_forms(
            "down; delete; volume|service|environment|project|variable|variables|domain delete|remove|rm",
            "-s,--service= -e,--environment= -y,--yes",
        ),
    ),
    "infisical": environment_runner(
        "run",
        "--env= --path= --projectId= --token= --command= --watch",
        _deletion_forms("secrets delete; secrets folders delete", "--type="),
    ),
    "chamber": environment_runner(
        _EXEC,
        "--pristine --strict --strict-value= -b,--backend= -r,--retries= -v,--verbose",
        _deletion_forms("delete"),
        skipped=1,
    ),
    "envchain": _simple_wrapper("-s -l -d", "data command"),
    "sops": Program(does=_sops),
    **dict.fromkeys(("nix-shell", "nix"), Program(does=nix)),
    **dict.fromkeys(("pyenv", "rbenv"), environment_runner(_EXEC, "")),
    "volta": environment_runner("run", "--node= --npm= --yarn= --bundled-npm --no-yarn --verbose --quiet"),
    "fnm": environment_runner(_EXEC, "--using= --using-file --fnm-dir= --log-level= --arch="),
    "pixi": environment_runner(
        "run", "-e,--environment= --manifest-path= --frozen --locked -x,--executable --clean-env -v,--verbose -q,--quiet"
    ),
    "devbox": environment_runner("run", "-c,--config= -e,--env= --env-file= --pure -q,--quiet -l,--list"),
}
