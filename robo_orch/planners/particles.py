# SPDX-License-Identifier: Apache-2.0
"""What small words apart from their verb mean: "throw the can away", "pull the drawer out", "put the cube in"."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lark import Token

from robo_orch.planners.english import VERBS, english

#: After these a verb is what the clause is about.
_BEFORE_VERBS = frozenset({"ENSURE", "DONT", "BUT", "TO"})
#: Idle words behind most verbs: "put it down", "put it back". Behind a verb of turning they tell which way.
_IDLE = frozenset({"up", "down", "back"})
_TURNING = frozenset({"TURN", "UNTURN", "ADJUST"})
#: Verbs after which a place may be left out that was spoken of: "open the drawer and put the cube in".
_MOVES = frozenset({"PUT", "GET", "TAKE", "STAND", "STACK"})
_ARTICLES = frozenset({"the", "a", "an", "my", "your", "our"})
_NAMES_FOLLOW = frozenset({"WORD", "NUMBER", "ONE", "OPEN", "CLOSE", "ALL", "EVERYTHING", "DET", "PRONOUN", "OF"})


def without_fillers(found: Sequence[Token]) -> list[Token]:
    """Leave out idle words, except where one stands for an object ("the robot")."""
    spoken = [(i, t) for i, t in enumerate(found) if t.type != "FILLER" or _is_noun(found, i)]
    return [Token("WORD", str(t), t.start_pos, end_pos=t.end_pos) if t.type == "FILLER" else t for _, t in spoken]


def _is_noun(found: Sequence[Token], i: int) -> bool:
    following = next((t.type for t in found[i + 1 :] if t.type not in ("FILLER", "PARTICLE")), "")
    return i > 0 and found[i - 1] in _ARTICLES and following not in _NAMES_FOLLOW


def with_particles(found: Sequence[Token], connectors: Collection[str]) -> list[Token]:
    """Join particles with their verbs, and give a preposition that ends a clause the object that it leaves out."""
    out: list[Token] = []
    verb = -1
    for i, token in enumerate(found):
        before = out[-1].type if out else ""
        if token.type in VERBS and (not out or before in connectors or before in _BEFORE_VERBS):
            verb = len(out)
        elif token.type in ("IS", "ISNT", "EXISTS", "EXISTSNT"):
            verb = -1
        ends = token.type in ("ON", "IN") and (i + 1 == len(found) or found[i + 1].type in connectors)
        if token.type != "PARTICLE" and not (ends and verb >= 0):
            out.append(token)
        elif verb >= 0 and (joined := _joined(out[verb], token)):
            out[verb] = joined
        elif token.type == "PARTICLE":
            turning = verb >= 0 and out[verb].type in _TURNING
            out += [] if token in _IDLE and not turning else [Token("RELATION", str(token))]
        else:
            implied = out[verb].type in _MOVES and verb + 1 < len(out)
            out += [token, Token("PRONOUN", "it", token.end_pos, end_pos=token.end_pos)] if implied else [token]
    return out


def _joined(verb: Token, particle: Token) -> Token | None:
    said = (verb.split()[0], *particle.split())
    kind = english().classes.get(said)
    return Token(kind, " ".join(said), verb.start_pos, end_pos=verb.end_pos) if kind in VERBS else None
