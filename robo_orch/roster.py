# SPDX-License-Identifier: Apache-2.0
"""Who may act on this robot: cards that were checked against it, and their policies, loaded when they are needed.

Whatever is wrong with a card is told before anything moves: what robot and cameras can tell, of every card; what only
its model can tell, of every card that offers a skill which is needed.
"""

from __future__ import annotations

from collections.abc import Collection

from robo_orch.errors import RenderError, UserError
from robo_orch.objects import Inventory
from robo_orch.policies.card import PolicyCard
from robo_orch.policies.loaders import PolicyContext, load_policy, preflight
from robo_orch.policies.registry import Registry
from robo_orch.robots import RobotSpec
from robo_orch.types import Policy, Robot


class Roster:
    """The cards for one robot in one scene.

    Args:
        insist: each card was asked for by name: all are loaded, and what keeps one from being used is an error.

    Attributes:
        cards: in the order in which they are tried.
    """

    def __init__(
        self,
        cards: Registry,
        robot: Robot,
        spec: RobotSpec,
        inventory: Inventory,
        speed: float = 1.0,
        insist: bool = False,
    ) -> None:
        self.cards, self._insist = cards, insist
        self._robot, self._spec, self._inventory, self._speed = robot, spec, inventory, speed
        self._policies: dict[str, Policy] = {}
        self._unfit: dict[str, str] = {}
        self._checked = False

    def check(self) -> None:
        """See that every card fits robot and cameras and names something that can be loaded; cheap, nothing is loaded.

        Raises:
            CardError: the first that does not, with all its problems.
            RenderError: a card that was asked for by name needs pictures, and there are none here.
        """
        if self._checked:
            return
        for card in self.cards:
            preflight(card, self._spec, self._robot.cameras)
        self._checked = True
        if self._insist:
            self.load(self.cards.skills)
            for card in self.cards:
                self._robot.capture(card.cameras)

    def load(self, skills: Collection[str], moving: bool = False) -> None:
        """Load the policies of all cards that offer one of some skills.

        Args:
            moving: it is too late to refuse: what cannot be loaded is not chosen from now on.

        Raises:
            CardError, ModelError: what is wrong with the first that cannot be loaded, unless ``moving``.
        """
        for card in self.cards:
            if card.id not in self._policies and not set(skills).isdisjoint(card.skills):
                try:
                    self._policies[card.id] = load_policy(self._context(card))
                except UserError as error:
                    if not moving:
                        raise
                    self._unfit[card.id] = f"it cannot be loaded: {error.got}"

    def unfit(self, card: PolicyCard) -> str:
        """Why a card cannot be used here although it fits, in words; empty if it can.

        Whether there are pictures is found out when this is first asked of a card with cameras: to set up drawing
        takes a second, which runs that need none do not wait for.
        """
        if card.id not in self._unfit:
            self._unfit[card.id] = self._blind(card)
        return self._unfit[card.id]

    def policy(self, card: PolicyCard) -> Policy:
        """A card's policy.

        Raises:
            CardError, ModelError: it cannot be loaded.
        """
        if card.id not in self._policies:
            self._policies[card.id] = load_policy(self._context(card))
        return self._policies[card.id]

    def close(self) -> None:
        """Let every policy release what it holds."""
        for policy in self._policies.values():
            policy.close()

    def _context(self, card: PolicyCard) -> PolicyContext:
        return PolicyContext(self._spec, self._inventory, card, self._speed)

    def _blind(self, card: PolicyCard) -> str:
        try:
            if card.cameras:
                self._robot.capture(card.cameras)
        except RenderError as error:
            return f"no pictures here: {error.got}"
        return ""
