# SPDX-License-Identifier: Apache-2.0
"""Policies: cards that describe them, a registry that finds the cards, loaders that bring them to life."""
