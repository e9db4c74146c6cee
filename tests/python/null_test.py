"""Every public function refuses NULL where it is not allowed, and says which argument it was.

The list of functions is that of the headers, so a new one is tested without a change here.
"""

import unittest

from opine._library import Context, NULL, ffi, lib, make_params, text
from support import demo, fitted

# Arguments that may be NULL, as the headers say.
MAY_BE_NULL = {
    "opn_ctx_create": {0}, "opn_ctx_set_hooks": {1}, "opn_dataset_find": {2}, "opn_data_folder": {1},
    "opn_data_fetch": {2, 3}, "opn_graph_load": {2}, "opn_graph_create_edges": {5},
    "opn_graph_create_csr": {3, 4}, "opn_graph_set_features": {3},
    "opn_graph_set_features_csr": {4, 5}, "opn_graph_set_node_names": {2},
    "opn_graph_set_class_names": {2}, "opn_graph_set_feature_names": {2}, "opn_graph_warnings": {3, 4},
    "opn_split_create": {4}, "opn_model_train": {4}, "opn_model_predict": {3}, "opn_explain": {4},
    "opn_explain_predicted": {3}, "opn_prediction_save": {1, 3}, "opn_decide": {6},
    "opn_prediction_decide": {1, 3}, "opn_decide_check": {3}, "opn_evaluate": {3}, "opn_tune": {3, 4},
    "opn_reproduce": {2}, "opn_suggest": {3}, "opn_draw_figures": {2, 3, 4}, "opn_report_create": {2},
    "opn_report_load": {2}, "opn_metric_risk_coverage": {4},
    "opn_opinion_from": {8, 9}, "opn_set_measure": {5, 6}, "opn_calibrator_fit": {5},
    "opn_calibrator_apply": {5},
    # Says first that the parts of the page are missing, where they are.
    "opn_report_save": {1},
}

# Functions whose arguments are arrays of a length given by another one.
EMPTY_ARRAYS = {"opn_text_nearest": {1}}


def functions():
    for name in dir(lib):
        if name.startswith("opn_") and not name.endswith("_free"):
            kind = ffi.typeof(getattr(lib, name))
            if kind.kind == "function":
                yield name, kind


class Everything:
    """A sound object for each type of handle."""

    def __init__(self):
        self.ctx = Context()
        clf = fitted()
        params = make_params(self.ctx, {})
        split = self.ctx.make("split", lib.opn_split_from_params, demo()._handle, params)
        said = self.ctx.make("prediction", lib.opn_model_predict, clf._model, demo()._handle, NULL, 0)
        self.handles = {"opn_ctx": self.ctx.ptr, "opn_graph": demo()._handle, "opn_params": params,
                        "opn_split": split, "opn_model": clf._model, "opn_prediction": said}
        self.kept = []

    def argument(self, kind):
        """Something that is not NULL, for one argument."""
        if kind.kind == "struct":  # numbers
            made = ffi.new(f"{kind.cname} *")
            made.f64 = ffi.cast("double *", self.argument(ffi.typeof("double *")))
            return made[0]
        if kind.kind != "pointer":
            return 1 if kind.kind == "primitive" else ffi.cast(kind, 0)
        if kind.item.kind == "function":
            return NULL
        name = kind.item.cname.replace("const ", "").replace("struct ", "")
        if name in self.handles:
            return self.handles[name]
        self.kept.append(ffi.new("char[4096]"))
        return ffi.cast(kind, self.kept[-1])


class Nulls(unittest.TestCase):
    def test_an_argument_that_is_null_is_an_error_and_no_crash(self):
        world = Everything()
        n_checked = 0
        for name, kind in functions():
            spared = MAY_BE_NULL.get(name, set()) | EMPTY_ARRAYS.get(name, set())
            for at, argument in enumerate(kind.args):
                if argument.kind not in ("pointer", "struct") or at in spared or (
                        argument.kind == "pointer" and argument.item.kind == "function"):
                    continue
                with self.subTest(function=name, argument=at):
                    given = [world.argument(a) for a in kind.args]
                    # Numbers are missing where both of their pointers are NULL.
                    given[at] = NULL if argument.kind == "pointer" else ffi.new(f"{argument.cname} *")[0]
                    result = getattr(lib, name)(*given)
                    n_checked += 1
                    if kind.result.cname != "opn_status":
                        continue
                    self.assertEqual(result, lib.OPN_ERR_INVALID_ARG)
                    if at > 0 and name != "opn_ctx_create":
                        self.assertRegex(text(lib.opn_ctx_error(world.ctx.ptr)), "^argument [a-z_0-9]+ is NULL$")
        self.assertGreater(n_checked, 300)

    def test_arrays_that_are_missing_although_there_are_entries_are_errors(self):
        ctx = Context()
        out = ffi.new("opn_graph **")
        own = ctx.make("graph", lib.opn_graph_create_edges, 2, 1, ffi.new("int32_t[]", [0]),
                       ffi.new("int32_t[]", [1]), NULL)
        rows = ffi.new("int64_t[]", [0, 1, 2])
        scores = ffi.new("opn_scores *", {"input": lib.OPN_OPINION_PROBABILITY, "n_samples": 1, "n_nodes": 2,
                                          "n_classes": 2})
        handles = [ffi.new(f"opn_{kind} **") for kind in ("graph", "split", "prediction")]
        for status in (lib.opn_graph_create_csr(ctx.ptr, 2, rows, NULL, NULL, out),
                       lib.opn_graph_set_features(ctx.ptr, own, 3, NULL),
                       lib.opn_graph_lend_features(ctx.ptr, own, 3, ffi.new("float[6]"), NULL, NULL),
                       lib.opn_graph_set_features_csr(ctx.ptr, own, 3, rows, NULL, NULL)):
            self.assertEqual(status, lib.OPN_ERR_INVALID_ARG)
        kept = ffi.new("double[]", [0.5] * 4)
        for x, n_names in ((NULL, 0), (kept, 2)):  # without numbers, and without the names of the classes
            scores.x.f64, scores.n_names = x, n_names
            self.assertEqual(lib.opn_scores_create(ctx.ptr, scores, make_params(ctx, {}), *handles),
                             lib.OPN_ERR_INVALID_ARG)

    def test_what_is_freed_may_be_null(self):
        for name in dir(lib):
            if name.startswith("opn_") and name.endswith("_free"):
                getattr(lib, name)(NULL)
        lib.opn_checkpoint_close(NULL, 0)


if __name__ == "__main__":
    unittest.main()
