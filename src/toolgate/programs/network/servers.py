"""Servers for web, mail, names and data, whose own command stops them or deletes their data."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms, program_of_forms


def server_program(
    stops: str, options: str = "", *, loses: str = "", operation: str = "database.delete", named: str = ""
) -> Program:
    """`stops`: forms that stop the server; `loses`: forms that delete its data. `named`: the service."""
    every = parse_forms({"service.control": stops, operation: loses})
    flags = build_flags(options, every)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        if parsed_options.has_flag("--help", "--version") is not True:
            for form, target in match_forms(every, parsed_options, len(flags.parse(argv, stop=True).strange)):
                if form.operation == "service.control":
                    service = known_word(named or program_name(argv))
                    yield Operation(form.operation, context.origin, service, (("stop", True), ("user", False)))
                else:
                    yield Operation(form.operation, context.origin, target, (("disposable", False),))
                break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_APACHE = server_program("stop|graceful-stop; -k=stop|-k=graceful-stop", "-k= -f= -d= -D= -c= -C= -e= -t -S -M -v -V")
_SERVER_OPTIONS = "-c= -p= -s= -t -T -q -g= -e="
_NSUPDATE_OPTIONS = Flags("-d -D -L= -g -k=read -l -o -p= -P -r= -R= -t= -T -u= -v -V -y= -4 -6 -h,--help")


def nsupdate(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """nsupdate reads a small language from standard input: `update delete NAME`."""
    options = _NSUPDATE_OPTIONS.parse(argv)
    if options.has_flag("-V", "--help") is True:
        return
    code = context.stdin if not options.operands else context.read(options.operands[0])
    for line in code.split_lines():
        words = [word.lower() for word in line.outline.split()]
        if words[:2] == ["update", "delete"] or words[:1] in (["del"], ["delete"]):
            yield Operation("cloud.delete", context.origin, line, (("dry_run", False),))
            break
    yield PrintedOutput(context.unknown_output("nsupdate"))


def haproxy(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """haproxy: `-sf`, `-st` end the processes named after it, while a new one takes over; with `-D` alone, too."""
    texts = [word.text for word in argv[1:]]
    if "-st" in texts or ("-sf" in texts and "-f" not in texts):
        yield Operation("service.control", context.origin, known_word("haproxy"), (("stop", True), ("user", False)))
    yield PrintedOutput(context.unknown_output("haproxy"))


_DNS_DELETIONS = {
    "cloud.delete": "delete-zone|delete-rrset|clear-zone|unset-meta|remove-zone-key|deactivate-zone-key|delete-tsig-key"
}


def ldapmodify(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ldapmodify takes changes from a file or from standard input: `changetype: delete` deletes an entry."""
    files = [file for option, file in pairwise(argv) if option.text == "-f"]
    yield from (Read(context.resolve_place(file), context.origin) for file in files)
    for text in (context.read(file) for file in files) if files else (context.stdin,):
        if text.contains("changetype: delete") is True:
            yield Operation(
                "cloud.delete",
                context.origin,
                known_word("entries of a directory"),
                (("dry_run", any(word.text == "-n" for word in argv)),),
            )


ROWS: dict[str, Program] = {
    "nginx": server_program("-s=stop|-s=quit", _SERVER_OPTIONS),
    **dict.fromkeys(("apachectl", "apache2ctl", "httpd", "apache2"), _APACHE),
    "haproxy": Program(does=haproxy),
    "varnishadm": server_program("stop", "-n= -S= -T= -t="),
    "squid": server_program("-k=shutdown|-k=kill|-k=interrupt", "-k= -f= -n="),
    "rabbitmqctl": server_program(
        "stop_app|stop|shutdown",
        "-n,--node= -p,--vhost= -q,--quiet -t,--timeout= --if-empty --if-unused",
        loses="reset|force_reset|delete_vhost|delete_queue|purge_queue|delete_user|clear_permissions|forget_cluster_node",
        operation="database.drop",
    ),
    "postfix": server_program("stop|abort", "-c= -D -v"),
    "dovecot": server_program("stop", "-c="),
    "doveadm": server_program("stop", "-u= -A -F= -o= -c= -v -D", loses="expunge **; mailbox delete; user delete"),
    "postsuper": server_program("", "-d= -h= -H= -r= -c= -p -s -v -S", loses="-d"),
    **dict.fromkeys(("exim", "exim4"), server_program("", "-Mrm -Mg -bp -bpc -bt -bV -v -d -f= -C=", loses="-Mrm; -Mg")),
    "rndc": server_program("stop|halt", "-c= -s= -p= -k= -y= -V -q", loses="delzone", operation="cloud.delete"),
    "pdnsutil": program_of_forms(_DNS_DELETIONS, "--config-dir= --config-name= -v"),
    "unbound-control": server_program("stop", "-c= -s= -q"),
    "nsupdate": Program(does=nsupdate),
    "knotc": server_program("stop", "-c= -C= -s= -f,--force", loses="zone-purge; zone-unset", operation="cloud.delete"),
    "dnscontrol": program_of_forms({"cloud.delete": "push"}, "--config= --creds= --domains= --providers= -i", dry="--dry-run"),
    "octodns-sync": program_of_forms({"cloud.delete": "--doit"}, "--config-file= --doit --force", dry="--dry-run"),
    "pg_resetwal": program_of_forms(
        {"database.drop": "*; -f; --pgdata"}, "-D,--pgdata= -f,--force -l= -x= -o= -m= -O= -e= -c=", dry="-n,--dry-run"
    ),
    "lpadmin": server_program("", "-x= -p= -d= -E -v= -m=", loses="-x"),
    "cancel": server_program("", "-a -u= -h= -x", loses="-a"),
    "ldapmodify": Program(does=ldapmodify),
    "ldapdelete": server_program("", "-x -D= -w= -H= -h= -p= -r -f= -y= -W -M -v -c -n", loses="*; -f", operation="cloud.delete"),
    "samba-tool": program_of_forms(
        {
            "account.change": "user|group|computer|ou|gpo|dns|domain delete|del|demote|disable; user create|add|setpassword; group addmembers"
        },
        "-H= -U= --username= --password=",
    ),
}
