"""What a program does at services: requests to delete something, calls of providers' and Kubernetes' libraries, mails to each
item of a list. Only literal addresses and names of calls count."""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.languages.evaluation.shared_results import kebab_case
from toolgate.locality import is_local_context
from toolgate.model.address import all_lead_here, is_loopback
from toolgate.model.effect import Carrier, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

from .texts import find_end_of_body

_URL = r"\"(?P<url>https?://[^\"\s]+)\""
_WRAPPED = r"(?:(?:new\s+)?(?:URI|Uri|URL|java\.net\.URI)(?:\.create|\.parse|::parse)?\s*\(\s*)?"
_DELETING_REQUEST = re.compile(
    r"(?:\.(?:delete|deleteAsync|DeleteAsync|DeleteFromJsonAsync)"
    rf"|\bureq::delete|\b(?:httr::)?DELETE|\bhttp\.delete)\s*\(\s*{_WRAPPED}{_URL}"
    rf"|(?:Method::DELETE|(?:Http)?Method\.(?:DELETE|Delete))\s*,\s*{_WRAPPED}{_URL.replace('url', 'second')}"
    rf"|\.exchange\s*\(\s*{_URL.replace('url', 'third')}\s*,\s*HttpMethod\.DELETE"
)
_BUILT_REQUEST = re.compile(
    rf"(?:HttpRequest\.newBuilder\s*\(|newBuilder\s*\(\s*\)\s*\.uri\s*\(|\.url\s*\(|\brequest\s*\(|\.uri\s*\(|URLRequest\s*\(\s*url:\s*|openConnection|\bURL\s*\()\s*{_WRAPPED}{_URL}"
)
_DELETING_METHOD = re.compile(
    r"\.DELETE\s*\(\s*\)|\.delete\s*\(\s*(?:\w+\s*)?\)|\.method\s*\(\s*\"DELETE\"|setRequestMethod\s*\(\s*\"DELETE\"|requestMethod\s*=\s*\"DELETE\""
    r"|\bmethod\s*=\s*HttpMethod\.Delete|httpMethod\s*=\s*\"DELETE\"|\breq_method\s*\(\s*\"DELETE\"|Method\.DELETE\b"
)
_BASE_ADDRESS = re.compile(rf"(?:BaseAddress\s*=\s*|\.baseUrl\s*\(\s*|\.rootUri\s*\(\s*|\bbaseURL\s*=\s*){_WRAPPED}{_URL}")
_RELATIVE_DELETION = re.compile(r"\.(?:DeleteAsync|delete\s*\(\s*\)\s*\.\s*uri)\s*\(\s*\$?\"(?P<path>(?!https?:)[^\"]*)\"")
_REACH = 400
_LIBRARIES_OF_AMAZON = re.compile(
    r"\bsoftware\.amazon\.awssdk\.services\.(\w+)|\bcom\.amazonaws\.services\.(\w+)|\bAmazon\.(?!Runtime|Util)(\w+)\s*;|\baws_sdk_(\w+)|\baws\.sdk\.kotlin\.services\.(\w+)|\bpaws(?:::|\()(\w+)?"
)
_METHOD = re.compile(r"(?<=\.)([a-zA-Z]\w+?)(?:Async|Paginator)?\s*\(|(?<=\.)(\w+)\s*\{")
_CHANGING = re.compile(
    r"(?:delete|terminate|purge|deregister|modify|stop|reboot|disable)-[a-z]|put-(?:bucket-(?:policy|acl)|object-acl|key-policy|resource-policy)|authorize-security-group|schedule-key-deletion"
    r"|(?:attach|put)-(?:user|role|group)-policy|create-access-key|add-user-to-group|delete$"
)
_CANNED_ACCESS = re.compile(r"Canned(?:ACL|Acl|AccessControlList)\s*(?:\.|::)\s*(?:PUBLIC_?READ|Public_?Read)\w*")
_SIMULATED = re.compile(
    r"\bLocalStackContainer\b|\blocalstack\b|\bS3Mock\b|\bmockito\b|\bWireMock\b|\bMockWebServer\b|\bwiremock::|\bmockall\b|\bmotoserver\b",
    re.IGNORECASE,
)
_ENDPOINT = re.compile(
    r"(?i)(?:endpoint\w*|serviceurl|service_url)\s*(?:=|\()\s*(?:Some\()?(?:\w+(?:\.|::))*\w*\(?\s*\"(https?://[^\"]+)\""
)
_KUBERNETES = re.compile(r"\bio\.fabric8\.kubernetes|\bio\.kubernetes\.client|\bk8s\b.*;|\busing k8s|\bkube::|\bk8s_openapi")
_STOPS = re.compile(
    r"\.scale\s*\(\s*0\s*[,)]|\.(?:withReplicas|setReplicas|replicas)\s*\(\s*0\s*\)|\bReplicas\s*=\s*0\b|\"replicas\\?\"\s*:\s*0\b|\breplicas:\s*Some\(0\)"
)
_DELETES_OF_CLUSTER = re.compile(
    r"\b(?:namespaces|deployments|statefulSets|persistentVolumeClaims|nodes|secrets)\(\)[^;\n]{0,200}\.delete\s*\(|\bDelete(?:Collection)?(?:Namespaced)?(?:Namespace|Deployment|StatefulSet|PersistentVolumeClaim|Node)(?:Async)?\s*\("
    r"|\bdelete(?:Collection)?(?:Namespaced)?(?:Namespace|Deployment|StatefulSet|PersistentVolumeClaim|Node)\s*\("
)
_CONTEXT = re.compile(r"(?i)(?:context\w*\s*(?:=|:|\()\s*(?:Some\()?|autoConfigure\(\s*|currentContext:\s*)\"([\w.@:/-]+)\"")
_MAILS = re.compile(
    r"\bMailKit\b|\bSystem\.Net\.Mail\b|\bSendGrid\b|(?:javax|jakarta)\.mail\b|\bJavaMailSender\b|\bsimplejavamail\b|\bcommons\.mail\b|\blettre\b|\bsendgrid\b|\bblastula\b|\bemayili\b"
    r"|\bmailR\b|\bsendmailR\b|\bgmailr\b|\bAmazon\.SimpleEmail|\bservices\.ses\b|\baws_sdk_ses|\bpostmark\b|\bPostmarkDotNet\b|\bmailgun\b|\bresend\b|\bmail_send\b|\bpackage:mailer\b|\bTwilio\b|\bcom\.twilio\b|\bFluentEmail\b"
)
_SENDS = re.compile(
    r"\b(?:smtp|client|mailer|mail|sender|emailSender|javaMailSender|mailSender|transport|Transport|sendgrid|sg|ses|sesClient|postmark|resend|SmtpMail|email)\w*(?:\(\))?[.!?]*\.?(?:send|Send|SendAsync|SendMailAsync|SendMail|SendEmailAsync|sendMail|sendEmail|sendMessage|send_message|send_email|SendMessageAsync|api)\s*\("
    r"|\b(?:smtp_send|send\.mail|sendmail|gm_send_message|smtp)\s*\(\s*(?!host|\")|\b(?:Message|MessageResource)\.(?:creator|Create|CreateAsync)\s*\("
)
_LOOP = re.compile(
    r"(?<![\w.])(?:for|foreach|while)\b[^{;\n]{0,200}(?:;[^{\n]{0,200})?(?=\{|\n\s*\{)|\.(?:for_?[eE]ach|ForEach|each|map|onEach)\s*[({]|\b(?:lapply|sapply|walk|map|pwalk|purrr::\w+)\s*\("
)
_MAIL_SERVER = re.compile(
    r"(?i)(?:\.connect(?:async)?|smtpclient|(?:smtp)?host|setHostName|relay|builder_dangerous|starttls_relay|mail\.smtp\.host\"?,?|server)\s*(?:=|\(|,|:)\s*(?:host\s*=\s*)?\"([\w.-]+)\""
)


def report_service_acts(text: str, written: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what code does at services, as the effects of commands that do the same. `written`: the code before its loops were
    unrolled."""
    if _SIMULATED.search(text):
        return
    yield from _report_requests(text, context)
    yield from _report_amazon_calls(text, context)
    yield from _report_listed_deletions(text, context)
    yield from _report_removed_resources(text, context)
    yield from _report_queue_calls(text, context)
    yield from _report_cluster_calls(text, context)
    yield from _report_mails(text, written, context)


def _report_requests(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields requests that delete what their literal addresses name."""
    for match in _DELETING_REQUEST.finditer(text):
        yield _delete_at(match["url"] or match["second"] or match["third"], context)
    for match in _BUILT_REQUEST.finditer(text):
        following = _BUILT_REQUEST.search(text, match.end())
        end = min(match.end() + _REACH, following.start() if following is not None else len(text))
        if _DELETING_METHOD.search(text, match.end(), end):
            yield _delete_at(match["url"], context)
    if (base := _BASE_ADDRESS.search(text)) is not None:
        for match in _RELATIVE_DELETION.finditer(text):
            yield _delete_at(f"{base['url'].rstrip('/')}/{match['path'].lstrip('/')}", context)


def _delete_at(url: str, context: ExecutionContext) -> Run:
    known = re.sub(r"\$?\{[^{}]*\}|\$\w+|%[sd]", "an-id", url)
    return Run(
        (known_word("curl"), known_word("-X"), known_word("DELETE"), word_from_text(known)),
        context.origin,
        Carrier("code", "DELETE"),
    )


def _report_amazon_calls(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the calls of Amazon's libraries as commands of the same name, unless an address leads to an emulator."""
    libraries = [next(filter(None, found), "") for found in _LIBRARIES_OF_AMAZON.findall(text)]
    endpoints = _ENDPOINT.findall(text)
    if not libraries or all_lead_here(endpoints) or _is_redirected(context):
        return
    service = next((each.lower() for each in libraries if each), "s3").removesuffix("v2")
    verbs = [kebab_case((found[0] or found[1]).replace("_", "-")) for found in _METHOD.findall(text)]
    for verb in dict.fromkeys(each for each in verbs if _CHANGING.match(each)):
        yield Run((known_word("aws"), known_word(service), known_word(verb)), context.origin, Carrier("code", verb))
    if _CANNED_ACCESS.search(text):
        yield Operation("tool.act", context.origin, known_word("an object for everybody"), (("opens", True),))


def _report_listed_deletions(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the deletion of everything that a loop goes through in a store of Azure or Google, unless code or settings name an
    emulator."""
    if not _STORES.search(text):
        return
    environments = [value.text for name in _ENVIRONMENTS for value in context.get_variables(name) if value.text]
    names = [*_SETTINGS, *(f"appsettings.{environment}.json" for environment in environments)]
    settings = [each.text or "" for name in names for each in context.read_alternatives(known_word(name))]
    if any(_EMULATOR.search(each) for each in (text, *settings)):
        return
    for loop in _LOOP.finditer(text):
        if _DELETES_ITEM.search(text, loop.end(), find_end_of_body(text, loop)):
            yield Operation("cloud.delete", context.origin, known_word("everything that was listed"), (("local", False),))
            return


_STORES = re.compile(
    r"\bAzure\.(?:Storage|Data|ResourceManager)\b|\bcom\.azure\.(?:storage|data|resourcemanager)|\bGoogle\.Cloud\.\w+|\bcom\.google\.cloud\.\w+"
    r"|\bazure_(?:storage|data)|\bgoogle_cloud_|\bgoogleCloudStorageR\b|\bAzureStor\b"
)
_DELETES_ITEM = re.compile(
    r"(?<!File)(?<!Files)(?<!Directory)(?<!Paths)\.[dD]elete(?:_?[A-Z]?\w*?)?(?:IfExists)?(?:Async)?\s*\(|\b(?:gcs_delete_\w+|delete_(?:blob|storage_file|blob_container))\s*\("
)
_EMULATOR = re.compile(r"UseDevelopmentStorage|127\.0\.0\.1|localhost|EMULATOR_HOST|EmulatorDetection|azurite", re.IGNORECASE)
_ENVIRONMENTS = ("DOTNET_ENVIRONMENT", "ASPNETCORE_ENVIRONMENT")
_SETTINGS = ("appsettings.json", "local.settings.json", "src/main/resources/application.properties")


def _report_removed_resources(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the deletion of a resource that the libraries of Azure's resource manager find by name."""
    if (found := _DELETES_RESOURCE.search(text)) is not None:
        yield Operation("cloud.delete", context.origin, known_word(found[0].strip(".( ")), (("local", False),))


_DELETES_RESOURCE = re.compile(
    r"\.Delete(?:Async)?\s*\(\s*(?:Azure\.)?WaitUntil\.\w+|\b(?:resourceGroups|virtualMachines|sqlServers|kubernetesClusters|storageAccounts)\(\)\s*\.(?:beginD|d)eleteBy\w+\("
)


def _report_queue_calls(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the deletion of topics, records or groups of consumers by Kafka's client, as the command that does the same."""
    servers = _BROKERS.search(text)
    deletion = _DELETES_TOPICS.search(text)
    if servers is None or deletion is None:
        return
    words = ("kafka-topics.sh", "--bootstrap-server", servers[1], "--delete", "--topic", deletion[1] or "every-topic")
    yield Run(tuple(map(known_word, words)), context.origin, Carrier("code", "deleteTopics"))


_BROKERS = re.compile(
    r"(?:\"bootstrap\.servers\"|\bBOOTSTRAP_SERVERS_CONFIG|\bBootstrapServers)\s*(?:,|to|=|->|\])\s*(?:=\s*)?\"([^\"\n]+)\""
)
_DELETES_TOPICS = re.compile(
    r"\.(?:deleteTopics|deleteRecords|deleteConsumerGroups|DeleteTopicsAsync|DeleteRecordsAsync|DeleteGroupsAsync)"
    r"\s*\(\s*[\[({]?(?:new\s*\[\]\s*\{)?\s*(?:\"([^\"\n]+)\")?"
)


def _is_redirected(context: ExecutionContext) -> bool:
    """Returns whether a variable leads Amazon's libraries to this machine."""
    return all_lead_here([value.text or "" for value in context.get_variables("AWS_ENDPOINT_URL")])


def _report_cluster_calls(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what code deletes in a cluster of Kubernetes, or stops there, unless it names a cluster of this machine."""
    if not _KUBERNETES.search(text):
        return
    contexts = _CONTEXT.findall(text)
    local = bool(contexts) and all(map(is_local_context, contexts))
    if _DELETES_OF_CLUSTER.search(text):
        facts = (("dry_run", False), ("local", local))
        yield Operation("kubernetes.delete", context.origin, known_word("an object of the cluster"), facts)
    if _STOPS.search(text):
        yield Operation("cloud.delete", context.origin, known_word("a workload"), (("stops", True), ("local", local)))


def _report_mails(text: str, written: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields mails that a loop sends through a server of another machine."""
    if not _MAILS.search(text) or not _SENDS.search(text):
        return
    servers = [each for each in _MAIL_SERVER.findall(text) if "." in each or is_loopback(each) or each in _CAPTURING_SERVERS]
    if servers and all(is_loopback(each) or each in _CAPTURING_SERVERS for each in servers):
        return
    for loop in _LOOP.finditer(written):
        if _SENDS.search(written, loop.end(), find_end_of_body(written, loop)):
            yield Operation(
                "tool.act", context.origin, known_word("code with a message for each item of a list"), (("sends", True),)
            )
            return


_CAPTURING_SERVERS = ("mailhog", "mailpit", "smtp4dev", "greenmail", "maildev", "sandbox.smtp.mailtrap.io")
