"""trace and schedule: values at a step, who touched a cell, faults, figures, drawings."""

import os
import tempfile
import unittest
import xml.dom.minidom

import numpy as np

import kernels
import tilescope


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x, cls.y = np.arange(-5, 5, dtype=np.float32), np.empty(10, np.float32)
        cls.relu = tilescope.kernel(kernels.RELU)
        cls.recorded = cls.relu.trace[3](cls.x, cls.y, 10, BLOCK=4)

    def test_values_at_a_step(self):
        run = self.recorded
        self.assertEqual(run.programs, [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
        end = run.step(-1, program=2)
        np.testing.assert_array_equal(end["offs"], [8, 9, 10, 11])
        self.assertEqual(end["offs"].dtype, np.int32)
        np.testing.assert_array_equal(end["mask"], [True, True, False, False])
        self.assertEqual(end["sum(mask)"], 2)
        self.assertIn("mask", end.names())
        self.assertNotIn("y", run.step(6).names())  # line 8 is still to come
        np.testing.assert_array_equal(self.y, np.maximum(self.x, 0))  # in place, as a launch

    def test_who_touched_a_cell(self):
        (store,) = self.recorded.history(self.y, 6)
        self.assertEqual((store.program, store.lane, store.line), ((1, 0, 0), 2, 9))
        self.assertEqual((store.kind, store.value), ("store", 1))
        (load,) = self.recorded.history("x_ptr", 6)
        self.assertEqual((load.kind, load.value, load.line), ("load", 1, 7))
        with self.assertRaisesRegex(tilescope.Error, "x, y"):
            self.recorded.history(np.ones(3), 0)

    def test_what_is_not_there_is_told(self):
        run = self.recorded
        with self.assertRaisesRegex(tilescope.Error, "here are offs"):  # not the terminal's commands
            run.step(-1)["nix"]
        for wrong in (lambda: run.step(99), lambda: run.step("x"), lambda: run.step(0, program=7),
                      lambda: run.draw("nix"), lambda: self.relu.schedule[3](self.x, self.y, 10, 4, gpu="h2000")):
            self.assertRaises(tilescope.Error, wrong)

    def test_a_fault_comes_with_its_history(self):
        run = tilescope.kernel(kernels.UNMASKED).trace[3](self.x, self.y.copy(), BLOCK=4)
        self.assertEqual([(f.line, f.program, f.lane, f.element) for f in run.faults], [(6, (2, 0, 0), 2, 10)])
        self.assertEqual(len(self.recorded.faults), 0)

    def test_figures_and_drawings(self):
        n = 1 << 20
        x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
        schedule = self.relu.schedule[n // 1024](x, y, n, BLOCK=1024, gpu="h200")
        self.assertEqual((schedule["gpu"], schedule["programs"], schedule["source"]), ("h200", 1024, "model"))
        self.assertEqual(schedule["dram_read_bytes"], 4 * n)  # each element of x once
        self.assertTrue((y == 0).all())  # nothing has run
        for drawing in schedule, self.recorded.draw("memory"), self.recorded.draw("offsets", program=1, step=7):
            self.assertEqual(xml.dom.minidom.parseString(drawing._repr_svg_()).documentElement.tagName, "svg")

    def test_a_notebook_shows_a_run(self):
        run = tilescope.kernel(kernels.UNMASKED).trace[3](self.x, self.y.copy(), BLOCK=4)
        shown = xml.dom.minidom.parseString(f"<div>{run._repr_html_()}</div>").documentElement
        end, fault, picture = (node for node in shown.childNodes if node.nodeType == node.ELEMENT_NODE)
        self.assertIn("3 programs, 1 faults", end.firstChild.data)
        self.assertIn("out of bounds", fault.firstChild.data)
        self.assertEqual(picture.tagName, "svg")

    def test_a_recording_is_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "relu.tltrace")
            self.recorded.save(file)
            self.assertEqual(os.system(f"{os.environ['TILESCOPE']} debug {file} < /dev/null > /dev/null"), 0)


if __name__ == "__main__":
    unittest.main()
