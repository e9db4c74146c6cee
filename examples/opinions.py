# Opinions of a classifier, in cells that notebooks and editors run one by one.

# %% A club that splits in two, of which eight members have said where they stand
import networkx as nx
import numpy as np

import opine

club = nx.karate_club_graph()
said = [0, 1, 2, 3, 33, 32, 31, 27]
sides = {i: club.nodes[i]["club"] if i in said else None for i in club}
nx.set_node_attributes(club, sides, "side")

# %% Nodes without features are learnt from their edges
graph = opine.Graph.from_networkx(club, label="side")
clf = opine.NodeClassifier("s-bgcn-t-k", random_state=0).fit(graph)
clf

# %% What it says about everyone
truth = np.array([club.nodes[i]["club"] for i in club])
print(f"{np.mean(clf.predict() == truth):.0%} of {len(truth)} members are right")

# %% Whom to ask next: those about whom the evidence conflicts most
opinion = clf.opinion()
for i in np.argsort(-opinion.dissonance)[:3]:
    print(clf.explain(int(i)))
