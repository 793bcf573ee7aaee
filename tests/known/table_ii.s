# SPDX-License-Identifier: MIT
# Table II of the OSACA paper (docs/table-ii.md): the kernel as it is listed there, and the sums
# below it. Four updates an iteration; µops are split equally over their ports.
#
# Twelve of the sixteen fp instructions are on the chain through the updates, three for each:
# 12 × 6 = 72. A single execution, as the paper counts: the load, four fp instructions, the
# store, whose result is the next address, a load, and so on with 4 + 4 × 6 + 4 + 4 + 4 × 6, and
# then 3 × 6 twice and the last store: 100. But the store's data does not go on into the address:
# what is left is the load, thirteen fp instructions, and a cycle of the last store for its data,
# 4 + 13 × 6 + 1 = 83.
#
# kernel ../../examples/kernels/aarch64/gauss_seidel_tx2.s
# options --fixed --unroll-factor=4
# expect TX2 ports.p0=9.83 ports.p1=9.83 ports.p2=1.33 ports.p3=8 ports.p4=8 ports.p5=4
# expect TX2 loop_carried=72 instruction_path=100 critical_path=83 cycles_per_iteration=18
