#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How blocks are sorted, drawn, and joined with their measurements."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import collect_blocks as blocks  # noqa: E402 (tools are no package)


def block(*texts):
    return [("90", *(text.split(" ", 1) + [""])[:2]) for text in texts]


class Kinds(unittest.TestCase):
    def test_kind(self):
        for kind, texts in (("int", ["add %rax,%rbx", "mov (%rax),%rcx", "lea 8(%rax),%rdx"]),
                            ("memory", ["push %rax", "mov (%rax),%rcx", "test %eax,%eax"]),
                            ("fp", ["vaddpd %ymm0,%ymm1,%ymm2", "add %rax,%rbx"]),
                            ("fp", ["fld %st(1)"]),
                            ("vector", ["vpaddd %zmm0,%zmm1,%zmm2", "movaps %xmm0,%xmm1"]),
                            ("vector", ["pabsd %xmm0,%xmm1"]),
                            ("crypto", ["aesenc %xmm0,%xmm1", "movaps %xmm0,%xmm1"])):
            with self.subTest(texts=texts):
                self.assertEqual(blocks.kind_of(block(*texts)), kind)

    def test_left_out(self):
        for mnemonic, want in (("insertps", False), ("inc", False), ("insb", True), ("in", True),
                               ("cpuid", True), ("stc", False), ("stos", False), ("out", True),
                               ("lea", False), ("(bad)", True), ("les", True), ("xsavec", True)):
            with self.subTest(mnemonic=mnemonic):
                self.assertEqual(bool(blocks.EXCLUDED.match(mnemonic)), want)

    def test_loop_counter(self):
        for want, texts in (("r15", ["add %rax,%rbx"]), ("r14", ["mov %r15d,%eax"]),
                            ("rbx", [f"inc %r{n}" for n in range(8, 16)]),
                            ("rbp", [f"inc %r{n}" for n in range(8, 16)] + ["mov %bl,%al"]),
                            ("", [f"inc %r{n}" for n in range(8, 16)] + ["mov %ebp,%ebx"])):
            with self.subTest(texts=texts):
                self.assertEqual(blocks.loop_counter(block(*texts)), want)


class Draw(unittest.TestCase):
    def test_packages_in_turn(self):
        rows = {name: [(bytes([i]), f"{name}{i}", name, "r15") for i in range(many)]
                for name, many in (("a", 3), ("b", 200))}
        pools = {name: {("int", "short"): found} for name, found in rows.items()}
        with contextlib.redirect_stderr(io.StringIO()):
            chosen = blocks.draw(pools, 100)
        self.assertEqual([code for code in chosen if code[0] == "a"], ["a0", "a1", "a2"])
        self.assertEqual(len(chosen), round(100 * blocks.KIND_SHARES["int"]
                                            * blocks.LENGTHS["short"][1]))


class Corpus(unittest.TestCase):
    def test_merge(self):
        head = "# clock: add-chain\nhex,mode,cycles,spread,status,reason\n"
        first = head + "AA,unroll,1.00,0,ok,\nbb,unroll,1.00,0,ok,\ncc,loop,,,fault,x\n"
        second = head + "aa,unroll,1.01,0,ok,\nbb,unroll,1.10,0,ok,\ndd,loop,nan,0,unstable,\n"
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("1", "2")]
            for path, text in zip(paths, (first, second)):
                path.write_text(text, encoding="utf-8")
            merged, comments = blocks.merged_measurements(paths)
        self.assertAlmostEqual(merged["aa", "unroll"][0], 1.005)
        self.assertEqual(merged["bb", "unroll"], (None, "unrepeatable"))
        self.assertEqual(merged["cc", "loop"], (None, "fault"))
        self.assertEqual(merged["dd", "loop"], (None, "unstable"))
        self.assertEqual(comments, ["clock: add-chain"])


if __name__ == "__main__":
    unittest.main()
