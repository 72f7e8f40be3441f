"""Reads what a stack file declares, with AWS's answers to the program's look-ups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pulumi
from botocore.exceptions import ClientError  # pyright: ignore[reportMissingTypeStubs]

from frugal_eks.errors import CommandError
from frugal_eks.inputs import StackFile
from frugal_eks.plans.cost.errors import CostError
from frugal_eks.plans.cost.program import Program
from frugal_eks.plans.cost.stacks import Stack as Declared
from frugal_eks.plans.cost.stacks import read_stack
from frugal_eks.preflight.account import Account, MissingRightError, NotReadError, code_of
from frugal_eks.preflight.findings import Finding, fails, unknown, unread
from rehearsal.aws.provider import account as provider
from rehearsal.aws.provider.data_sources import DATA_SOURCES, answer
from rehearsal.aws.provider.source import NoAnswer
from rehearsal.recording import account_of
from rehearsal.recording.account import Answers, caller_of
from stack_config import StackConfig
from stack_config.check import model, report

CHECK = "program"
CALLER = "aws:index/getCallerIdentity:getCallerIdentity"
HOSTED_ZONE = "aws:route53/getZone:getZone"
PARAMETERS = "aws:ssm/getParametersByPath:getParametersByPath"
IMAGES = "aws:ec2/getAmiIds:getAmiIds"
KEY = "aws:kms/getKey:getKey"
_LISTS = {PARAMETERS: "names", IMAGES: "ids"}
"""Key of the list in an answer whose emptiness the program would refuse."""
_LINES_OF_THEIR_OWN = (HOSTED_ZONE, PARAMETERS, KEY)
"""Look-ups with a check of their own: the program gets an answer as if everything existed."""


@dataclass(frozen=True)
class LookUp:
    """A look-up of the program in AWS."""

    token: str
    """Token of the data source, such as aws:route53/getZone:getZone."""
    query: Mapping[str, Any]
    problem: str = ""
    """Why the program would refuse AWS's answer, in the words of AWS's provider."""


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A stack file with its resources on this account."""

    name: str
    config: StackConfig
    program: Program
    """Resources with the account's own zones, subnets and clusters; empty if the program refuses
    the file.
    """
    adopted: frozenset[str] = frozenset()
    """URNs of the resources that the program imports, since they exist already."""
    look_ups: Sequence[LookUp] = ()
    findings: Sequence[Finding] = ()
    """Findings of running the program."""


def config_of(file: StackFile) -> StackConfig:
    """Configuration of a stack file. Raises CommandError with all its mistakes."""
    parsed = model(file.text)
    if isinstance(parsed, StackConfig):
        return parsed
    raise CommandError("\n".join(report(file.file, file.text)))


def read(file: StackFile, config: StackConfig, account: Account) -> Stack:
    """Runs the program against this account: AWS itself answers its look-ups.
    What AWS lacks becomes a finding, and the program continues as if it existed.
    """
    recorder = _Recorder(account, config)
    try:
        declared = read_stack(file, recorder.answers())
    except (CostError, NoAnswer, provider.AwsError) as refused:
        # What AWS did not tell was made up, and may be all that the program refuses.
        finding = unknown if recorder.findings else fails
        remedy = "grant the rights above" if recorder.findings else "do what the program says"
        recorder.findings.append(finding(CHECK, _words(refused), remedy))
        try:
            made_up: Answers = {**account_of(config.region), CALLER: recorder.caller}
            declared = read_stack(file, made_up)
        except (CostError, LookupError):
            declared = Declared((), config.region)
    return Stack(
        name=file.stack,
        config=config,
        program=Program(declared.resources),
        adopted=declared.adopted,
        look_ups=recorder.look_ups,
        findings=recorder.findings,
    )


def _words(refused: BaseException) -> str:
    """The program's own message, also if Pulumi hides it behind the failed look-up."""
    cause: BaseException | None = refused
    while cause is not None:
        if isinstance(cause, pulumi.RunError):
            return str(cause)
        cause = cause.__context__
    return str(refused)


@dataclass
class _Recorder:
    """Answers the program's look-ups and records them."""

    account: Account
    config: StackConfig
    look_ups: list[LookUp] = field(default_factory=list[LookUp])
    findings: list[Finding] = field(default_factory=list[Finding])
    provider: "_Provider" = field(init=False)

    def __post_init__(self) -> None:
        self.provider = _Provider(self.account)

    def answers(self) -> Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """Answer functions by the token of each data source."""
        tokens = {*DATA_SOURCES, *account_of()}
        return {token: partial(self._answer, token) for token in tokens} | {CALLER: self.caller}

    def caller(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """An administrator as the caller: preflight's own caller has a check of its own."""
        admins = getattr(self.config.cluster, "admins", ())
        of_here = [admin for admin in admins if f":{self.account.id}:" in admin]
        partition = self.account.partition
        anyone = f"arn:{partition}:iam::{self.account.id}:role/administrator"
        return {**caller_of(next(iter([*of_here, *admins, anyone]))), "accountId": self.account.id}

    def _answer(self, token: str, query: dict[str, Any]) -> dict[str, Any]:
        made_up = account_of(self.config.region).get(token)
        problem = ""
        try:
            reply = answer(token, query, self.provider)
            if not _LISTS.get(token) or reply[_LISTS[token]]:
                self.look_ups.append(LookUp(token, query))
                return made_up(query) if made_up and token in _LINES_OF_THEIR_OWN else reply
            problem = "AWS has none"
        except MissingRightError as error:
            self.findings.append(unread(f"{CHECK}: {token.rpartition(':')[2]}", *error.actions))
            if made_up is None:
                raise
            return made_up(query)
        except (NoAnswer, provider.AwsError) as error:
            if token not in _LINES_OF_THEIR_OWN or made_up is None:
                raise
            problem = str(error)
        self.look_ups.append(LookUp(token, query, problem))
        return made_up(query) if made_up else {}


class _Provider(provider.Account):
    """AWS provider's data sources on the real account."""

    def __init__(self, account: Account) -> None:
        super().__init__(account.region, {})
        self.real = account

    def client(self, service: str) -> Any:
        return self.real.client(service)

    def request(self, service: str, operation: str, parameters: Mapping[str, Any]) -> Any:
        """Sends a request. Raises MissingRightError, or AwsError as the provider would."""
        client = self.real.client(service)
        by_api_name = {api: method for method, api in client.meta.method_to_api_mapping.items()}
        try:
            return self.real.ask(service, by_api_name[operation], **parameters)
        except ClientError as error:
            raise provider.AwsError(code_of(error), f"{error} ({operation})") from error
        except MissingRightError:
            raise
        except NotReadError as error:
            raise provider.AwsError("NotRead", f"{error} ({operation})") from error
