"""Configuration management of many machines: commands that run there, and deletions."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier, program_name
from toolgate.programs.argv.subcommands import program_of_forms

_DESTROY_OPERATION = "infrastructure.destroy"
_SALT = Flags(
    "-t,--timeout= -s,--static -b,--batch-size= -E,--pcre -L,--list -G,--grain -P,--grain-pcre -N,--nodegroup -R,--range -C,--compound -I,--pillar -S,--ipcidr"
    " --out,--output= -l,--log-level= -c,--config-dir= -v,--verbose --async --local -d,--doc -i,--ignore-host-keys -r,--raw --user= -h,--help --version --subset= --state-output="
)
_SALT_RUNS = ("cmd.run", "cmd.shell", "cmd.run_all", "cmd.run_stdout", "cmd.script", "cmd.exec_code", "cmd.run_bg")
_SALT_LOSSES_TEXT = """
file.remove file.delete mysql.db_remove postgres.db_remove user.delete group.delete disk.wipe zfs.destroy zpool.destroy lvm.lvremove
lvm.vgremove partition.rm docker.rm virt.purge virt.undefine mount.umount iptables.flush service.disable service.stop pkg.purge ps.pkill
ps.kill_pid system.init
"""
_SALT_DELETIONS = frozenset(_SALT_LOSSES_TEXT.split())
_SALT_POWER = ("system.reboot", "system.shutdown", "system.halt", "system.poweroff")


def add_remote_shell(program: Program, *options: str) -> Program:
    """Returns a provider's tool whose subcommand `ssh` runs the value of one of these options on a machine there."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if any(word.text == "ssh" for word in argv[1:3]):
            for option, code in pairwise(argv[1:]):
                if option.text in options:
                    site = Site(f"ssh:{program_name(argv)}")
                    yield Interpret("shell", code, context.origin, via=make_carrier(argv, "ssh"), site=site)
        yield from program.effects_of_call(argv, context)

    return Program(does=report_effects)


def salt(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`salt TARGET FUNCTION ARGUMENTS`; salt-call has no target and runs on this machine."""
    options = _SALT.parse(argv)
    here = program_name(argv).endswith("salt-call")
    words = options.operands if here else options.operands[1:]
    if options.has_flag("--help", "--version", "--doc") is True or not words:
        return
    site = context.site if here else Site(f"ssh:{options.operands[0].display_text}", "root")
    function = words[0].text or ""
    if "test=True" in [word.text for word in words]:
        yield PrintedOutput(context.unknown_output(program_name(argv)))
    elif program_name(argv).endswith("salt-ssh") and options.has_flag("--raw") is True:
        yield Interpret("shell", join_words(words), context.origin, via=Carrier("salt-ssh", "-r"), site=site)
    elif function in _SALT_RUNS and len(words) > 1:
        yield Interpret("shell", words[1], context.origin, via=make_carrier(argv, function), site=site)
    elif function in _SALT_POWER:
        yield Operation("power.off", context.origin, known_word(function))
    elif function == "file.remove" and len(words) > 1:
        yield Run((known_word("rm"), known_word("-rf"), words[1]), context.origin, make_carrier(argv, function), site)
    elif function in _SALT_DELETIONS:
        yield Operation(_DESTROY_OPERATION, context.origin, join_words(words[:2]))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_PUPPET = program_of_forms(
    {_DESTROY_OPERATION: "node purge|clean|deactivate; cert|ca clean|revoke|destroy; module uninstall; ssl clean|bootstrap"},
    "--environment= --certname= --all -f,--force",
)
_PUPPET_RESOURCE = Flags("--noop --to_yaml -e,--edit -d,--debug -v,--verbose --environment= -h,--help")
_COMMANDS_OF_TYPES = {
    "file": ("rm", "-rf"),
    "package": ("apt-get", "remove"),
    "user": ("userdel",),
    "group": ("groupdel",),
    "cron": ("crontab", "-r"),
}


def puppet(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`puppet resource TYPE NAME ensure=absent` applies the state at once."""
    options = _PUPPET_RESOURCE.parse(argv)
    texts = [word.text for word in options.operands]
    if texts[:1] == ["apply"]:
        code = next((value for name, value in pairwise(argv) if name.text in ("-e", "--execute")), None)
        if code is not None and code.contains("absent") is True and options.has_flag("--noop") is not True:
            yield Operation(_DESTROY_OPERATION, context.origin, known_word("apply -e ... absent"))
    elif texts[:1] != ["resource"]:
        yield from _PUPPET.effects_of_call(argv, context)
        return
    elif len(texts) > 3 and options.has_flag("--noop", "--help") is not True:
        command = _COMMANDS_OF_TYPES.get(texts[1] or "")
        if command and any(text in ("ensure=absent", "ensure=purged") for text in texts[3:]):
            yield Run((*map(known_word, command), options.operands[2]), context.origin, Carrier("puppet", "resource"))
        elif texts[1] == "service" and "ensure=stopped" in texts[3:]:
            yield Run(
                (known_word("systemctl"), known_word("stop"), options.operands[2]), context.origin, Carrier("puppet", "resource")
            )
    yield PrintedOutput(context.unknown_output("puppet"))


_KNIFE = program_of_forms(
    {
        _DESTROY_OPERATION: "node|client|role|environment|user|cookbook|acl|group|tag|opc|exec_status delete; data bag delete; cookbook bulk delete;"
        " node|client|role bulk delete; ec2|azure|google|vsphere|linode|digital_ocean server delete; ec2|azure|google server delete;"
        " delete **; vault delete; tag delete; node|client purge"
    },
    "-y,--yes -c,--config= -a,--all -p,--purge -z,--local-mode -E,--environment= -V",
)
_KNIFE_SSH = Flags(
    "-x,--ssh-user= -P= -i,--identity-file= -a,--attribute= -C,--concurrency= -c,--config= -m,--manual-list -G= -p= -e"
)


def knife(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`knife ssh QUERY CODE` runs code on every matching machine."""
    options = _KNIFE_SSH.parse(argv)
    if len(options.operands) > 2 and options.operands[0].text in ("ssh", "winrm"):
        yield Interpret(
            "shell",
            options.operands[2],
            context.origin,
            via=Carrier("knife", "ssh"),
            site=Site(f"ssh:{options.operands[1].display_text}"),
        )
    else:
        yield from _KNIFE.effects_of_call(argv, context)


def parallel_ssh(spec: str, hosts: str) -> Program:
    """pssh and similar run one command on many hosts. `hosts`: the options that name them."""
    flags = Flags(f"{spec} {hosts} --help")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv, stop=True)
        words = argv[options.rest :]
        if words:
            yield Interpret("shell", join_words(words), context.origin, via=make_carrier(argv), site=Site("ssh:many"))

    return Program(does=report_effects)


_MOSH = Flags(
    "-a -n -p,--port= --client= --server= --ssh= --predict= --family= --bind-server= --no-init --local --no-ssh-pty --help --version"
)


def mosh(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`mosh HOST -- COMMAND`."""
    options = _MOSH.parse(argv, stop=True)
    words = [word for word in argv[options.rest :] if word.text != "--"]
    yield from (Interpret("shell", code, context.origin, via=Carrier("mosh", "--ssh")) for code in options.values_of("--ssh"))
    if len(words) > 1:
        yield Interpret(
            "shell", join_words(words[1:]), context.origin, via=Carrier("mosh"), site=Site(f"ssh:{words[0].display_text}")
        )


ROWS: dict[str, Program] = {
    **dict.fromkeys(("salt", "salt-call", "salt-ssh"), Program(does=salt)),
    "salt-key": program_of_forms({_DESTROY_OPERATION: "-d|-D|--delete|--delete-all"}, "-d= -D --delete= --delete-all -y,--yes"),
    "salt-run": program_of_forms({_DESTROY_OPERATION: "cache.clear_all|virt.purge|jobs.exit_success"}, ""),
    "mosh": Program(does=mosh),
    "puppet": Program(does=puppet),
    "knife": Program(does=knife),
    **dict.fromkeys(
        ("pssh", "parallel-ssh"),
        parallel_ssh("-l= -p= -o= -e= -t= -O= -v -A -i,--inline --inline-stdout -x= -X= -P", "-H,--host= -h,--hosts="),
    ),
    "pdsh": parallel_ssh("-S -b -f= -l= -t= -u= -R= -q -N", "-w= -x= -a -g="),
    **dict.fromkeys(("clush", "dsh"), parallel_ssh("-b -B -l= -f= -t= -u= -o= -c -M -q -v -S -L", "-w= -x= -a -g= -X= -m=")),
}
