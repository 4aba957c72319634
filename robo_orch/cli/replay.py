# SPDX-License-Identifier: Apache-2.0
"""``robo-orch replay``: the recorded commands in a fresh world."""

from __future__ import annotations

from robo_orch.cli.options import Json, RunDir


def replay(run_dir: RunDir, as_json: Json = False) -> int:
    """Repeat a run from its recorded commands.

    They are executed in a fresh world, and every state is compared, by hash. No planner, policy or model is called.

    Exit codes: 0 the same, 1 different, 2 no such run.
    """
    from robo_orch.cli.output import blank, print_json, refuse
    from robo_orch.errors import UserError
    from robo_orch.runs.replay import replay as execute

    try:
        again = execute(run_dir)
    except UserError as error:
        return refuse(error, as_json, blank("replay"))
    if as_json:
        hashes = {"state_hash": again.state_hash, "expected_hash": again.expected_hash}
        print_json({"match": again.match, **hashes, "ticks": again.ticks, "because": again.because})
    else:
        verdict = "the same states" if again.match else f"other states ({again.because})"
        print(f"{again.ticks} ticks replayed: {verdict}\nrecorded {again.expected_hash}\nreplayed {again.state_hash}")
    return 0 if again.match else 1
