# SPDX-License-Identifier: Apache-2.0
"""One run from its configuration to its result. Whatever ends it, the record is closed and says so."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from robo_orch.errors import RecordError, UserError
from robo_orch.runs import provenance, result
from robo_orch.runs.camera import KeyFrame, RunCamera
from robo_orch.runs.config import RunConfig
from robo_orch.runs.folder import RunFolder
from robo_orch.runs.interrupt import Interrupts
from robo_orch.runs.judge import Judge
from robo_orch.runs.recorder import RecordingWorld, SensedWorld
from robo_orch.runs.result import Finished
from robo_orch.runs.schema import Event
from robo_orch.runs.setting import Setting, check_meaning, required, set_up
from robo_orch.runs.timeline import Timeline
from robo_orch.types import Code, Goal, Outcome, Stage

if TYPE_CHECKING:
    from robo_orch.orchestrator import Orchestrator

Watch = Callable[[Event], None]
Notify = Callable[[str], None]


def execute(config: RunConfig, watch: Watch = lambda event: None, notify: Notify = lambda line: None) -> Finished:
    """Do a run.

    Args:
        watch: is given every event as it happens.
        notify: is given lines for a person, for example that there is no GL.

    Returns:
        The result with its exit code. An internal error is a result too; its traceback is in the run folder.

    Raises:
        UserError: bad input, found before anything moved; no folder is left behind.
        KeyboardInterrupt: Ctrl-C before there was a folder.
    """
    with Interrupts(notify) as interrupts:
        run = Run(config, RunFolder.create(config.out, config.goal), interrupts, watch, notify)
        try:
            run.reach(*run.set_up())
        except KeyboardInterrupt as stop:
            run.interrupted(str(stop) or "Ctrl-C")
        except UserError as error:
            if not run.moved:
                run.folder.discard()
                raise
            run.failed(error.outcome())
        except Exception as error:
            run.broken(error)
        interrupts.defer()
        return run.close()


def preview(config: RunConfig) -> Finished:
    """Set up and plan, as a run would, and move nothing; there is no folder and ``success`` is null.

    Raises:
        UserError: bad input.
    """
    begun = time.perf_counter()
    setting = set_up(config, required(config))
    setting.look()
    goal = setting.ground(config.goal)
    check_meaning(goal, config.facts)
    plan = setting.plan(goal)
    subgoals: list[dict[str, Any]] = [
        {"text": s.subgoal.text, "predicate": str(s.subgoal.predicate), "skill": s.subgoal.skill}
        | {"card": None, "bridge": "none", "verdict": None, "attempts": 0, "seconds": 0.0}
        for s in plan.steps
    ]
    wall = time.perf_counter() - begun
    told: dict[str, Any] = {
        "success": None,
        "subgoals": subgoals,
        "wall_seconds": wall,
        "overhead_seconds": wall,
        "dry_run": True,
    }
    return Finished(result.blank(config) | told, result.REACHED)


class Run:
    """The parts of one run and what is known of it so far."""

    def __init__(
        self, config: RunConfig, folder: RunFolder, interrupts: Interrupts, watch: Watch, notify: Notify
    ) -> None:
        self.folder, self.moved, self._closing = folder, False, False
        self._config, self._interrupts, self._watch, self._notify = config, interrupts, watch, notify
        self._begun, self._set_up_seconds, self._wall, self._overhead = time.perf_counter(), 0.0, 0.0, 0.0
        self._timeline = Timeline()
        self._setting: Setting | None = None
        self._world: RecordingWorld | None = None
        self._camera: RunCamera | None = None
        self._judge: Judge | None = None
        self._goal: Goal | None = None
        self._failure: Outcome | None = None

    def set_up(self) -> tuple[Orchestrator, Goal]:
        """Build the scene that the goal asks for, check the cards, ground the goal, load the policies it needs."""
        config = self._config
        self.folder.config(provenance.describe(config))
        self._emit("run_started", goal=config.goal, scene=config.scene, sim=config.sim, seed=config.seed)
        require = required(config)
        self._setting = setting = set_up(config, require, self._recording)
        simulation = setting.simulation
        self.folder.config(provenance.describe(config, require, simulation))
        camera = self._camera = RunCamera(simulation.world, self.folder, config.pictures, self._notify)
        if self._world is not None:
            self._world.after_tick = lambda: camera.film(self._now())
        self._judge = Judge(simulation.world.referee, lambda **found: self._emit("referee", **found))
        orchestrator = setting.orchestrator(config, self._emit)
        setting.look()
        goal = self._goal = setting.ground(config.goal)
        check_meaning(goal, config.facts)
        orchestrator.prepare(goal)
        self._emit("goal_grounded", text=config.goal, predicates=[str(p) for p in goal.predicates])
        self._set_up_seconds, self._begun = self._since(), time.perf_counter()
        return orchestrator, goal

    def reach(self, orchestrator: Orchestrator, goal: Goal) -> None:
        """Let the orchestrator reach the goal."""
        self._interrupts.defer()
        self._failure = orchestrator.run(goal).failure

    def interrupted(self, by: str) -> None:
        """Ctrl-C came, or a signal."""
        self._closing = True
        self._failure = Outcome(Code.INTERRUPTED, Stage.INTERNAL, f"interrupted by {by}")
        with contextlib.suppress(RecordError):  # what is missing is told when the record is closed
            self._emit("interrupted")

    def failed(self, outcome: Outcome) -> None:
        """The run ended with a failure that is not the orchestrator's own."""
        self._failure = outcome

    def broken(self, error: Exception) -> None:
        """Something of ours broke: the details go into the folder."""
        with contextlib.suppress(OSError):
            (self.folder.path / "traceback.txt").write_text("".join(traceback.format_exception(error)))
        what = " ".join(f"{type(error).__name__}: {error}".split())
        self._failure = Outcome(Code.INTERNAL, Stage.INTERNAL, f"{what}; see traceback.txt in {self.folder.path}")

    def close(self) -> Finished:
        """Judge the run, close its record and write the report. Only the last pictures can be interrupted."""
        self._closing = True
        self._wall = self._since()
        with self._interrupts.shield():
            done, objection = self._judged()
        self._last_pictures()
        with self._interrupts.shield():
            return self._closed(done, objection)

    def _closed(self, done: bool, objection: Outcome | None) -> Finished:
        idle = (self._world.physics_seconds if self._world else 0.0) + (self._camera.seconds if self._camera else 0.0)
        self._overhead = max(0.0, self._wall - idle)
        success = done and objection is None and not self._is(Code.INTERRUPTED)
        failure = self._failure or objection
        code = result.exit_code(success, failure, stopped=self._failure is not None)
        summary = self._summary(success, done, failure)
        try:
            self._emit("run_ended", success=success, done=done, failure=summary["failure"])
            self.folder.result(summary)
        except RecordError as error:
            self._notify(f"the record is not whole ({error.got})")
        self.folder.close()
        self._report()
        return Finished(summary, code, self.folder.path)

    def _last_pictures(self) -> None:
        """The moment in which the run ended; whatever goes wrong with pictures now, the record is closed."""
        try:
            if self._camera is not None:
                self._key_frame("run_ended", self._timeline.current)
                self._tell(self._camera.develop())
                self._camera.close()
            if self._world is not None:
                self._world.close()
        except (Exception, KeyboardInterrupt) as error:
            self._notify(f"the last pictures are missing ({type(error).__name__}: {error})")

    def _recording(self, world: SensedWorld) -> RecordingWorld:
        self._world = RecordingWorld(world, self.folder, self._interrupts)
        return self._world

    def _judged(self) -> tuple[bool, Outcome | None]:
        if self._goal is None or self._judge is None:
            return False, None
        try:
            return self._judge.verdict(self._goal)
        except Exception as error:
            self.broken(error)
            return False, None

    def _summary(self, success: bool, done: bool, failure: Outcome | None) -> dict[str, Any]:
        return result.blank(self._config) | {
            "success": success,
            "done": done,
            "progress": self._timeline.progress,
            "subgoals": [step.summary() for step in self._timeline.steps],
            "handoffs": self._timeline.handoffs,
            "failure": result.failure(failure),
            "interrupted": self._is(Code.INTERRUPTED),
            "sim_seconds": self._now(),
            "wall_seconds": self._wall,
            "overhead_seconds": self._overhead,
            "set_up_seconds": self._set_up_seconds,
            "run_dir": str(self.folder.path),
            "state_hash": self._world.state_hash if self._world else None,
        }

    def _report(self) -> None:
        if not self._config.report:
            return
        from robo_orch.runs.report import write_report

        try:
            write_report(self.folder.path)
        except Exception as error:
            self._notify(f"the report could not be written ({type(error).__name__}: {error}); the record is whole")

    def _emit(self, kind: str, /, **data: Any) -> None:
        event = self.folder.event(kind, self._now(), data)
        self.moved = self.moved or kind == "step_started"
        self._timeline.apply(event)
        self._watch(event)
        if self._judge is not None:
            self._judge.hear(event)
        if kind in ("step_started", "step_ended"):
            self._key_frame(kind, event.data["index"])
        if not self._closing:
            self._interrupts.check()

    def _key_frame(self, at: str, index: int | None = None) -> None:
        if self._camera is not None:
            self._tell(self._camera.key_frame(self._now(), at, index))

    def _tell(self, frames: list[tuple[KeyFrame, str]]) -> None:
        for frame, file in frames:
            self._emit("key_frame", index=frame.index, file=file, at=frame.at, taken=frame.taken)

    def _since(self) -> float:
        return time.perf_counter() - self._begun

    def _now(self) -> float:
        return self._setting.simulation.world.time if self._setting else 0.0

    def _is(self, code: Code) -> bool:
        return self._failure is not None and self._failure.code is code
