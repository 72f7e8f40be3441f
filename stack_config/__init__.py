"""What a stack file may say, and how its mistakes are told."""

from stack_config.load import ConfigError, load, parsed
from stack_config.model import StackConfig
from stack_config.rules import RULES

__all__ = ["RULES", "ConfigError", "StackConfig", "load", "parsed"]
