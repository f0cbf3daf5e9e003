"""bench/counters' verdicts, and the whole of it with a profiler and programs that say what a test wants.
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import stat
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/counters")
LOADER = importlib.machinery.SourceFileLoader("counters", SCRIPT)
counters = importlib.util.module_from_spec(importlib.util.spec_from_loader("counters", LOADER))
LOADER.exec_module(counters)


def report(metrics, rows, unit=""):
    """As ncu --csv --page raw --print-units base writes it."""
    names = ["ID", "Kernel Name"] + metrics
    lines = [names, ["", ""] + [unit] * len(metrics)] + [[str(i)] + row for i, row in enumerate(rows)]
    return "==PROF== Connected\n" + "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


class Parsing(unittest.TestCase):
    def test_values_follow_their_kernels(self):
        text = report(["x", "y"], [["a(int *)", "1,234", "0"], ["b", "5", "6"]])
        self.assertEqual(counters.parse_counters(text, ["x", "y"]), [("a", [1234, 0]), ("b", [5, 6])])

    def test_what_is_no_count_is_a_failure(self):
        for text in ("", "==ERROR== no permission\n", report(["x"], []), report(["y"], [["a", "1"]]),
                     report(["x"], [["a", "1"]], unit="Mbyte"), report(["x"], [["a", "n/a"]])):
            with self.assertRaises(counters.Failure, msg=text):
                counters.parse_counters(text, ["x"])

    def test_launches_must_be_those_that_were_predicted(self):
        self.assertEqual(counters.pair("a\t1\nnote\nb\t2\n", [("a", [3]), ("b", [4])]), [(["a", "1"], [3]), (["b", "2"], [4])])
        for predictions, counted in (("", []), ("a\t1\n", []), ("a\t1\n", [("b", [1])]), ("a\t1\nb\t1\n", [("b", [1]), ("a", [1])])):
            with self.assertRaises(counters.Failure):
                counters.pair(predictions, counted)


class Verdicts(unittest.TestCase):
    def test_conflicts_are_equal_by_both_counters(self):
        fields = ["conflicts_rows_of_128", "112", "16"]
        self.assertTrue(counters.judge_conflicts(fields, [112, 128])[0])
        self.assertFalse(counters.judge_conflicts(fields, [111, 128])[0])
        self.assertFalse(counters.judge_conflicts(fields, [112, 127])[0])
        self.assertIn("112 predicted, 111 counted, 113 wavefronts beyond 16", counters.judge_conflicts(fields, [111, 129])[1])

    def test_occupancy_is_equal_of_every_kernel_of_every_shape(self):
        good = "".join(f"occupancy\tshape {i}\t20\t20\n" for i in range(counters.OCCUPANCY_SHAPES))
        self.assertTrue(all(ok for ok, _ in counters.judge_occupancy("[ RUN ]\n" + good)))
        for bad in (good.replace("20\t20", "20\t19", 1), good.replace("20\t20", "0\t0", 1), "", good.split("\n", 1)[1]):
            self.assertFalse(all(ok for ok, _ in counters.judge_occupancy(bad)))

    def test_reads_are_within_their_share(self):
        fields = ["k", "1000e6", "10e6", "60e6", "what"]
        for counted, ok in ((1000e6, True), (880e6, True), (860e6, False), (1170e6, True), (1180e6, False), (0, False)):
            self.assertEqual(counters.judge_dram(fields, [counted, 0])[0], ok, counted)

    def test_what_the_l2_can_hold_of_d_need_not_be_written(self):
        fields = ["k", "100e6", "160e6", "60e6", "what"]
        for counted, ok in ((160e6, True), (183e6, True), (185e6, False), (100e6, True), (86e6, True), (84e6, False)):
            self.assertEqual(counters.judge_dram(fields, [100e6, counted])[0], ok, counted)


class Whole(unittest.TestCase):
    """A profiler that runs its command and logs what it is told to."""

    PROFILER = """#!/bin/bash
while [ $# -gt 0 ]; do case $1 in --log-file) log=$2; shift 2 ;; --metrics) shift 2; break ;; *) shift ;; esac; done
cat "$COUNTS/$2.report" >"$log"
exec "$@"
"""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("bin/ncu", self.PROFILER)
        self.write("bin/counted", '#!/bin/bash\ncat "$COUNTS/$1.predicted"\n')
        self.write("bin/occupancy_gpu_test", '#!/bin/bash\ncat "$COUNTS/occupancy"\n')
        self.write("conflicts.predicted", "conflicts_a\t3\t4\n")
        self.write("conflicts.report", report([counters.CONFLICTS, counters.WAVEFRONTS], [["conflicts_a", "3", "7"]]))
        self.write("dram.predicted", "tw_simt_x\t100\t50\t60\twhat\n")
        self.write("dram.report", report([counters.READ, counters.WRITTEN], [["tw_simt_x", "100", "9"]], "byte"))
        self.write("occupancy", "".join(f"occupancy\t{i}\t20\t20\n" for i in range(counters.OCCUPANCY_SHAPES)))

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, stat.S_IRWXU)

    def run_it(self):
        bin_folder = os.path.join(self.folder.name, "bin")
        environment = {"COUNTS": self.folder.name, "PATH": bin_folder + ":" + os.environ["PATH"]}
        printed = io.StringIO()
        with mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(printed), \
                mock.patch.object(sys, "argv", ["counters", self.folder.name, os.path.join(self.folder.name, "out")]), \
                self.assertRaises(SystemExit) as exited:
            counters.main()
        return exited.exception.code, printed.getvalue()

    def test_all_is_well(self):
        code, text = self.run_it()
        self.assertEqual(code, 0, text)
        self.assertEqual(len(text.splitlines()), 1 + counters.OCCUPANCY_SHAPES + 2 + 1, text)
        self.assertNotIn("FAIL", text)

    def test_one_failure_does_not_hide_the_others(self):
        self.write("conflicts.report", "==ERROR== no permission\n")
        code, text = self.run_it()
        self.assertEqual(code, 1)
        self.assertEqual(text.count("FAIL"), 1)
        self.assertIn("DRAM, what", text)

    def test_a_skipped_test_and_a_failing_program_fail(self):
        self.write("occupancy", "[  SKIPPED ] all of it\n")
        self.write("bin/counted", "#!/bin/bash\nexit 1\n")
        code, text = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("FAIL  occupancy: 0 of", text)
        self.assertIn("FAIL  conflict checks: the profiler ended with 1", text)
        self.assertIn("FAIL  dram checks: the profiler ended with 1", text)


if __name__ == "__main__":
    unittest.main()
