# SPDX-License-Identifier: Apache-2.0
"""What ``skills check`` prints: one finding a card, for a person as it is found, or all as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robo_orch.cli.output import print_json, say

if TYPE_CHECKING:
    from robo_orch.bench.check import Finding
    from robo_orch.policies.registry import Registry


def carry_out(cards: Registry, scene: str, looks: int, seed: int, as_json: bool) -> int:
    """Check cards and tell; the exit code."""
    from robo_orch.sim import gl

    gl.choose()
    from robo_orch.bench.check import check

    found = []
    for i, card in enumerate(cards.cards):
        if as_json:
            say(f"{i + 1} of {len(cards.cards)}: {card.id}")
        found.append(check(card, scene, looks, seed))
        if not as_json:
            print("\n".join(_lines(found[-1])), flush=True)
    if as_json:
        print_json({"cards": [finding.told() for finding in found]})
    return 0 if all(finding.ok for finding in found) else 1


def _lines(finding: Finding) -> list[str]:
    """One line with the figures, then what is wrong in three lines each, then what is worth a look."""
    lines = [f"{'✓' if finding.ok else '✗'} {finding.id}: {_figures(finding)}"]
    for problem in finding.problems:
        lines += [
            f"    expected: {problem.expected}",
            f"    got:      {problem.got}",
            f"    remedy:   {problem.remedy}",
        ]
    lines += [f"    warning: {warning}" for warning in finding.warnings]
    return lines + [f"    skipped: {skipped}" for skipped in finding.skipped]


def _figures(finding: Finding) -> str:
    if not finding.looks:
        return "not tried out"
    latency = {name: ms for name, ms in finding.latency_ms.items() if ms is not None}
    parts = [f"{finding.looks} looks", f"ms {', '.join(f'{name} {ms:.3g}' for name, ms in latency.items())}"]
    shares = {"clipped": finding.clipped, "out of distribution": finding.ood}
    parts += [f"{name} {share:.1%}" for name, share in shares.items() if share is not None]
    parts += [f"golden within {finding.golden:.1g}"] if finding.golden is not None else []
    parts += [f"words change actions by up to {finding.language:.2g}"] if finding.language is not None else []
    return "; ".join([*parts, *filter(None, [finding.provider])])
