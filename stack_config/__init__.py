"""The model of a stack file, and how its mistakes are reported."""

from stack_config.model import StackConfig
from stack_config.rules import RULES
from stack_config.settings import parsed

__all__ = ["RULES", "StackConfig", "parsed"]
