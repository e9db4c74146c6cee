"""Graphs that others have written, and opinions that others read."""

import gzip
import os
import subprocess
import unittest

import numpy as np

import opine
from support import demo, needs, quiet


def write_rows(path, rows):
    """A gzipped table without a header, as the Open Graph Benchmark has them."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)


class Reading(unittest.TestCase):
    def test_an_untouched_node_folder_of_ogb_is_read_with_its_split(self):
        g = demo()
        once = g.edge_index[:, g.edge_index[0] < g.edge_index[1]]
        nodes = np.arange(g.n_nodes)
        write_rows("ogbn_demo/raw/edge.csv.gz", once.T)
        write_rows("ogbn_demo/raw/node-feat.csv.gz", g.x[:, :50].tolist())
        write_rows("ogbn_demo/raw/node-label.csv.gz", g.y_index[:, None])
        write_rows("ogbn_demo/raw/num-node-list.csv.gz", [[g.n_nodes]])
        write_rows("ogbn_demo/raw/num-edge-list.csv.gz", [[once.shape[1]]])
        for part, name in enumerate(("train", "valid", "test")):
            write_rows(f"ogbn_demo/split/time/{name}.csv.gz", nodes[nodes % 3 == part][:, None])
        read = opine.Graph.load("ogbn_demo")
        self.assertEqual((read.n_nodes, read.n_edges, read.n_features), (2500, g.n_edges, 50))
        np.testing.assert_array_equal(read.x, g.x[:, :50])
        np.testing.assert_array_equal(read.y_index, g.y_index)
        for part, role in enumerate(("train", "validation", "test")):
            np.testing.assert_array_equal(read.roles == role, nodes % 3 == part)

    def test_a_list_of_snap_is_read_with_what_is_beside_it(self):
        with open("friends.txt", "w", encoding="utf-8") as file:
            file.write("# Undirected graph: friends.txt\n# FromNodeId\tToNodeId\n10\t20\n20\t30\n30\t10\n")
        with open("friends.features.csv", "w", encoding="utf-8") as file:
            file.write("node,age\n10,36\n20,41\n30,29\n")
        with open("friends.labels.csv", "w", encoding="utf-8") as file:
            file.write("node,label\n10,red\n30,blue\n")
        g = opine.Graph.load("friends.txt")
        self.assertEqual((g.n_edges, g.feature_names), (3, ["age"]))
        self.assertEqual(dict(zip(g.names, g.x[:, 0])), {"10": 36, "20": 41, "30": 29})
        self.assertEqual(dict(zip(g.names, g.y)), {"10": "red", "20": None, "30": "blue"})

    @needs("networkx")
    def test_the_graphml_of_networkx_is_read(self):
        import networkx as nx
        graph = nx.karate_club_graph()
        nx.set_node_attributes(graph, dict(graph.degree), "friends")
        nx.write_graphml(graph, "club.graphml")
        g = opine.Graph.load("club.graphml", label="club")
        self.assertEqual((g.n_nodes, g.n_edges), (34, 78))
        self.assertEqual(list(g.classes), ["Mr. Hi", "Officer"])
        self.assertEqual(g.x[:3, g.feature_names.index("friends")].tolist(), [16, 9, 10])
        with quiet():
            self.assertEqual(len(opine.NodeClassifier("s-gcn", epochs=3).fit(g).predict()), 34)

    def test_paths_may_be_of_any_type(self):
        import pathlib
        demo().save("g.npz")
        for path in ("g.npz", pathlib.Path("g.npz"), b"g.npz"):
            self.assertEqual(opine.Graph.load(path).n_nodes, 2500)
        odd = os.fsdecode(b"g-\xff.npz")
        os.rename("g.npz", odd)
        for path in (odd, pathlib.Path(odd)):
            self.assertEqual(opine.Graph.load(path).n_nodes, 2500)
        with self.assertRaisesRegex(opine.OpineValueError, "NUL"):
            opine.Graph.load("g\0.npz")
        with self.assertRaises(opine.OpineValueError):
            opine.Graph.load("\ud800.npz")


class Writing(unittest.TestCase):
    @needs("networkx")
    def test_opinions_as_graphml_have_the_figures_of_python(self):
        import networkx as nx
        g = opine.Graph(demo().edge_index, demo().x, demo().y_index)
        with quiet():
            clf = opine.NodeClassifier("s-gcn", epochs=3).fit(g)
        g.save("g.npz")
        clf.save("m.safetensors")
        subprocess.run([os.environ["OPINE_COMMAND"], "predict", "m.safetensors", "g.npz", "-o", "out.graphml",
                        "-q"], check=True, stderr=subprocess.DEVNULL)
        read = nx.read_graphml("out.graphml")
        self.assertEqual((read.number_of_nodes(), read.number_of_edges()), (2500, g.n_edges))
        vacuity = [node["vacuity"] for _, node in read.nodes(data=True)]
        np.testing.assert_allclose(vacuity, clf.opinion().vacuity, rtol=1e-5)
        self.assertEqual([node["predicted"] for _, node in read.nodes(data=True)],
                         [str(k) for k in clf.predict()])

    @needs("networkx")
    def test_networkx_writes_back_what_it_read(self):
        """A whole round: GraphML, opine, GraphML again."""
        import networkx as nx
        read = nx.karate_club_graph()
        g = opine.Graph.from_networkx(read, label="club")
        with quiet():
            table = opine.NodeClassifier("s-gcn", epochs=3).fit(g).opinions(as_frame=False)
        nx.set_node_attributes(read, dict(zip(read, map(float, table["vacuity"]))), "vacuity")
        nx.write_graphml(read, "again.graphml")
        self.assertEqual(opine.Graph.load("again.graphml", label="club").n_edges, 78)


if __name__ == "__main__":
    unittest.main()
