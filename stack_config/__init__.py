"""What a stack file may say, and how its mistakes are told."""

from stack_config.model import StackConfig
from stack_config.rules import RULES
from stack_config.settings import parsed

__all__ = ["RULES", "StackConfig", "parsed"]
