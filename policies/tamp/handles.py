# SPDX-License-Identifier: Apache-2.0
"""Open a drawer or a door by pulling its handle; shut it by pushing with closed fingers.

The handle is where the part's pose estimate says; the tool then moves as the part's joint lets it: on a straight line
for a drawer, on an arc for a door. How far it is open is judged by perception, never by time. What holds back harder
than the fingers hold, or slips out of them, ends with ``NO_PROGRESS`` and the opening that was measured.
"""

from __future__ import annotations

from collections.abc import Callable

from robo_orch.motion.failure import MotionFailure
from robo_orch.motion.timing import Trajectory
from robo_orch.objects import Grasp
from robo_orch.policies.tamp.arm import Arm, Script, said
from robo_orch.policies.tamp.failures import Failures
from robo_orch.policies.tamp.grasps import ordered, usable
from robo_orch.policies.tamp.parts import Part
from robo_orch.policies.tamp.transfer import leave
from robo_orch.policies.tamp.ways import GRASPING, LEAVING, along
from robo_orch.predicates import evaluate
from robo_orch.types import Code, Pose, Predicate

#: Shares of its range to which a part is opened, best first (chosen: clear of what counts as open, 0.7).
OPEN_TO = (0.92, 0.82)
#: Share of its range to which a part is pushed shut (chosen: between its stop, which would throw it back, and 0.06,
#: which counts as closed).
SHUT_TO = 0.03
#: How much narrower than a handle the gripper is told to close, m (chosen: 8 N a finger).
SQUEEZE = 0.008
#: The handle has slipped when the opening between the fingers has changed by this, m (chosen).
SLIPPED = 0.004
#: The part is stuck when it lags behind the hand by more than this share of its range (chosen: perception's delay
#: alone makes it 0.1).
LAG = 0.2
#: How often a part is pulled or pushed before it is given up, and by which share of its range it must move each time.
ATTEMPTS, PROGRESS = 3, 0.05
#: Room between the closed fingers and the handle where a push begins, m (chosen).
RUN_UP = 0.02


def open_part(arm: Arm, name: str) -> Script[None]:
    """Pull a drawer or a door open by its handle.

    Raises:
        MotionFailure: ``NO_GRASP`` before anything was touched, ``NO_PROGRESS`` where it does not come along.
    """
    yield from _until(arm, Predicate("open", (name,)), _pull)


def close_part(arm: Arm, name: str) -> Script[None]:
    """Push a drawer or a door shut with closed fingers.

    Raises:
        MotionFailure: ``UNREACHABLE`` before anything was touched, ``NO_PROGRESS`` where it does not give way.
    """
    yield from _until(arm, Predicate("closed", (name,)), _push)


def _until(arm: Arm, wanted: Predicate, act: Callable[[Part], Script[str]]) -> Script[None]:
    """Act until the fact is perceived to hold, as long as that brings it nearer."""
    part, wrong = Part(arm, wanted.args[0]), ""
    for _ in range(ATTEMPTS):
        if evaluate(wanted, arm.facts).holds:
            return
        before = part.value
        wrong = yield from act(part)
        yield from arm.look(part.name)
        if abs(part.value - before) < PROGRESS * part.range:
            break
    if not evaluate(wanted, arm.facts).holds:
        raise MotionFailure(Code.NO_PROGRESS, f"{part.name} {wrong or 'does not come along'}; {part.stands}")


def _pull(part: Part) -> Script[str]:
    arm, handle = part.arm, f"the handle of the {said(part.name)}"
    grasp, goal, motion = _choose_pull(part)
    yield from arm.move(motion, f"moving to {handle}", arm.opening_for(part.name, grasp))
    yield from arm.look(part.name)
    tool = arm.pose(part.name) @ grasp.pose
    motion = arm.planner.straight_to(arm.seen, tool, speed=arm.gentle, allow=part.touching)
    yield from arm.move(motion, f"reaching for {handle}")
    yield from arm.close_on(part.name, grasp.width - SQUEEZE, f"closing on {handle}")
    wrong = "its handle was not between the fingers"
    if arm.seen.state.grasping:
        motion = part.lead(arm.seen, part.value, goal)
        wrong = yield from arm.follow(motion, f"pulling the {said(part.name)}", _watch(part, held=True))
    yield from arm.grip(arm.opening_for(part.name, grasp), f"letting {handle} go")
    yield from leave(arm, part.name, LEAVING, "moving away")
    return wrong


def _choose_pull(part: Part) -> tuple[Grasp, float, Trajectory]:
    """A grasp of the handle, how far it can take the part, and the motion to before it."""
    arm, failures = part.arm, Failures(part.arm.inventory)
    at, value = arm.pose(part.name), part.value
    grasps = _handles(part)
    for share, grasp in ((s, g) for s in OPEN_TO for g in grasps):
        hand, tool = arm.opened(arm.opening_for(part.name, grasp)), at @ grasp.pose
        try:
            _, postures = arm.planner.stance(hand, tool, [along(way, tool) for way in GRASPING], allow=part.touching)
            part.lead(arm.imagine(postures[0], grasp.width), value, share * part.range)
            return grasp, share * part.range, arm.go(hand, postures[-1])
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.NO_GRASP, f"{part.name} cannot be pulled by its handle")


def _push(part: Part) -> Script[str]:
    arm, words = part.arm, f"the {said(part.name)}"
    touch, motion = yield from _come_before(part)
    begin = _begin(part, touch)
    start = part.at(begin) @ touch
    yield from arm.move(motion, f"reaching for {words}")
    wrong = yield from _push_on(part, begin)
    back = part.went(arm.seen.state.tool.position, start.position)
    motion = part.lead(arm.seen, part.value, part.value + min(back, RUN_UP / part.lever(start)))
    yield from arm.move(motion, "moving away")
    yield from leave(arm, part.name, LEAVING, "moving away")
    return wrong


def _come_before(part: Part) -> Script[tuple[Pose, Trajectory]]:
    """Bring closed fingers to before the handle; where they touch it, as in :func:`_choose_push`, and the way there.

    Seen from near the part is a little elsewhere, and the push may then be out of reach from this posture of the arm:
    another one is sought.
    """
    arm = part.arm
    for attempt in range(ATTEMPTS):
        touch, motion = _choose_push(part)
        yield from arm.move(motion, f"moving to before the {said(part.name)}", 0.0)
        yield from arm.grip(0.0, "closing the fingers")
        yield from arm.look(part.name)
        begin = _begin(part, touch)
        start = part.at(begin) @ touch
        try:
            motion = arm.planner.straight_to(arm.seen, start, speed=arm.gentle, allow=part.touching)
            part.lead(arm.imagine(motion.q[-1], 0.0), begin, SHUT_TO * part.range)
            break
        except MotionFailure:
            if attempt == ATTEMPTS - 1:
                raise
    return touch, motion


def _push_on(part: Part, begin: float) -> Script[str]:
    """Push until it is seen to be shut; once the fingers touch it, what is missing is known better than before."""
    arm, shut, wrong = part.arm, Predicate("closed", (part.name,)), ""
    for _ in range(ATTEMPTS):
        motion = part.lead(arm.seen, begin, SHUT_TO * part.range)
        watch = _watch(part, held=False, ahead=begin - part.value)
        wrong = yield from arm.follow(motion, f"pushing the {said(part.name)}", watch)
        yield from arm.look(part.name)
        begin = part.value
        if wrong or evaluate(shut, arm.facts).holds:
            break
    return wrong


def _choose_push(part: Part) -> tuple[Pose, Trajectory]:
    """Where closed fingers touch the handle (tool pose in the part's frame), and the motion to before it."""
    arm, failures = part.arm, Failures(part.arm.inventory)
    hand = arm.opened(0.0)
    for grasp in _handles(part):
        try:
            touch = part.first_touch(grasp.pose)
            begin = _begin(part, touch)
            tool = part.at(begin) @ touch
            _, postures = arm.planner.stance(hand, tool, [along(way, tool) for way in GRASPING], allow=part.touching)
            part.lead(arm.imagine(postures[0], 0.0), begin, SHUT_TO * part.range)
            return touch, arm.go(hand, postures[-1])
        except MotionFailure as failure:
            failures.add(failure)
    raise failures.all(Code.UNREACHABLE, f"{part.name} cannot be pushed shut")


def _handles(part: Part) -> list[Grasp]:
    """Grasps of the handle, those first that need little turning of the tool."""
    arm, gripper = part.arm, part.arm.robot.gripper
    grasps = usable(arm.inventory[part.name], gripper)
    return ordered(grasps, arm.estimate(part.name), arm.seen.state.tool, gripper.max_width)


def _begin(part: Part, touch: Pose) -> float:
    """The opening at which the part would have to be for the fingers to touch it where the push begins."""
    return part.value + RUN_UP / part.lever(part.at(part.value) @ touch)


def _watch(part: Part, held: bool, ahead: float = 0.0) -> Callable[[], str]:
    """An alarm for :meth:`Arm.follow`: the handle has slipped, or the part does not come along.

    ``ahead``: by how much the hand is ahead of the part when it begins, m or rad.
    """
    arm, value, state = part.arm, part.value, part.arm.seen.state

    def alarm() -> str:
        now = arm.seen.state
        if held and (not now.grasping or abs(now.gripper - state.gripper) > SLIPPED):
            return "let its handle slip out of the fingers: it moves too hard"
        hand = part.went(state.tool.position, now.tool.position)
        lag = abs(hand) - abs(ahead) - abs(part.value - value)
        return "does not come along with the hand: it moves too hard" if lag > LAG * part.range else ""

    return alarm
