"""Servers for web, mail, names and data, whose own command stops them or deletes their data."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .program import Program, via
from .verbs import forms, found, tool, with_information


def served(stops: str, options: str = "", *, loses: str = "", operation: str = "database.delete", named: str = "") -> Program:
    """`stops`: forms that stop the server; `loses`: forms that delete its data. `named`: the service."""
    every = forms({"service.control": stops, operation: loses})
    flags = with_information(options, every)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        if given.flag("--help", "--version") is not True:
            for form, target in found(every, given, len(flags.read(argv, stop=True).strange)):
                if form.operation == "service.control":
                    service = known(named or via(argv))
                    yield Operation(form.operation, seen.origin, service, (("stop", True), ("user", False)))
                else:
                    yield Operation(form.operation, seen.origin, target, (("disposable", False),))
                break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


_APACHE = served("stop|graceful-stop; -k=stop|-k=graceful-stop", "-k= -f= -d= -D= -c= -C= -e= -t -S -M -v -V")
_CONTROLLED = "-c= -p= -s= -t -T -q -g= -e="
_UPDATE = Flags("-d -D -L= -g -k=read -l -o -p= -P -r= -R= -t= -T -u= -v -V -y= -4 -6 -h,--help")


def nsupdate(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """nsupdate reads a small language from standard input: `update delete NAME`."""
    given = _UPDATE.read(argv)
    if given.flag("-V", "--help") is True:
        return
    code = seen.stdin if not given.operands else seen.read(given.operands[0])
    for line in code.lines():
        words = [word.lower() for word in line.shown.split()]
        if words[:2] == ["update", "delete"] or words[:1] in (["del"], ["delete"]):
            yield Operation("cloud.delete", seen.origin, line, (("dry_run", False),))
            break
    yield Prints(seen.output("nsupdate"))


def proxy(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """haproxy: `-sf`, `-st` end the processes named after it, while a new one takes over; with `-D` alone, too."""
    texts = [word.text for word in argv[1:]]
    if "-st" in texts or ("-sf" in texts and "-f" not in texts):
        yield Operation("service.control", seen.origin, known("haproxy"), (("stop", True), ("user", False)))
    yield Prints(seen.output("haproxy"))


_RECORDS = {"cloud.delete": "delete-zone|delete-rrset|clear-zone|unset-meta|remove-zone-key|deactivate-zone-key|delete-tsig-key"}
ROWS: dict[str, Program] = {
    "nginx": served("-s=stop|-s=quit", _CONTROLLED),
    **dict.fromkeys(("apachectl", "apache2ctl", "httpd", "apache2"), _APACHE),
    "haproxy": Program(does=proxy),
    "varnishadm": served("stop", "-n= -S= -T= -t="),
    "squid": served("-k=shutdown|-k=kill|-k=interrupt", "-k= -f= -n="),
    "postfix": served("stop|abort", "-c= -D -v"),
    "dovecot": served("stop", "-c="),
    "doveadm": served("stop", "-u= -A -F= -o= -c= -v -D", loses="expunge **; mailbox delete; user delete"),
    "postsuper": served("", "-d= -h= -H= -r= -c= -p -s -v -S", loses="-d"),
    **dict.fromkeys(("exim", "exim4"), served("", "-Mrm -Mg -bp -bpc -bt -bV -v -d -f= -C=", loses="-Mrm; -Mg")),
    "rndc": served("stop|halt", "-c= -s= -p= -k= -y= -V -q", loses="delzone", operation="cloud.delete"),
    "pdnsutil": tool(_RECORDS, "--config-dir= --config-name= -v"),
    "unbound-control": served("stop", "-c= -s= -q"),
    "nsupdate": Program(does=nsupdate),
    "knotc": served("stop", "-c= -C= -s= -f,--force", loses="zone-purge; zone-unset", operation="cloud.delete"),
    "dnscontrol": tool({"cloud.delete": "push"}, "--config= --creds= --domains= --providers= -i", dry="--dry-run"),
    "octodns-sync": tool({"cloud.delete": "--doit"}, "--config-file= --doit --force", dry="--dry-run"),
    "pg_resetwal": tool(
        {"database.drop": "*; -f; --pgdata"}, "-D,--pgdata= -f,--force -l= -x= -o= -m= -O= -e= -c=", dry="-n,--dry-run"
    ),
    "lpadmin": served("", "-x= -p= -d= -E -v= -m=", loses="-x"),
    "cancel": served("", "-a -u= -h= -x", loses="-a"),
    "ldapdelete": served("", "-x -D= -w= -H= -h= -p= -r -f= -y= -W -M -v -c -n", loses="*; -f", operation="cloud.delete"),
    "samba-tool": tool(
        {"account.change": "user|group|computer|ou|gpo|dns|domain delete|del|demote|disable"}, "-H= -U= --username= --password="
    ),
}
