"""The examples of docstrings, of docs/python.md and of examples/*.py run."""

import doctest
import glob
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import unittest
from contextlib import redirect_stdout
from io import StringIO

import opine
from support import quiet

BLOCK = re.compile(r"(?:<!-- needs: (?P<needs>[a-z_]+) -->\n)?```python\n(?P<code>.*?)```\n", re.S)


# Packages that users bring.
OTHERS = ("dgl", "networkx", "pandas", "scipy", "sklearn", "torch", "torch_geometric")


def brought_by(example):
    """Those that the example of a docstring imports."""
    code = "".join(line.source for line in example.examples if "import" in line.source)
    return [name for name in OTHERS if re.search(rf"\b{name}\b", code)]


def public_functions():
    """Names and docstrings of all functions, and of all methods of Graph, NodeClassifier and the like."""
    for name in opine.__all__:
        part = getattr(opine, name)
        members = {name: part}
        if inspect.ismodule(part):  # but not what it imports
            members = {inner: value for inner, value in vars(part).items() if not inner.startswith("_")
                       and getattr(value, "__module__", None) == part.__name__}
        for inner, value in members.items():
            if inspect.isfunction(value):
                yield inner if value is part else f"{name}.{inner}", value
            elif inspect.isclass(value):
                for method, function in inspect.getmembers(value, inspect.isroutine):
                    where = getattr(function, "__module__", None) or ""
                    if not method.startswith("_") and where.startswith("opine"):
                        yield f"{inner}.{method}", function


class Documents(unittest.TestCase):
    def test_every_public_function_and_method_has_an_example(self):
        found = dict(public_functions())
        for name in ("report", "metrics.auroc", "Graph.from_pyg", "NodeClassifier.suspects", "Calibrator.apply",
                     "NodeClassifier.get_params"):
            self.assertIn(name, found)
        self.assertEqual([name for name, part in found.items() if ">>>" not in (part.__doc__ or "")], [])

    def test_examples_of_docstrings_are_right(self):
        modules = [opine] + [importlib.import_module(found.name)
                             for found in pkgutil.iter_modules(opine.__path__, "opine.")
                             if not found.name.endswith("_opine")]
        runner = doctest.DocTestRunner(verbose=False)
        tried = set()
        for module in modules:
            for example in doctest.DocTestFinder().find(module, module.__name__):
                if all(importlib.util.find_spec(name) for name in brought_by(example)):
                    result = runner.run(example)
                    self.assertEqual(result.failed, 0, example.name)
                    tried.update([example.name] if result.attempted else [])
                else:
                    print(f"skipped: {example.name} imports what is not installed")
        self.assertGreater(len(tried), 12)
        for module in ("networkx", "pandas", "scipy"):
            if importlib.util.find_spec(module) is not None:
                self.assertIn(f"opine.graph.Graph.from_{module}", tried)

    def run_blocks(self, path):
        """Runs the blocks of a document in order; returns how many there are and what they print."""
        with open(path, encoding="utf-8") as file:
            page = file.read()
        space = {}
        said = StringIO()
        blocks = list(BLOCK.finditer(page))
        with quiet(), redirect_stdout(said):
            for block in blocks:
                needs = block["needs"]
                if needs and importlib.util.find_spec(needs) is None:
                    continue
                line = page.count("\n", 0, block.start("code"))
                exec(compile("\n" * line + block["code"], path, "exec"), space)
        return len(blocks), said.getvalue()

    def test_the_tutorial_runs_from_top_to_bottom(self):
        n, said = self.run_blocks(os.path.join(os.environ["OPINE_DOCS"], "python.md"))
        self.assertGreater(n, 8)
        self.assertIn("edge 1, from 1 to 9: node id outside [0, 3)", said)

    def test_the_readme_runs(self):
        n, said = self.run_blocks(os.path.join(os.environ["OPINE_DOCS"], "..", "README.md"))
        self.assertEqual(n, 1)
        self.assertIn("node", said)

    def test_example_scripts_run(self):
        scripts = glob.glob(os.path.join(os.environ["OPINE_EXAMPLES"], "*.py"))
        self.assertTrue(scripts)
        for path in scripts:
            with self.subTest(path), open(path, encoding="utf-8") as file:
                code = file.read()
                if "networkx" in code and importlib.util.find_spec("networkx") is None:
                    self.skipTest("networkx is not installed")
                said = StringIO()
                with quiet(), redirect_stdout(said):
                    exec(compile(code, path, "exec"), {})
                self.assertIn("members are right", said.getvalue())


if __name__ == "__main__":
    unittest.main()
