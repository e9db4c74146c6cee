"""The types of the package, as mypy sees them in the package and in a script that uses it."""

import os
import subprocess
import sys
import unittest

import opine
from support import needs

# What a user writes, and what is wrong with the last lines.
SCRIPT = """
import numpy as np
import opine
from opine import calibration, conformal, control, metrics, opinion

graph: opine.Graph = opine.Graph(np.zeros((2, 0)), np.eye(3), y=["a", None, "b"])
clf: opine.NodeClassifier = opine.NodeClassifier("s-gcn", hidden=8, n_jobs=-1).fit(graph)
area: float = metrics.auroc([0, 1], [0.1, 0.2])
alpha = opinion.from_alpha([[1.0, 2.0]]).alpha
threshold: float = control.target_accuracy([0.1], [True]).threshold
coverage: float = conformal.coverage_report([[True, False]], [0]).coverage
ece: float = calibration.measure([[0.5, 0.5]], [0]).ece
clf.save(3)
metrics.auroc([0, 1])
opine.Grph
"""


def mypy(*arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "--strict", *arguments],
                          capture_output=True, text=True, check=False)


@needs("mypy")
class Types(unittest.TestCase):
    def test_the_package_has_no_error_under_strict_rules(self):
        config = os.path.join(os.environ["OPINE_DOCS"], "..", "python", "pyproject.toml")
        done = mypy("--config-file", config, os.path.dirname(opine.__file__))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_script_is_told_its_mistakes_and_no_others(self):
        with open("script.py", "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        said = mypy("script.py").stdout
        wrong = {line.split(":")[1] for line in said.splitlines() if ": error:" in line}
        last = SCRIPT.count("\n")
        self.assertEqual(wrong, {str(last - 2), str(last - 1), str(last)}, said)


if __name__ == "__main__":
    unittest.main()
