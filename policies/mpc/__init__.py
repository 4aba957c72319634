# SPDX-License-Identifier: Apache-2.0
"""Model-predictive policies: they sample actions, roll them out in a model of what is perceived, do the best."""
