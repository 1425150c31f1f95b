"""Programs that send mail: the recipients' servers receive the text and the attachments."""

import re
from collections.abc import Callable, Iterator

from toolgate.flows.mailing_lists import names_list_of_people
from toolgate.model.address import is_loopback
from toolgate.model.effect import Connect, Operation, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program

_MAIL = Flags(
    "-a,--attach= -A,--attach-file= -b,--bcc= -c,--cc= -e -E -F -f= -H -i -I -n -N -q= -r,--return-address= -s,--subject= -S= -t,--to -u= -v -V"
    " -M= -R= -X= -C= --content-type= --content-name= --encoding="
)
_MUTT = Flags(
    "-a,--attach= -b,--bcc= -c,--cc= -D -d= -e= -E -f=read -F=read -H=read -i,--include= -m= -n -p -Q= -R -s= -v -x -y -z -Z -G -l= -h -V,--version --help"
)
_SENDMAIL = Flags(
    "-t -i -oi -f= -F= -r= -v -bs -bp -bi -q=? -O= -N= -R= -V= -a,--account= -C,--file=read -X= --host= --from= --read-recipients"
)
_SWAKS = Flags(
    "-t,--to= --cc= --bcc= -f,--from= -s,--server= -p,--port= --attach= --body= --header= --h-Subject= --data= -au,--auth-user= -ap,--auth-password="
    " -a,--auth=? -tls,--tls --protocol= --attach-name= --attach-type= --attach-body= -S,--silent=? -n -q,--quit-after="
)
_SEND_EMAIL = Flags("-f= -t,--to= -cc,--cc= -bcc,--bcc= -u= -m= -s= -a,--attach= -xu= -xp= -o= -l= -v -q")
_MPACK = Flags("-s= -d= -c= -m= -o= -a")
_RECIPIENT_HEADER = re.compile(r"^(?:to|cc|bcc):[ \t]*([^\n]*@[^\n]*)", re.IGNORECASE | re.MULTILINE)
_RECIPIENT_OPTIONS = ("--to", "--cc", "--bcc")
_FILE_OPTIONS = ("--attach", "--attach-file", "--attach-body", "--include")


def mail_client(flags: Flags, list_files: Callable[[ParsedOptions, list[Word]], list[Word]]) -> Program:
    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        recipients = [word for word in (*options.operands, *options.values_of(*_RECIPIENT_OPTIONS)) if word.contains("@") is True]
        files = list_files(options, recipients)
        settings = [value for option, value in options.values if flags.roles.get(option) == "read"]
        yield from (Read(context.resolve_place(file), context.origin) for file in (*files, *settings))
        servers = list(options.values_of("--server"))
        is_caught = bool(servers) and all(is_loopback(server.outline.partition(":")[0]) for server in servers)  # a mail catcher
        sent = join_words([context.stdin, *map(context.read, files)], "\n")
        for recipient in recipients or map(known_word, _RECIPIENT_HEADER.findall(context.stdin.outline)):
            yield Connect(recipient, context.origin, sends=sent)
            if names_list_of_people(recipient.outline.strip()) and not is_caught:
                yield Operation("tool.act", context.origin, known_word("mail to ") + recipient, (("sends", True),))

    return Program(does=report_effects)


def _list_attachments(options: ParsedOptions, _recipients: list[Word]) -> list[Word]:
    """Returns the attached files. Some programs take a header by the same option."""
    files = (word for word in options.values_of(*_FILE_OPTIONS) if word.contains(":") is not True)
    return [word.drop_first(1) if word.starts_with("@") is True else word for word in files]


def _list_following_attachments(options: ParsedOptions, recipients: list[Word]) -> list[Word]:
    """Returns the attached files of `mutt -a FILE FILE -- RECIPIENT`."""
    first = _list_attachments(options, recipients)
    return first + (_list_operands(options, recipients) if first else [])


def _list_operands(options: ParsedOptions, recipients: list[Word]) -> list[Word]:
    return [word for word in options.operands if word not in recipients]


ROWS: dict[str, Program] = {
    **dict.fromkeys(("mail", "mailx", "s-nail"), mail_client(_MAIL, _list_attachments)),
    **dict.fromkeys(("mutt", "neomutt"), mail_client(_MUTT, _list_following_attachments)),
    **dict.fromkeys(("sendmail", "msmtp", "ssmtp"), mail_client(_SENDMAIL, _list_attachments)),
    "swaks": mail_client(_SWAKS, _list_attachments),
    **dict.fromkeys(("sendEmail", "sendemail"), mail_client(_SEND_EMAIL, _list_attachments)),
    "mpack": mail_client(_MPACK, _list_operands),
}
