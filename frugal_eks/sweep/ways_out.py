"""Finds and removes what an `up` creates without a name: NAT gateways, addresses, OIDC providers.

A run that is killed while AWS creates one of them leaves it out of the state. The next run creates
another gateway or address; AWS refuses another provider of the same issuer.
"""

from collections.abc import Iterator

from frugal_eks.sweep.account import Account
from frugal_eks.sweep.compute import named
from frugal_eks.sweep.things import Thing

NAT_HOURLY, ADDRESS_HOURLY = 0.045, 0.005
"""USD an hour, AWS's list prices in us-east-1, October 2026, without traffic; elsewhere up to a
half more.
"""
GONE = ("deleted", "failed")
"""States in which AWS still lists a NAT gateway for about an hour."""


def nat_gateways(account: Account, cluster: str) -> Iterator[Thing]:
    """NAT gateways with the stack's tag; a gateway's network interface goes with it."""
    del cluster
    for page in account.pages("ec2", "describe_nat_gateways"):
        for gateway in page["NatGateways"]:
            if gateway["State"] in GONE:
                continue
            tags = named(gateway.get("Tags"))
            yield Thing(
                id=gateway["NatGatewayId"],
                name=tags.get("Name", ""),
                tags=tags,
                cost=f"about {NAT_HOURLY} USD an hour, its traffic not counted",
                busy="it is being deleted" if gateway["State"] == "deleting" else "",
            )


def remove_nat_gateway(account: Account, gateway: Thing) -> None:
    """Removes a NAT gateway. AWS takes a minute, and then releases its address."""
    account.client("ec2").delete_nat_gateway(NatGatewayId=gateway.id)


def addresses(account: Account, cluster: str) -> Iterator[Thing]:
    """Elastic IPs, which are billed whether or not they are in use."""
    del cluster
    for address in account.client("ec2").describe_addresses()["Addresses"]:
        tags = named(address.get("Tags"))
        user = address.get("InstanceId") or address.get("NetworkInterfaceId")
        yield Thing(
            id=address["AllocationId"],
            name=tags.get("Name") or str(address["PublicIp"]),
            tags=tags,
            cost=f"about {ADDRESS_HOURLY} USD an hour",
            busy=f"used by {user or 'something'}" if address.get("AssociationId") else "",
        )


def remove_address(account: Account, address: Thing) -> None:
    """Releases an Elastic IP. AWS refuses (AuthFailure) for some seconds after its NAT gateway is
    gone.
    """
    account.client("ec2").release_address(AllocationId=address.id)


def oidc_providers(account: Account, cluster: str) -> Iterator[Thing]:
    """OIDC providers of EKS's issuers in this region: IAM has no regions, but the issuer's name
    has.
    """
    del cluster
    iam = account.client("iam")
    issuers = f":oidc-provider/oidc.eks.{account.region}."
    providers = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    for arn in [provider["Arn"] for provider in providers]:
        if issuers in arn:
            # The list itself comes without tags.
            tags = iam.list_open_id_connect_provider_tags(OpenIDConnectProviderArn=arn)["Tags"]
            yield Thing(id=arn, tags=named(tags))


def remove_oidc_provider(account: Account, provider: Thing) -> None:
    """Removes an OIDC provider. Roles that trust it can no longer be assumed through it."""
    account.client("iam").delete_open_id_connect_provider(OpenIDConnectProviderArn=provider.id)
