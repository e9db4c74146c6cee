"""The package called with arguments made from bytes, as fuzz/python/package_fuzz.py does."""

import os
import random
import subprocess
import sys
import unittest

from support import needs

FUZZ = os.path.join(os.environ["OPINE_DOCS"], "..", "fuzz", "python")
sys.path.insert(0, FUZZ)
import package_fuzz  # noqa: E402


class Arguments(unittest.TestCase):
    def test_random_arguments_are_used_or_refused(self):
        for seed in range(400):
            drawn = random.Random(f"test-{seed}")
            package_fuzz.try_input(drawn.randbytes(drawn.randrange(400)))

    def test_some_arguments_are_used(self):
        """Or all would be refused, and nothing tried."""
        for use in (package_fuzz.use_graph, package_fuzz.use_classifier, package_fuzz.use_decide,
                    package_fuzz.use_arrays):
            n_used = 0
            for seed in range(300):
                drawn = random.Random(f"used-{seed}")
                try:
                    use(package_fuzz.Draw(drawn.randbytes(400)))
                    n_used += 1
                except package_fuzz.EXPECTED:
                    pass
            self.assertGreater(n_used, 5, use.__name__)

    @needs("atheris")
    def test_arguments_guided_by_coverage_are_used_or_refused(self):
        done = subprocess.run([sys.executable, os.path.join(FUZZ, "package_fuzz.py"), "-runs=300",
                               "-seed=1"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
