# SPDX-License-Identifier: Apache-2.0
"""A run's result in words: one sentence, and what a person can do about a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What to do about a failure, by code.
ADVICE = {
    "NO_CAPABLE_POLICY": "allow more cards (--cards), or bring the scene nearer to what a card needs",
    "NO_SKILL": "add a card that offers the skill; robo-orch skills list shows those there are",
    "PRECONDITION": "look at the key frames: something is not where the plan expects it",
    "NO_BRIDGE": "make room around where the policy starts, or try --bridge none",
    "UNREACHABLE": "move the object closer to the arm, or try another seed",
    "START_IN_COLLISION": "the arm stands against something: free it before the next run",
    "GOAL_IN_COLLISION": "make room around the object or the place it goes to",
    "NO_PATH": "make room between the arm and the object",
    "NO_GRASP": "turn or free the object so that the fingers fit around it",
    "NO_PLACE": "make room on what it is to stand on",
    "NOT_PERCEIVED": "bring the object into view",
    "IMPRECISE_POSE": "perceive it better (less --perturb pose_noise), or use a card that needs less precision",
    "TIMEOUT": "raise --time-limit or --speed, or look in the timeline for the step that took so long",
    "TRACKING_ERROR": "something held the arm back: see what it touches in the last key frame",
    "NOT_YET": "compare the last key frame with the goal; the reasons stand in the table of attempts",
    "UNKNOWN": "perception was too poor to tell: see the reasons in the table of attempts",
    "LOST_HOLD": "the object slipped: lower --speed",
    "UNSAFE": "lower --speed, or make room around what is moved",
    "POLICY_ERROR": "see the card's message; robo-orch skills list names its loader",
    "INTERNAL": "this is a fault of robo_orch: report it with traceback.txt and config.json",
    "INTERRUPTED": "run the same command again; the seed makes it the same run",
}


def sentence(result: Mapping[str, Any]) -> str:
    """What the run came to, in one sentence."""
    steps = len(result["subgoals"])
    finished = round(result["progress"] * steps)
    count = f"{finished} of {steps} step{'' if steps == 1 else 's'}"
    took = f"{result['sim_seconds']:.1f} s of robot time"
    if result["success"] and result["failure"] is None:
        return f"Reached: {count} done, all safe, in {took}."
    if result["success"]:
        return f"Reached and safe, though the robot could not tell: {count} verified in {took}."
    if result.get("interrupted"):
        return f"Interrupted with {count} done after {took}."
    if result["done"]:
        return f"Done, but not safely: {count} done in {took}."
    return f"Not reached: {count} done in {took}."


def advice(result: Mapping[str, Any]) -> str:
    """What to do about the result's failure; empty where there is none."""
    failure = result["failure"]
    return ADVICE.get(failure["code"], "see the table of attempts in the report") if failure else ""
