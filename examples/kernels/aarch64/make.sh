#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the assembly in this folder from the sources in the one above.
set -e
cd "$(dirname "$0")/.."
for kernel in stream_triad daxpy dot_product stencil_2d stencil_3d gauss_seidel; do
	case $kernel in
	gauss_seidel) options='-Ofast -funroll-loops' variants=neon ;;
	dot_product) options=-Ofast variants='neon sve' ;;
	*) options=-O3 variants='neon sve' ;;
	esac
	for variant in $variants; do
		case $variant in
		neon) target=-mcpu=neoverse-n1 ;;
		sve) target=-march=armv8.2-a+sve ;;
		esac
		aarch64-linux-gnu-gcc $options $target -fno-asynchronous-unwind-tables -S \
			-o aarch64/$kernel-gcc-$variant.s $kernel.c
		clang --target=aarch64-linux-gnu $options $target -fno-asynchronous-unwind-tables -S \
			-o aarch64/$kernel-clang-$variant.s $kernel.c
	done
done
