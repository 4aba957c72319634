# SPDX-License-Identifier: Apache-2.0
"""How the vision-language-action policy is made: frames with labels of a scripted expert, model, training, export."""
