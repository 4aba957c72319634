# SPDX-License-Identifier: Apache-2.0
"""``robo-orch demo``: a goal that shows what this is."""

from __future__ import annotations

from robo_orch.bridge.names import DECLARED_START
from robo_orch.cli.options import Bridge, Json, Out, Seed, Video

GOAL = (
    "put the red cube in the drawer and close it, "
    "then stack the green cube on the blue cube and put the yellow cube on the plate"
)


def demo(
    seed: Seed = 0, bridge: Bridge = DECLARED_START, video: Video = True, out: Out = None, as_json: Json = False
) -> int:
    """Show what this is: a goal of several steps through drawer and plate, with a film.

    Where OpenGL is not found there is no film, and one line says what to install.
    """
    from robo_orch.cli.running import carry_out

    code = carry_out({"goal": GOAL, "seed": seed, "bridge": bridge, "video": video, "out": out}, as_json)
    if code == 0 and not as_json:
        print('\nNext: robo-orch run "put the blue cube on the cabinet" --seed 3\n      robo-orch --help')
    return code
