"""Advice about a Helm release that an update left unfinished.

Helm records an installation or upgrade before it starts. An update that is killed, or loses its
connection, leaves that record, and Helm refuses all later ones (helm/helm#7476). The record does
not tell whether a Helm elsewhere is still at work, so nothing here removes it: the error says how.
An update that is ended by one Ctrl-C, or that only timed out, leaves a failed release, which the
next one upgrades; `atomic` would delete its pods with the reasons for the failure.
"""

import pulumi

TAKEN = "cannot re-use a name that is still in use"
"""Helm's error for an installation if it has any record of the release."""
LOCKED = "another operation (install/upgrade/rollback) is in progress"
"""Helm's error for an upgrade if its last record of the release is a pending one."""


def explained(release: str, namespace: str) -> pulumi.ResourceOptions:
    """Options that make a Release say what to do if Helm refuses it because of a record."""

    def tell(args: pulumi.ErrorHookArgs) -> bool:
        advice = remedy(args.errors[0], release=release, namespace=namespace)
        if advice:
            pulumi.log.error(advice)
        return False

    hook = pulumi.ErrorHook(f"{namespace}-{release}-record", tell)
    return pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(on_error=[hook]))


def remedy(error: str, *, release: str, namespace: str) -> str | None:
    """What to do about an error of Helm; None if it is not about such a record."""
    if TAKEN in error:
        statuses = "pending-install,failed"
    elif LOCKED in error:
        statuses = "pending-install,pending-upgrade,pending-rollback"
    else:
        return None
    record = f"-n {namespace} -l 'owner=helm,name={release},status in ({statuses})'"
    advice = (
        f"Helm has a record of {release} in {namespace} that an earlier update left when it was "
        "broken off. When no other pulumi or helm is at work there, remove it by "
        f"`kubectl delete secret {record}`, and run `pulumi up` again: it takes over what was "
        "made (docs/troubleshooting.md)."
    )
    if TAKEN in error:
        advice += (
            " If there is none of these, somebody else installed the release: "
            f"`helm uninstall {release} -n {namespace}`, or choose another namespace."
        )
    return advice
