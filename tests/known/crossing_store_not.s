# SPDX-License-Identifier: MIT
# The same store within a line, at its end: a cycle for the store and for the taken branch.
# kernel crossing_store.s
# options --entry-values=rdi=4152
# expect ADL-P,SPR,ZEN3,ZEN4 cycles_per_iteration=1.00
