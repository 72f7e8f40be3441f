"""Reads the settings of the current stack, and reports all its mistakes at once."""

import pulumi

from stack_config import mistakes
from stack_config.model import AWS_KEYS, StackConfig
from stack_config.settings import SECRET, decoded, parsed
from stack_config.strays import stray_namespaces


class ConfigError(pulumi.RunError):
    """Mistakes in the stack file. Pulumi prints them without a traceback."""


def load() -> StackConfig:
    """The settings of the current stack. Raises ConfigError with every mistake at once."""
    namespace = f"{pulumi.get_project()}:"
    secrets = pulumi.runtime.get_config_secret_keys_env()
    settings = {
        key: SECRET if key in secrets else decoded(text)
        for key, text in pulumi.runtime.get_config_env().items()
    }
    file = f"Pulumi.{pulumi.get_stack()}.yaml"
    ours = {k.removeprefix(namespace): v for k, v in settings.items() if k.startswith(namespace)}
    strays = [*stray_namespaces(settings, pulumi.get_project())]
    if not ours and not strays:
        raise ConfigError(
            f"{file} says nothing of {namespace}… yet: copy the config of "
            "stacks/Pulumi.nodeless.yaml into it and put your own names in"
        )
    ours |= {key: settings[key] for key in AWS_KEYS if key in settings}
    config = parsed(ours)
    if isinstance(config, StackConfig) and not strays:
        return config
    others = () if isinstance(config, StackConfig) else config
    problems = map(mistakes.line, [*strays, *others])
    raise ConfigError("\n".join([f"{file} is not valid:", *problems]))
