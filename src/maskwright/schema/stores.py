"""Everything that one network interns, in one place."""

from __future__ import annotations

from collections.abc import Callable

from maskwright.limits import Limits
from maskwright.network.lexeme import Term
from maskwright.schema.budget import Budget
from maskwright.schema.elements import ElementsStore
from maskwright.schema.members import MembersStore
from maskwright.schema.order import ANY_ORDER, DECLARED_ORDER
from maskwright.schema.policies import Policies
from maskwright.schema.references import Document
from maskwright.schema.residual import Formulas
from maskwright.schema.shape import Shapes
from maskwright.schema.value import Values

__all__ = ["Stores"]


class Stores:
    """The document, the policies and the interned values, formulas, descriptions and shapes of one network."""

    __slots__ = (
        "budget",
        "document",
        "elements",
        "formulas",
        "is_empty",
        "limits",
        "members",
        "order",
        "policies",
        "shapes",
        "values",
    )

    def __init__(
        self, document: Document, policies: Policies, is_empty: Callable[[Term], bool], limits: Limits
    ) -> None:
        """Empty stores."""
        self.document = document
        self.policies = policies
        self.order = DECLARED_ORDER if policies.property_order == "declared" else ANY_ORDER
        self.is_empty = is_empty
        self.limits = limits
        self.budget = Budget(limits)
        spend = self.budget.spend
        self.values = Values(spend, document.root)
        self.formulas = Formulas(self.values, spend)
        self.members = MembersStore(document, self.values, is_empty, spend)
        self.elements = ElementsStore(document, self.values, spend)
        whole_floats = document.root.resource.draft.whole_floats
        self.shapes = Shapes(self.formulas, policies, is_empty, spend, whole_floats=whole_floats)

    def release(self) -> None:
        """Drop what is interned, as far as it refers back to its owners; it is then freed without a collector.

        Nodes that someone still holds stay usable, but equal states are no longer the same objects.
        """
        self.formulas.release()
        self.values.release()
        self.members.release()
        self.elements.release()
