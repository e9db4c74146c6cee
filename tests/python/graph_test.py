"""Graphs from arrays and from what others have."""

import gzip
import os
import pickle
import struct
import subprocess
import tempfile
import types
import unittest

import numpy as np

import opine
from opine import Graph, OpineOSError, OpineValueError
from support import demo, needs, quiet

EDGES = np.array([[0, 1, 2, 2], [1, 2, 0, 3]])
X = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [-1.0, 3.5]], dtype=np.float32)


def write_idx(path, array):
    data = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()
    with open(path, "wb") as file:
        file.write(gzip.compress(data) if path.endswith(".gz") else data)


class Arrays(unittest.TestCase):
    def test_parts_come_back_as_they_were_given(self):
        g = Graph(EDGES, X, ["b", None, "a", "b"], names=["p", "q", "r", "s"],
                  edge_weight=[1, 2, 3, 4], feature_names=["f", "g"], name="mine")
        np.testing.assert_array_equal(g.x, X)
        self.assertEqual(g.names, ["p", "q", "r", "s"])
        self.assertEqual(g.feature_names, ["f", "g"])
        self.assertEqual(list(g.classes), ["a", "b"])
        self.assertEqual(list(g.y), ["b", None, "a", "b"])
        self.assertEqual((g.name, g.n_nodes, g.n_edges, g.n_features), ("mine", 4, 4, 2))
        pairs = dict(zip(map(tuple, g.edge_index.T), g.edge_weight))
        self.assertEqual(pairs[0, 2], 3)
        self.assertEqual(pairs[3, 2], 4)
        self.assertEqual(g.find("r"), 2)

    def test_labels_of_any_type_have_their_missing_ones(self):
        cases = [([0, 1, -1, 1], [0, 1], [0, 1, None, 1]),
                 ([5.0, np.nan, 7.0, 5.0], [5, 7], [5, None, 7, 5]),
                 (["x", "", "y", "x"], ["x", "y"], ["x", None, "y", "x"]),
                 ([None, 3, 1, 3], [1, 3], [None, 3, 1, 3]),
                 ([True, False, True, True], [False, True], [True, False, True, True]),
                 (np.array([np.int64(-1), np.int64(2), None, np.float32(3)], dtype=object), [2, 3],
                  [None, 2, None, 3])]
        for given, classes, labels in cases:
            g = Graph(EDGES, X, given)
            self.assertEqual(list(g.classes), classes)
            self.assertEqual(list(g.y), labels)

    def test_masks_become_roles(self):
        g = Graph(EDGES, X, [0, 1, -1, 1], train_mask=[True, False, True, False],
                  val_mask=np.array([1]))
        self.assertEqual(list(g.roles), ["train", "validation", "unlabelled", "pool"])
        self.assertIsNone(Graph(EDGES, X, [0, 1, 0, 1]).roles)

    def test_masks_of_zeros_and_ones_are_masks(self):
        for dtype in (np.uint8, np.int64, np.float32):
            g = Graph(EDGES, X, [0, 1, 0, 1], train_mask=np.array([0, 0, 1, 0], dtype=dtype))
            self.assertEqual(list(g.roles), ["pool", "pool", "train", "pool"])

    def test_masks_that_name_no_node_are_refused(self):
        for mask in ([4], [-1], [0.5], [[[0]]], ["a"], np.zeros((4, 0))):
            with self.assertRaisesRegex(opine.OpineValueError, "val_mask"):
                Graph(EDGES, X, [0, 1, 0, 1], val_mask=mask)

    def test_class_names_stand_for_the_numbers(self):
        g = Graph(EDGES, X, [0, 2, -1, 2], class_names=["red", "green", "blue"])
        self.assertEqual(list(g.classes), ["red", "green", "blue"])
        self.assertEqual(list(g.y), ["red", "blue", None, "blue"])

    def test_sparse_and_dense_make_the_same_graph(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("scipy is not installed")
        dense = Graph(EDGES, X, [0, 1, 0, 1])
        a = sparse.coo_matrix((np.ones(4), EDGES), shape=(4, 4))
        self.assertEqual(Graph(a, sparse.csc_matrix(X), [0, 1, 0, 1]).hash, dense.hash)
        self.assertEqual(Graph.from_scipy(a, X, [0, 1, 0, 1]).hash, dense.hash)
        adjacency, features = dense.to_scipy()
        self.assertEqual(Graph(adjacency, features, [0, 1, 0, 1]).hash, dense.hash)

    def test_wrong_arrays_are_refused_in_words(self):
        cases = [(dict(edge_index=EDGES.T), "transpose it"),
                 (dict(edge_index=EDGES, x=X[:3]), "outside \\[0, 3\\)"),
                 (dict(edge_index=EDGES, x=X, y=[1, 2]), "2 labels for 4 nodes"),
                 (dict(edge_index=EDGES, x=X, names=["a"]), "1 names for 4 nodes"),
                 (dict(edge_index=EDGES, x=X[:, 0]), "x has the shape \\(4,\\)"),
                 (dict(edge_index=EDGES, x=X * np.nan), "is not finite"),
                 (dict(edge_index=EDGES + 0.5, x=X), "not whole"),
                 (dict(edge_index=EDGES, x=X, edge_weight=[1, 1]), "2 weights for 4 edges"),
                 (dict(edge_index=EDGES, x=X, edge_weight=[0, 1, 1, 1]), "above 0"),
                 (dict(edge_index=EDGES, x=np.array([["a"]] * 4)), "numbers are expected")]
        for arguments, message in cases:
            with self.assertRaisesRegex(ValueError, message):
                Graph(**arguments)

    def test_arrays_are_not_changed_and_not_kept(self):
        x = X.copy()
        g = Graph(EDGES, x)
        x[:] = 9
        np.testing.assert_array_equal(g.x, X)


class Files(unittest.TestCase):
    def test_a_graph_survives_its_file_and_pickle(self):
        g = Graph(EDGES, X, ["b", None, "a", "b"], names=list("pqrs"), train_mask=[1, 0, 0, 0])
        g.save("g.npz")
        for again in (Graph.load("g.npz"), pickle.loads(pickle.dumps(g))):
            self.assertEqual(again.hash, g.hash)
            self.assertEqual(again.names, g.names)
            self.assertEqual(list(again.y), list(g.y))
            self.assertEqual(list(again.roles), list(g.roles))

    def test_a_pickled_dataset_is_the_dataset(self):
        again = pickle.loads(pickle.dumps(demo()))
        self.assertEqual((again.name, again.hash, again.info), (demo().name, demo().hash, demo().info))

    def test_images_are_a_graph_of_pixels_without_edges(self):
        pixels = np.arange(5 * 2 * 3, dtype=np.uint8).reshape(5, 2, 3)
        with tempfile.TemporaryDirectory() as folder:
            write_idx(f"{folder}/train-images-idx3-ubyte.gz", pixels)
            write_idx(f"{folder}/train-labels-idx1-ubyte.gz", np.array([3, 7, 3, 7, 7], np.uint8))
            for path in (folder, f"{folder}/train-images-idx3-ubyte.gz"):
                g = Graph.load(path)
                self.assertEqual((g.n_nodes, g.n_edges, g.n_features), (5, 0, 6))
                np.testing.assert_allclose(g.x, pixels.reshape(5, 6) / 255, rtol=1e-6)
                self.assertEqual([str(label) for label in g.y], ["3", "7", "3", "7", "7"])
            with open(f"{folder}/train-images-idx3-ubyte.gz", "r+b") as file:
                file.truncate(30)
            with self.assertRaisesRegex(OpineValueError, "end early"):
                Graph.load(folder)

    def test_a_perceptron_learns_images_with_unlabelled_ones(self):
        drawn = np.random.default_rng(1).integers(0, 100, (60, 2, 3))
        for k in range(3):
            drawn[k::3, :, k] += 150
        with tempfile.TemporaryDirectory() as folder:
            write_idx(f"{folder}/train-images-idx3-ubyte", drawn.astype(np.uint8))
            write_idx(f"{folder}/train-labels-idx1-ubyte", np.arange(60, dtype=np.uint8) % 3)
            g = Graph.load(folder)
        for term in ("vat", "mean-teacher", "pseudo-label"):
            with self.subTest(term):
                with quiet():
                    clf = opine.NodeClassifier("drop-mlp", graph=g, unlabelled=term, batch=16,
                                               epochs=200, learning_rate=0.01, normalise="none")
                    clf.fit(range(30))
                self.assertEqual(set(clf.roles_[30:]), {"unlabelled"})
                self.assertGreater(np.mean(clf.predict() == g.y), 0.9)

    def test_missing_files_are_os_errors(self):
        with self.assertRaisesRegex(OpineOSError, "no such data"):
            Graph.load("nowhere.npz")
        with self.assertRaises(OSError):
            demo().save(os.path.join("no", "folder", "g.npz"))

    def test_datasets_are_listed_with_their_files(self):
        self.assertIn("cora", opine.datasets.names())
        self.assertEqual(opine.datasets.files("demo"), [])
        self.assertEqual(len(opine.datasets.files("cora")), 8)
        with self.assertRaisesRegex(OpineValueError, "no dataset 'corra'"):
            opine.datasets.load("corra")

    def test_fetched_files_are_checked(self):
        os.makedirs("mirror/planetoid")
        for file in opine.datasets.files("cora"):
            with open(os.path.join("mirror", file["path"]), "wb") as out:
                out.write(b"not it")
        mirror = "file://" + os.path.abspath("mirror")
        with self.assertRaisesRegex(OpineOSError, "not the original"):
            opine.datasets.fetch("cora", data_dir="data", mirror=mirror)
        self.assertFalse(os.path.exists("data/planetoid"))


class Others(unittest.TestCase):
    @needs("networkx")
    def test_networkx_gives_names_labels_features_and_weights(self):
        import networkx as nx
        graph = nx.Graph()
        graph.add_node("ada", team="red", skill=1.0)
        graph.add_node("bob", team="blue", skill=2.5)
        graph.add_node("cyd", skill=0.5)
        graph.add_edge("ada", "bob", weight=2.0)
        graph.add_edge("bob", "cyd")
        g = Graph.from_networkx(graph, features=["skill"], label="team", weight="weight")
        self.assertEqual(g.names, ["ada", "bob", "cyd"])
        self.assertEqual(list(g.y), ["red", "blue", None])
        self.assertEqual(g.x[:, 0].tolist(), [1.0, 2.5, 0.5])
        self.assertEqual(g.edge_weight.tolist(), [2, 2, 1, 1])
        with self.assertRaisesRegex(OpineValueError, "'ada' has no attribute 'age'"):
            Graph.from_networkx(graph, features=["age"])

    @needs("networkx")
    def test_networkx_opens_the_graphml_of_the_command(self):
        import networkx as nx
        g = Graph(EDGES, X, ["a<b", "c&d", "a<b", "c&d"], names=list("pqrs"), edge_weight=[1, 2, 3, 4])
        g.save("four.npz")
        with quiet():
            opine.NodeClassifier("s-gcn", epochs=3).fit(g).save("four.safetensors")
        subprocess.run([os.environ["OPINE_COMMAND"], "predict", "four.safetensors", "four.npz", "-o",
                        "out.graphml", "-q"], check=True, stderr=subprocess.DEVNULL)
        read = nx.read_graphml("out.graphml")
        self.assertEqual((read.number_of_nodes(), read.number_of_edges()), (4, 4))
        self.assertEqual([node["name"] for _, node in read.nodes(data=True)], list("pqrs"))
        self.assertEqual(read.edges["n0", "n2"]["weight"], 3)
        first = read.nodes["n0"]
        self.assertEqual(first["label"], "a<b")
        self.assertAlmostEqual(first["p_a<b"] + first["p_c&d"], 1, places=5)
        self.assertTrue(0 <= first["vacuity"] <= 1)

    @needs("pandas")
    def test_pandas_finds_columns_by_their_names(self):
        import pandas as pd
        edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 3.0]})
        nodes = pd.DataFrame({"y": ["u", None, "v"], "speed": [1, 2, 3], "note": list("xyz")},
                             index=["a", "b", "c"])
        self.enterContext(quiet())
        g = Graph.from_pandas(edges, nodes, label="y")
        self.assertEqual(g.names, ["a", "b", "c"])
        self.assertEqual(g.feature_names, ["speed"])
        self.assertEqual(list(g.y), ["u", None, "v"])
        self.assertEqual(g.edge_weight.tolist(), [1, 1, 3, 3])
        self.assertEqual(Graph.from_pandas(edges).n_nodes, 3)
        nodes["y"] = nodes["y"].astype("string")  # whose missing values are pandas.NA
        self.assertEqual(list(Graph.from_pandas(edges, nodes, label="y").y), ["u", None, "v"])
        with self.assertRaisesRegex(OpineValueError, "no column 'z'"):
            Graph.from_pandas(edges, nodes, label="z")
        with self.assertRaisesRegex(OpineValueError, "'d', which is not among the nodes"):
            Graph.from_pandas(edges.replace("c", "d"), nodes)

    @needs("networkx")
    def test_attributes_of_networkx_may_be_lists_of_numbers(self):
        import networkx as nx
        graph = nx.path_graph(3)
        nx.set_node_attributes(graph, {i: [i, 2.0 * i] for i in graph}, "place")
        nx.set_node_attributes(graph, {i: i + 0.5 for i in graph}, "size")
        nx.set_node_attributes(graph, {0: "red", 1: "blue", 2: "red"}, "colour")
        nx.set_node_attributes(graph, {0: [1], 1: [1, 2], 2: [3]}, "ragged")
        g = Graph.from_networkx(graph, features=["place", "size"])
        self.assertEqual(g.feature_names, ["place_0", "place_1", "size"])
        self.assertEqual(g.x.tolist(), [[0, 0, 0.5], [1, 2, 1.5], [2, 4, 2.5]])
        for name in ("colour", "ragged"):
            with self.assertRaisesRegex(OpineValueError, f"attribute '{name}' is no feature"):
                Graph.from_networkx(graph, features=[name])

    @needs("pandas")
    def test_columns_of_pandas_that_are_no_numbers_are_named(self):
        import pandas as pd
        edges = pd.DataFrame({"source": [0, 1], "target": [1, 2]})
        nodes = pd.DataFrame({"y": [0, 1, -1], "speed": [1, 2, 3], "note": list("xyz")})
        with self.assertWarnsRegex(opine.OpineWarning, "column 'note' of the nodes holds no numbers") as caught:
            g = Graph.from_pandas(edges, nodes, label="y")
        self.assertEqual(caught.filename, __file__)
        self.assertEqual((g.feature_names, list(g.y)), (["speed"], [0, 1, None]))
        with self.assertRaisesRegex(OpineValueError, "column 'note' is no feature"):
            Graph.from_pandas(edges, nodes, features=["speed", "note"])
        with self.assertRaisesRegex(OpineValueError, "nodes has no column 'age'"):
            Graph.from_pandas(edges, nodes, features=["age"])
        nodes["speed"] = pd.array([1, None, 3], dtype="Int64")
        with self.assertRaisesRegex(OpineValueError, "not finite"):
            Graph.from_pandas(edges, nodes, features=["speed"])

    def check_masks(self, graph):
        self.assertEqual(list(graph.roles), ["train", "validation", "test", "pool"])
        self.assertEqual(graph.n_edges, 4)
        np.testing.assert_array_equal(graph.x, X)

    def test_what_looks_like_pyg_is_read_with_its_masks(self):
        data = types.SimpleNamespace(edge_index=EDGES, x=X, y=np.array([0, 1, 1, 0]), num_nodes=4,
                                     train_mask=np.arange(4) == 0, val_mask=np.arange(4) == 1,
                                     test_mask=np.arange(4) == 2)
        self.check_masks(Graph.from_pyg(data))

    @needs("torch_geometric")
    def test_a_real_data_of_pyg(self):
        import torch
        from torch_geometric.data import Data
        data = Data(x=torch.tensor(X), edge_index=torch.tensor(EDGES), y=torch.tensor([0, 1, 1, 0]),
                    train_mask=torch.arange(4) == 0, val_mask=torch.arange(4) == 1,
                    test_mask=torch.arange(4) == 2)
        self.check_masks(Graph.from_pyg(data))

    @needs("torch_geometric")
    def test_sparse_tensors_of_pyg(self):
        import torch
        from torch_geometric.data import Data
        wanted = Graph(EDGES, X)
        edges = torch.tensor(EDGES)
        adjacency = torch.sparse_coo_tensor(edges.flip(0), torch.ones(4), (4, 4))
        for x in (torch.tensor(X).to_sparse(), torch.tensor(X).to_sparse_csr()):
            self.assertEqual(Graph.from_pyg(Data(x=x, edge_index=edges, num_nodes=4)).hash, wanted.hash)
        for adj_t in (adjacency, adjacency.to_sparse_csr()):
            self.assertEqual(Graph.from_pyg(Data(x=torch.tensor(X), adj_t=adj_t)).hash, wanted.hash)
        with self.assertRaisesRegex(OpineValueError, "without edge_index"):
            Graph.from_pyg(Data(x=torch.tensor(X)))

    @needs("dgl")
    def test_a_real_graph_of_dgl(self):
        import dgl
        import torch
        graph = dgl.graph((torch.tensor(EDGES[0]), torch.tensor(EDGES[1])))
        graph.ndata.update(feat=torch.tensor(X), label=torch.tensor([0, 1, 1, 0]),
                           train_mask=torch.arange(4) == 0, val_mask=torch.arange(4) == 1,
                           test_mask=torch.arange(4) == 2)
        self.check_masks(Graph.from_dgl(graph))


if __name__ == "__main__":
    unittest.main()
