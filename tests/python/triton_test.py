"""Kernels of Triton's, by the Triton that is installed or by what stands in for it: launches, scripts, test suites."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np

import tilescope

tilescope.activate()

import triton  # noqa: E402
import triton_kernels as kernels  # noqa: E402

_HEAD = "import numpy as np\nimport triton\nimport triton.language as tl\nfrom triton_kernels import *\n"


class Launches(unittest.TestCase):
    def test_in_place_with_a_helper_and_a_constant_of_the_module(self):
        for dtype in (np.float32, np.float16, np.float64, np.int32, np.int64):
            x, y = np.arange(10).astype(dtype), np.full(10, 77, dtype)
            kernels.shift_kernel[lambda meta: (triton.cdiv(10, meta["BLOCK"]),)](x, y, 10, BLOCK=8)
            np.testing.assert_array_equal(y, x + 2)

    def test_a_constant_of_the_module_that_changes_counts_at_the_next_launch(self):
        x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
        before = kernels.OFFSET
        try:
            for value in (5, 7):
                kernels.OFFSET = triton.language.constexpr(value)
                kernels.shift_kernel[1](x, y, 4, BLOCK=4)
                self.assertEqual(list(y), [value] * 4)
        finally:
            kernels.OFFSET = before

    def test_autotune_takes_the_first_config_and_heuristics_see_it(self):
        for n, expected in (16, 8), (15, -8):
            x = np.zeros(n, np.int32)
            kernels.tuned_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)
            self.assertEqual(set(x), {expected})
        self.assertEqual(kernels.tuned_kernel.best_config.kwargs, {"BLOCK": 8})

    def test_a_kernel_of_a_function_that_closes_over_a_number(self):
        number = 3

        @triton.jit
        def store_kernel(x_ptr):
            triton.language.store(x_ptr, number)

        x = np.zeros(1, np.int32)
        store_kernel[(1,)](x)
        self.assertEqual(x[0], 3)

    def test_tuples_hold_tensors_numbers_and_functions(self):
        x, y = np.array([5], np.int32), np.zeros(3, np.int32)
        kernels.tuple_kernel[(1,)]((kernels.doubled, x, 4), kernels.Pair(y, 7))
        self.assertEqual(list(y), [10, 4, 7])

    def test_a_constexpr_within_a_tuple_is_a_constant(self):
        y = np.zeros(8, np.int32)
        kernels.tuple_of_size_kernel[(1,)](y, (triton.language.constexpr(8), 5))
        self.assertEqual(list(y), [5] * 8)

    def test_isinstance_asks_for_a_pointers_type(self):
        y = np.zeros(2, np.int32)
        kernels.is_pointer_kernel[(1,)](y, 3)
        self.assertEqual(list(y), [1, 0])

    def test_a_tuner_of_ones_own_and_a_launch_of_what_is_compiled_are_as_in_triton(self):
        if hasattr(triton, "compile"):
            self.skipTest("Triton's own")

        class Tuner(triton.runtime.Autotuner):
            def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, **kwargs):
                super().__init__(fn, arg_names, configs, key, reset_to_zero, restore_value, **kwargs)
                self.asked = []

            def run(self, *args, **kwargs):
                self.asked.append(self.keys)
                return super().run(*args, **kwargs)

        of_jit = kernels.tuned_kernel.fn
        tuner = Tuner(of_jit, of_jit.arg_names, [triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], ["n"],
                      ["x_ptr"], None, pre_hook=None, post_hook=None, prune_configs_by=None, cache_results=False)
        x = np.zeros(16, np.int32)
        tuner.reset_to_zero = []
        compiled = tuner[(2,)](x, 16)
        self.assertEqual((set(x), tuner.asked), ({8}, [["n"]]))
        x[:] = 0
        compiled[(2, 1, 1)](x, 16)  # its constants are known
        self.assertEqual(set(x), {8})
        function = of_jit.fn
        self.assertEqual([(p.num, p.name, p.is_constexpr) for p in function.params],
                         [(0, "x_ptr", False), (1, "n", False), (2, "BLOCK", True), (3, "EVEN", True)])
        self.assertNotEqual(function.cache_key, kernels.first_kernel.cache_key)

    def test_what_tells_where_its_elements_lie_is_a_tensor(self):
        class Buffer:
            def __init__(self, array):
                self.array, self.dtype, self.shape = array, array.dtype, array.shape

            def data_ptr(self):
                return self.array.ctypes.data

            def stride(self):
                return (1,)

        x, y = np.arange(10, dtype=np.int32), np.zeros(10, np.int32)
        kernels.shift_kernel[(2,)](Buffer(x), Buffer(y), 10, BLOCK=8)
        self.assertEqual(list(y), list(x + 2))

    def test_functions_of_constants_may_stand_under_constexpr_and_in_tritons_modules(self):
        y = np.zeros(1, np.int32)
        kernels.log2_of_doubled_kernel[(1,)](y, N=16)
        self.assertEqual(y[0], 5)

    def test_a_grid_may_look_whether_a_parameter_is_there(self):
        def grid(meta):
            try:
                return (meta["SPLIT"],)
            except KeyError:
                return (meta["n"] // 8,)

        x = np.zeros(8, np.int32)
        kernels.shift_kernel[grid](x, x, 8, BLOCK=8)
        self.assertEqual(x[0], 2)

    def test_a_function_of_constants_is_pythons(self):
        y = np.zeros(1, np.int32)
        kernels.bits_kernel[(1,)](y, N=1000)
        self.assertEqual(y[0], 10)

    def test_a_fault_names_line_and_column_of_the_text(self):
        x, y = np.zeros(10, np.float32), np.zeros(10, np.float32)
        with self.assertRaises(tilescope.Fault) as caught:
            kernels.unmasked_kernel[(2,)](x, y, BLOCK=8)
        with open(kernels.__file__) as file:
            lines = file.read().split("\n")
        line = next(i for i, text in enumerate(lines) if text.startswith("    tl.store(y_ptr + offs, tl.load"))
        self.assertEqual(caught.exception.line, line + 1)
        self.assertIn(lines[line].strip(), str(caught.exception))

    def test_two_programs_that_store_one_element_are_a_race(self):
        with self.assertRaisesRegex(tilescope.Fault, "race|program"):
            kernels.first_kernel[(2,)](np.zeros(1, np.int32))

    def test_views_of_one_array_race_where_they_overlap(self):
        x = np.zeros(1000, np.float32)
        with self.assertRaisesRegex(tilescope.Fault, r'element 64 of "x" \(element 0 of "y"\), which program 0 wrote'):
            kernels.shift_kernel[(15,)](x[:-64], x[64:], 900, BLOCK=64)

    def test_a_grid_of_no_program_launches_nothing(self):
        x = np.zeros(1, np.int32)
        kernels.first_kernel[(0,)](x)
        self.assertEqual(x[0], 0)

    def test_wrong_use_is_named(self):
        x = np.zeros(8, np.float32)
        for words, launch in (
            ("n, BLOCK are not given", lambda: kernels.shift_kernel[1](x, x)),
            ("has no parameter BLOK", lambda: kernels.shift_kernel[1](x, x, 8, BLOK=8)),
            ("an axis of the grid is 1.5", lambda: kernels.shift_kernel[1.5](x, x, 8, BLOCK=8)),
            ("n is a dict, which kernels do not take", lambda: kernels.shift_kernel[1](x, x, {}, BLOCK=8)),
        ):
            with self.assertRaises(tilescope.Error) as caught:
                launch()
            self.assertIn(words, str(caught.exception))

    def test_what_a_kernel_cannot_read_of_its_module_is_named(self):
        for kernel, fact, fix in (
                (kernels.reads_list, "the global TABLE is no constant: it is a list", "TABLE = tl.constexpr(4)"),
                (kernels.reads_class, "the global Sizes is no constant: it is a class", "pass it as a parameter"),
                (kernels.calls_numpy, "a kernel cannot use np.sqrt, which is Python's", "tl.sqrt"),
                (kernels.calls_plain, "plain is a function of Python's", "@triton.jit")):
            with self.assertRaises(tilescope.CompileError) as caught:
                kernel[1](np.zeros(1, np.float32))
            self.assertIn(fact, caught.exception.fact)
            self.assertIn(fix, caught.exception.fix)
            self.assertIn("triton_kernels.py:", caught.exception.fact)

    def test_a_tensor_is_no_constant(self):
        with self.assertRaisesRegex(tilescope.Error, "BLOCK is a tl.constexpr, and a tensor is given"):
            kernels.shift_kernel[1](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=np.zeros(4, np.int32))

    def test_arguments_that_no_kernel_takes_are_named(self):
        x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
        for launch, fact in (
                (lambda: kernels.shift_kernel[1](x, y, 2**70, BLOCK=4), "n is 1180591620717411303424"),
                (lambda: kernels.shift_kernel[1](np.array([None]), y, 4, BLOCK=4), "x has dtype object"),
                (lambda: kernels.shift_kernel[lambda meta: meta["BLOK"]](x, y, 4, BLOCK=4), "asks for BLOK"),
                (lambda: kernels.shift_kernel[(1.0,)](x, y, 4, BLOCK=4), "an axis of the grid is 1.0"),
                (lambda: kernels.takes_stars[1](x, 1), "takes_stars takes *rest")):
            with self.assertRaises(tilescope.Error) as caught:
                launch()
            self.assertIn(fact, caught.exception.fact)

    def test_read_only_memory_is_read_and_not_stored_to(self):
        x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
        x.setflags(write=False)
        kernels.shift_kernel[1](x, y, 4, BLOCK=4)
        self.assertEqual(list(y), [2, 3, 4, 5])
        with self.assertRaisesRegex(tilescope.Error, "y is read-only"):
            kernels.shift_kernel[1](y, x, 4, BLOCK=4)
        self.assertEqual(list(x), [0, 1, 2, 3])

    def test_records_as_a_kernel_of_a_file_does(self):
        x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        run = tilescope.kernel(kernels.shift_kernel).trace[1](x, y, 8, BLOCK=8)
        self.assertEqual(run.faults, [])
        self.assertEqual(list(run.step(-1)["offs"]), list(range(8)))
        self.assertEqual([touch.kind for touch in run.history(y, 3)], ["store"])

    def test_the_model_of_a_gpu_is_asked_of_the_same_launch(self):
        x, y = np.zeros(1024, np.float32), np.zeros(1024, np.float32)
        figures = tilescope.kernel(kernels.shift_kernel).schedule[8](x, y, 1024, BLOCK=128)
        self.assertEqual(figures["dram_read_bytes"], 4096)


class Torch(unittest.TestCase):
    def setUp(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        self.torch = torch

    def test_in_place_on_tensors_of_the_cpu(self):
        torch = self.torch
        for dtype in (torch.float32, torch.bfloat16, torch.int16):
            x, y = torch.arange(10).to(dtype), torch.zeros(12, dtype=dtype)[2:]
            kernels.shift_kernel[(2,)](x, y, 10, BLOCK=8)
            self.assertTrue(torch.equal(y.float(), x.float() + 2))

    def test_a_tensor_of_no_axis_is_memory(self):
        x, y = self.torch.tensor(5), self.torch.tensor(0)
        kernels.shift_kernel[(1,)](x, y, 1, BLOCK=4)
        self.assertEqual(y.item(), 7)


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_script(self, text, *words, typed=""):
        with open(os.path.join(self.folder, "script.py"), "w") as out:
            out.write(text)
        return subprocess.run([sys.executable, "-m", "tilescope", *words, "script.py", "one", "--two"], text=True,
                              cwd=self.folder, capture_output=True, input=typed)

    def test_runs_as_it_is_with_its_own_arguments(self):
        said = self.run_script(_HEAD + """
import sys
x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
shift_kernel[(1,)](x, y, 4, BLOCK=4)
print(y, sys.argv[1:], __name__)
""")
        self.assertEqual(said.stdout, "[2. 3. 4. 5.] ['one', '--two'] __main__\n", said.stderr)
        self.assertIn("tilescope: 1 launch of 1 kernel, no fault", said.stderr)
        self.assertEqual(said.returncode, 0)

    def test_a_folder_named_triton_beside_it_is_not_triton(self):
        os.mkdir(os.path.join(self.folder, "triton"))
        self.assertEqual(self.run_script(_HEAD + "print(triton.cdiv(5, 2))\n").stdout, "3\n")

    def test_aggregates_prints_and_the_gpus_figures_are_tritons(self):
        said = self.run_script(_HEAD + """
from triton.language.extra import libdevice

@triton.aggregate
class Range:
    begin: tl.tensor
    size: tl.constexpr

    @triton.jit
    def next(self):
        return Range(self.begin + self.size, self.size)

@triton.jit
def kernel(y_ptr, turns):
    tl.static_print("two", 2, tl.float32)
    r = Range(tl.program_id(0), 4)
    for _ in range(turns):
        r = r.next()
    tl.device_print("begin", r.begin, hex=True)
    tl.store(y_ptr, libdevice.popc(r.begin - 1))

y = np.zeros(1, np.int32)
kernel[(1,)](y, 4)
print(y, triton.testing.get_dram_gbps() > 1000)
""")
        self.assertEqual(said.stdout, "two 2 float32\npid (0, 0, 0) begin: 0x00000010\n[4] True\n", said.stderr)

    def test_a_function_of_constants_is_called_with_what_the_walk_knows(self):
        said = self.run_script(_HEAD + """
@triton.constexpr_function
def halves(n):
    return n // 2

@triton.jit
def kernel(y_ptr, N: tl.constexpr):
    x = tl.arange(0, N)
    H: tl.constexpr = halves(x.shape[0])
    tl.store(y_ptr + tl.arange(0, H), _log2(x.shape[0]))

y = np.zeros(4, np.int32)
kernel[(1,)](y, 8)
print(y)
""")
        self.assertEqual(said.stdout, "[3 3 3 3]\n", said.stderr)

    def test_a_fault_ends_it_with_1_and_is_written_down(self):
        said = self.run_script(_HEAD + """
x = np.zeros(4, np.float32)
shift_kernel[(1,)](x, x, 4, BLOCK=4)
unmasked_kernel[(1,)](x, x, BLOCK=8)
print("not reached")
""", "--junit", "out.xml", "--sarif", "out.sarif", "--report", "out.html")
        self.assertEqual((said.returncode, said.stdout), (1, ""), said.stderr)
        self.assertIn("out of bounds", said.stderr)
        self.assertIn("at script.py:8", said.stderr)
        self.assertNotIn("Traceback", said.stderr)
        suite = xml.etree.ElementTree.parse(os.path.join(self.folder, "out.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        with open(os.path.join(self.folder, "out.sarif")) as file:
            result, = json.load(file)["runs"][0]["results"]
        self.assertEqual(result["ruleId"], "out_of_bounds")
        self.assertTrue(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("triton_kernels.py"))
        with open(os.path.join(self.folder, "out.html")) as file:
            page = file.read()
        self.assertIn("2 launches of 2 kernels, 1 fault", page)
        self.assertIn("<svg", page)

    def test_a_fault_that_the_script_catches_still_ends_it_with_1(self):
        said = self.run_script(_HEAD + """
try: unmasked_kernel[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), BLOCK=8)
except Exception: print("caught")
""")
        self.assertEqual((said.returncode, said.stdout), (1, "caught\n"), said.stderr)

    def test_a_kernel_made_by_exec_has_its_text(self):
        said = self.run_script(_HEAD + """
names = {}
exec("import triton, triton.language as tl\\n@triton.jit\\ndef made(x):\\n    tl.store(x, 5)\\n", names)
x = np.zeros(1, np.int32)
names["made"][(1,)](x)
print(x)
""")
        self.assertEqual(said.stdout, "[5]\n", said.stderr)

    def test_the_scripts_own_error_and_exit_code_are_pythons(self):
        said = self.run_script("def f():\n    raise ValueError('own')\nf()\n")
        self.assertIn('File "script.py", line 3', said.stderr.replace(self.folder + os.sep, ""))
        self.assertNotIn("runpy", said.stderr)
        self.assertEqual(said.returncode, 1)
        self.assertEqual(self.run_script("raise SystemExit(7)").returncode, 7)

    def test_a_condition_opens_the_debugger_at_each_launch(self):
        said = self.run_script(_HEAD + """
x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
shift_kernel[(2,)](x, y, 8, BLOCK=4)
print("goes on", y[-1])
""", "--break", "=1", typed="n\np offs\nq\n")
        self.assertIn("offs = [4 5 6 7]", said.stdout, said.stderr)
        self.assertTrue(said.stdout.endswith("goes on 9.0\n"), said.stdout)
        self.assertEqual(said.returncode, 0)

    def test_a_breakpoint_of_the_kernel_opens_the_debugger_where_it_stands(self):
        text = """
import numpy as np
import triton
import triton.language as tl
def set_trace():
    raise RuntimeError("of the host")
@triton.jit
def double(x, WHERE: tl.constexpr):
    at = tl.program_id(0) * 2 + tl.arange(0, 2)
    doubled = tl.load(x + at) * 2
    WHERE
    tl.store(x + at, doubled)
x = np.arange(4, dtype=np.int32)
double[(2,)](x, 0)
print(x)
"""
        for line, typed, shown in (("set_trace()", "p doubled\nc\np doubled\nq\n", ("[0 2]", "[4 6]")),
                                   ("breakpoint()", "p doubled\nq\n", ("[0 2]",)),
                                   ("breakpoint_if('=1')", "p doubled\nq\n", ("[4 6]",)),
                                   ("breakpoint_if('=7')", "", ())):
            said = self.run_script(text.replace("    WHERE\n", f"    {line}\n"), typed=typed)
            self.assertEqual(said.stdout.count("doubled = "), len(shown), (line, said.stdout, said.stderr))
            for values in shown:
                self.assertIn(f"doubled = {values}", said.stdout)
            self.assertTrue(said.stdout.endswith("[0 2 4 6]\n"), said.stdout)

    def test_the_model_of_a_launch_is_told_once(self):
        said = self.run_script(_HEAD + """
x, y = np.zeros(4096, np.float32), np.zeros(4096, np.float32)
for _ in range(2): shift_kernel[(4,)](x, y, 4096, BLOCK=1024)
""", "--schedule", "--gpu", "h100")
        self.assertEqual(said.stderr.count("model of h100"), 1, said.stderr)
        self.assertIn("DRAM read 16,384 B", said.stderr)

    def test_the_environment_does_the_same_from_inside(self):
        startup = os.environ["BACKEND"]
        text = "import tilescope_startup\n" + _HEAD + """
print("before")
unmasked_kernel[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), BLOCK=8)
"""
        with open(os.path.join(self.folder, "script.py"), "w") as out:
            out.write(text)
        path = os.pathsep.join([os.environ["PYTHONPATH"], startup])
        said = subprocess.run([sys.executable, "script.py"], text=True, cwd=self.folder, capture_output=True,
                              env={**os.environ, "TILESCOPE": "--junit out.xml", "PYTHONPATH": path})
        self.assertIn("out of bounds", said.stderr)
        self.assertIn("tilescope: 1 launch of 1 kernel, 1 fault", said.stderr)
        self.assertEqual((said.returncode, said.stdout), (1, "before\n"))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out.xml")))

    def test_what_triton_would_refuse_is_noted_once(self):
        text = """
import numpy as np
import triton
import triton.language as tl
@triton.jit
def widens(x):
    total = 0
    for i in range(tl.load(x)):
        total += 0.5
    tl.store(x, total)
x = np.array([2], np.int32)
for _ in range(2): widens[(1,)](x)
"""
        said = self.run_script(text, "--check", "race,triton")
        self.assertEqual(said.stderr.count("tilescope: note: script.py:8"), 1, said.stderr)
        self.assertEqual(said.returncode, 0)
        self.assertNotIn("note", self.run_script(text, "--check", "race").stderr)

    def test_wrong_options_name_what_there_is(self):
        for words, expected in ((("--view", "0"), "they count from 1"), (("--break", "1"), "expected an operator"),
                                (("--check", "rases"), "choose from all")):
            said = self.run_script("print('runs')\n", *words)
            self.assertEqual((said.returncode, said.stdout), (2, ""), said.stderr)
            self.assertIn(expected, said.stderr)

    def test_a_script_that_there_is_not(self):
        said = subprocess.run([sys.executable, "-m", "tilescope", "none.py"], text=True, cwd=self.folder,
                              capture_output=True)
        self.assertEqual(said.returncode, 2)
        self.assertIn('there is no file "none.py"', said.stderr)


class Pytest(unittest.TestCase):
    def test_a_fault_fails_the_test_that_launched_it(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("no pytest")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_kernels.py"), "w") as out:
                out.write(_HEAD + """
def test_right():
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    shift_kernel[(1,)](x, y, 4, BLOCK=4)
    assert list(y) == [2] * 4

def test_wrong():
    unmasked_kernel[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), BLOCK=8)
""")
            said = subprocess.run([sys.executable, "-m", "pytest", "-p", "tilescope.pytest_plugin", "--tilescope",
                                   "-p", "no:cacheprovider", "test_kernels.py"], text=True, cwd=folder,
                                  capture_output=True)
        self.assertIn("1 failed, 1 passed", said.stdout)
        self.assertIn("out of bounds", said.stdout)
        self.assertIn("launched at", said.stdout)
        self.assertIn("tilescope: 2 launches of 2 kernels, 1 fault", said.stdout)


if __name__ == "__main__":
    unittest.main()
