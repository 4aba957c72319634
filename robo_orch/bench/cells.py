# SPDX-License-Identifier: Apache-2.0
"""What a bench is: arms, episodes, a piece of work for each pair of them, and a summary of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from robo_orch.errors import OptionError
from robo_orch.runs.config import MAX_SEED

#: One finished cell, JSON-serialisable: ``arm``, ``episode``, ``seed``, ``seconds`` and what the work returned; or
#: ``error`` and ``traceback`` where the work raised.
Row = Mapping[str, Any]


class Preset(StrEnum):
    """How much a bench does: ``quick`` ends in 8 minutes on two cores, ``full`` gives the figures that are stated."""

    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece of work: an arm in an episode.

    Attributes:
        arm: which of the things compared.
        episode: counts from 0; every arm meets the same episodes.
        seed: of everything drawn in the episode, the same for every arm; 32 bits.
        given: what the episode is about (JSON), the same for every arm.
        options: of the bench (JSON), the same for every cell.
    """

    arm: str
    episode: int
    seed: int
    given: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench.

    Attributes:
        name: as in ``robo-orch bench NAME``.
        work: a function at module level: runs in a process of its own and returns what belongs into the row.
        summarise: the bench's JSON keys from all rows, ordered by episode and arm.
        arms: what is compared; fixed before the run.
        episodes: by preset.
        given: what the episodes are about, ``given(seed, n) -> n values``; the first values do not depend on n.
        options: all else that a row depends on, JSON.
        scene: whose digest belongs into the record, empty for none.
        alone: measures time: one worker only.
    """

    name: str
    work: Callable[[Cell], Mapping[str, Any]]
    summarise: Callable[[Sequence[Row]], dict[str, Any]]
    arms: tuple[str, ...] = ("ours",)
    episodes: Mapping[Preset, int] = field(default_factory=lambda: {Preset.QUICK: 20, Preset.FULL: 100})
    given: Callable[[int, int], Sequence[Any]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    scene: str = ""
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """How a bench is run; ``None`` means as in the folder to resume, else the usual.

    Attributes:
        seed: of the whole bench; episode seeds follow from it.
        episodes: number of them; ``None`` for the preset's.
        arms: some of the bench's arms; ``None`` for all.
        jobs: worker processes.
        preset: ``quick`` or ``full``.
        budget: minutes after which no new cell is begun; the summary is of the episodes that every arm finished.
        out: folder of the record, ``None`` for ``results/<bench>-<time>``.
        resume: folder of a record to go on with.

    Raises:
        OptionError: a value that cannot be used.
    """

    seed: int | None = None
    episodes: int | None = None
    arms: tuple[str, ...] | None = None
    jobs: int = 1
    preset: Preset = Preset.FULL
    budget: float | None = None
    out: Path | None = None
    resume: Path | None = None

    def __post_init__(self) -> None:
        if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
            raise OptionError(f"--seed from 0 to {MAX_SEED}", str(self.seed), "give a whole number in that range")
        if self.episodes is not None and self.episodes < 1:
            raise OptionError("--episodes of at least 1", str(self.episodes), "for example --episodes 20")
        if self.jobs < 1:
            raise OptionError("--jobs of at least 1", str(self.jobs), "for example --jobs 2")
        if self.budget is not None and not self.budget > 0:
            raise OptionError("--budget in minutes, above 0", str(self.budget), "for example --budget 8")
        if self.out is not None and self.resume is not None:
            raise OptionError("--out or --resume", "both", "a resumed bench goes on in its own folder")


def episode_seed(seed: int, episode: int) -> int:
    """The 32-bit seed of an episode of a bench that was given ``seed``."""
    return int(np.random.SeedSequence([seed, episode]).generate_state(1)[0])
