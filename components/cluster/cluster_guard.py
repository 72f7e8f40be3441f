"""Guards an existing cluster against changes that EKS cannot make, and against a destroy."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pulumi
import pulumi_aws as aws

from ..location import Location

CONTROL_PLANE = "aws:eks/cluster:Cluster"


class ClusterGuard:
    """Options of the control plane that refuse changes EKS cannot make, and a destroy if protected.

    The AWS provider accepts another key without sending it, so that the key in use would be deleted
    as no longer needed (hashicorp/terraform-provider-aws internal/service/eks/cluster.go).
    """

    def __init__(self, *, protected: bool, replace_for_kms_key: bool) -> None:
        """If `protected`, Pulumi refuses the plan of a destroy; EKS alone would refuse only its
        last step, when everything on the cluster is gone. With `replace_for_kms_key`, another key
        replaces the cluster; without, it is refused.
        """
        self.protected, self.replace_for_kms_key = protected, replace_for_kms_key
        self.refused: list[str] = []
        """Changes in the preview that EKS cannot make, a sentence each."""

    def options(self, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
        """The given options of the control plane, with the guarding ones added."""
        refusal = pulumi.ResourceHook(
            "only changes that EKS can make",
            self._refuse,
            pulumi.ResourceHookOptions(on_dry_run=True),
        )
        guards = pulumi.ResourceOptions(
            protect=self.protected, hooks=pulumi.ResourceHookBinding(before_update=[refusal])
        )
        if self.replace_for_kms_key:
            # Two clusters cannot have one name.
            guards.replace_on_changes = ["encryptionConfig"]
            guards.delete_before_replace = True
        return pulumi.ResourceOptions.merge(opts, guards)

    def tell(self, _: object = None) -> None:
        """Raises RunError if the preview of the control plane, which is over by now, must be
        refused.
        """
        if self.refused:
            raise pulumi.RunError("\n".join(self.refused))

    def _refuse(self, args: pulumi.ResourceHookArgs) -> None:
        before, after = args.old_inputs or {}, args.new_inputs or {}
        messages = list(problems(before, after, replace_for_kms_key=self.replace_for_kms_key))
        # A hook that fails inside a component of another process ends the program by a traceback:
        # the engine closes that process while the program waits for it (pulumi,
        # pkg/resource/deploy/source_eval.go). A preview changes nothing, so `tell` can refuse it.
        if messages and not pulumi.runtime.is_dry_run():
            raise ValueError("\n".join(messages))
        self.refused += messages


def problems(
    before: Mapping[str, Any], after: Mapping[str, Any], *, replace_for_kms_key: bool
) -> Iterator[str]:
    """Changes of a cluster with the inputs `before` that EKS cannot make, and what to do
    instead.
    """
    old_key, new_key = _key(before), _key(after)
    if old_key and old_key != new_key and not replace_for_kms_key:
        new_key_text = (
            new_key if isinstance(new_key, str) and new_key.startswith("arn:") else "a new one"
        )
        yield (
            f"cluster.kmsKeyArn: the cluster's Secrets are encrypted with {old_key}, and EKS "
            "cannot change a cluster's key: undo the change, or set cluster.replaceForKmsKey: true "
            "to delete the cluster with all that runs in it, and make it anew with the other key "
            f"(got {new_key_text})"
        )
    old_version, new_version = before.get("version"), after.get("version")
    if isinstance(old_version, str) and isinstance(new_version, str):
        now, then = _minor(old_version), _minor(new_version)
        if then < now:
            yield (
                f"cluster.version: the cluster runs {old_version}, and EKS never goes back: "
                f'set "{old_version}" (got "{new_version}")'
            )
        elif then > now + 1:
            yield (
                f"cluster.version: the cluster runs {old_version}, and EKS goes up one minor at a "
                f'time: set "1.{now + 1}" first, with nodes that follow (got "{new_version}")'
            )


def refuse_unusable_key(arn: str, location: Location, opts: pulumi.InvokeOptions) -> None:
    """Looks up the stack file's key in KMS. Raises RunError if EKS could not use it."""
    path, remedy = "cluster.kmsKeyArn", "give a symmetric key of this region that is enabled"
    region = arn.split(":")[3]
    if region != location.region:
        raise pulumi.RunError(
            f"{path}: the key is in {region}, the cluster in {location.region}: {remedy} "
            f"(got {arn})"
        )
    try:
        key = aws.kms.get_key(key_id=arn, opts=opts)
    # Pulumi raises Exception itself when a look-up fails.
    except Exception as error:
        raise pulumi.RunError(
            f"{path}: KMS does not tell of this key: {remedy}, and which whoever deploys may "
            f"describe (got {arn}) ({error})"
        ) from error
    for actual, wanted in (
        (key.key_state, "Enabled"),
        (key.key_usage, "ENCRYPT_DECRYPT"),
        (key.key_spec, "SYMMETRIC_DEFAULT"),
    ):
        if actual != wanted:
            raise pulumi.RunError(f"{path}: the key is {actual}: {remedy} (got {arn})")


def _key(inputs: Mapping[str, Any]) -> object:
    config = inputs.get("encryptionConfig")
    if not isinstance(config, Mapping):
        return config
    provider = cast(Mapping[str, Any], config).get("provider")
    return cast(Mapping[str, Any], provider).get("keyArn") if provider else None


def _minor(version: str) -> int:
    return int(version.partition(".")[2])
