"""What a stack file declares: its settings, and the resources of the program with AWS's answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pulumi
from botocore.exceptions import ClientError  # pyright: ignore[reportMissingTypeStubs]

from frugal_eks.inputs import InputError, StackFile
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
"""Look-ups whose empty list is what the program would refuse."""
_LINES_OF_THEIR_OWN = (HOSTED_ZONE, PARAMETERS, KEY)
"""Look-ups that a check judges: for the program there is all that it looks for."""


@dataclass(frozen=True)
class LookUp:
    """One question of the program's to AWS."""

    token: str
    """The data source, such as aws:route53/getZone:getZone."""
    query: Mapping[str, Any]
    problem: str = ""
    """Why the program would refuse AWS's answer, in the words of AWS's provider."""


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A stack file, and what it comes to on this account."""

    name: str
    config: StackConfig
    program: Program
    """With the account's own zones, subnets and clusters; empty where the program refuses all."""
    adopted: frozenset[str] = frozenset()
    """URNs of the resources that the program takes over, since they are there already."""
    look_ups: Sequence[LookUp] = ()
    findings: Sequence[Finding] = ()
    """Of the program's run itself."""


def config_of(file: StackFile) -> StackConfig:
    """What the file says. Raises InputError with all its mistakes."""
    found = model(file.text)
    if isinstance(found, StackConfig):
        return found
    raise InputError("\n".join(report(file.file, file.text)))


def read(file: StackFile, config: StackConfig, account: Account) -> Stack:
    """Runs the program against this account: AWS itself replies to each of its look-ups.

    What AWS lacks becomes a finding, and the program goes on as if it were there.
    """
    asked = _Asked(account, config)
    try:
        declared = read_stack(file, asked.answers())
    except (CostError, NoAnswer, provider.AwsError) as refused:
        # What AWS did not tell was made up, and may be all that the program refuses.
        told = unknown if asked.findings else fails
        remedy = "grant the rights above" if asked.findings else "do what the program says"
        asked.findings.append(told(CHECK, _words(refused), remedy))
        try:
            made_up: Answers = {**account_of(config.region), CALLER: asked.caller}
            declared = read_stack(file, made_up)
        except (CostError, LookupError):
            declared = Declared((), config.region)
    return Stack(
        name=file.stack,
        config=config,
        program=Program(declared.resources),
        adopted=declared.adopted,
        look_ups=asked.look_ups,
        findings=asked.findings,
    )


def _words(refused: BaseException) -> str:
    """The program's own words, also where Pulumi hides them behind the look-up that failed."""
    found: BaseException | None = refused
    while found is not None:
        if isinstance(found, pulumi.RunError):
            return str(found)
        found = found.__context__
    return str(refused)


@dataclass
class _Asked:
    """Replies to the program, and keeps what it asked."""

    account: Account
    config: StackConfig
    look_ups: list[LookUp] = field(default_factory=list[LookUp])
    findings: list[Finding] = field(default_factory=list[Finding])
    provider: "_Provider" = field(init=False)

    def __post_init__(self) -> None:
        self.provider = _Provider(self.account)

    def answers(self) -> Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """By the token of each data source that there is."""
        tokens = {*DATA_SOURCES, *account_of()}
        return {token: partial(self._answer, token) for token in tokens} | {CALLER: self.caller}

    def caller(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """An administrator: whether preflight's own caller is one is a check of its own."""
        admins = getattr(self.config.cluster, "admins", ())
        of_here = [admin for admin in admins if f":{self.account.id}:" in admin]
        partition = self.account.partition
        anyone = f"arn:{partition}:iam::{self.account.id}:role/administrator"
        return {**caller_of(next(iter([*of_here, *admins, anyone]))), "accountId": self.account.id}

    def _answer(self, token: str, query: dict[str, Any]) -> dict[str, Any]:
        made_up = account_of(self.config.region).get(token)
        problem = ""
        try:
            found = answer(token, query, self.provider)
            if not _LISTS.get(token) or found[_LISTS[token]]:
                self.look_ups.append(LookUp(token, query))
                return made_up(query) if made_up and token in _LINES_OF_THEIR_OWN else found
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
    """What the data sources of AWS's provider ask by, on the real account."""

    def __init__(self, account: Account) -> None:
        super().__init__(account.region, {})
        self.real = account

    def client(self, service: str) -> Any:
        return self.real.client(service)

    def request(self, service: str, operation: str, parameters: Mapping[str, Any]) -> Any:
        """Raises MissingRightError, and else AwsError as the provider would tell it."""
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
