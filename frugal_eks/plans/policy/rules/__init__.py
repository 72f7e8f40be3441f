"""All rules, in the order of the documentation."""

from frugal_eks.plans.policy.rule import ChangeRule, ResourceRule, StackRule
from frugal_eks.plans.policy.rules import (
    access,
    budget,
    deletions,
    encryption,
    grants,
    pins,
    protection,
    spot,
    tags,
)

IN_THE_PACK: tuple[ResourceRule | StackRule, ...] = (
    *access.RULES,
    *pins.RULES,
    *tags.RULES,
    *encryption.RULES,
    *grants.RULES,
    *protection.RULES,
    *spot.RULES,
    *budget.RULES,
)
OF_CHANGES: tuple[ChangeRule, ...] = deletions.RULES
RULES = (*IN_THE_PACK, *OF_CHANGES)
