// param_table.c -- the one table of parameters, and values for it.

#include "base/context.h"
#include "base/number.h"
#include "base/suggest.h"
#include "opine/measure.h"
#include "opine/params.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const opn_param table[] = {
        {.name = "model",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "s-bgcn-t-k",
         .choices = "auto|"
                    "gcn|drop-gcn|dropedge-gcn|edl-gcn|dpn-gcn|s-gcn|s-bgcn|s-bgcn-t|"
                    "s-bgcn-t-k|gat|drop-gat|s-gat|s-bgat|s-bgat-t|s-bgat-t-k|"
                    "sage|drop-sage|s-sage|s-bsage|s-bsage-t|s-bsage-t-k|"
                    "mlp|drop-mlp|s-mlp|s-bmlp|s-bmlp-t|s-bmlp-t-k|"
                    "links|drop-links|s-links|s-blinks|s-blinks-t|s-blinks-t-k",
         .affects = OPN_AFFECTS_MODEL,
         .help = "Which model to train: auto, the default for your own graphs, which "
                 "keeps the best of three on the validation nodes, or a combination of "
                 "encoder (gcn, gat and sage see a node's features and its neighbours', "
                 "mlp its features alone, links its features and which nodes it is "
                 "linked to), head and sampler, with a teacher (-t) and a prior (-k)."},
        {.name = "task",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "misclassification",
         .choices = "misclassification|ood|both",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "What the uncertainties should find: misclassified nodes (lambda1 "
                 "0.001), nodes of held-out classes (lambda1 0.1), or both with one "
                 "model (lambda1 0.1), which is the default for your own graphs (lambda1 "
                 "0.001) and holds out only what `ood_classes` names."},
        {.name = "preset",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "auto",
         .choices = "auto|paper|strong",
         .affects = OPN_AFFECTS_DEFAULTS,
         .help = "Defaults for options not given: auto (for named datasets paper, for "
                 "other graphs `model` auto with 64 hidden units and at most 500 "
                 "epochs), paper (the paper's values for this model and dataset) or "
                 "strong (values that find more out-of-distribution nodes: lambda1 0.3, "
                 "500 epochs, 200 for the teacher, 10 steps of propagation)."},
        {.name = "ood_classes",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "A,B,...",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Names of the classes to hold out, separated by commas; named "
                 "datasets have their own for `task` ood."},
        {.name = "hidden",
         .kind = OPN_PARAM_INT,
         .default_text = "16",
         .min = 1,
         .max = 4096,
         .unit = "units",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Units in the hidden layer, over all heads."},
        {.name = "heads",
         .kind = OPN_PARAM_INT,
         .default_text = "8",
         .min = 1,
         .max = 8,
         .unit = "heads",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Attention heads in the hidden layer (gat), concatenated."},
        {.name = "out_heads",
         .kind = OPN_PARAM_INT,
         .default_text = "1",
         .min = 1,
         .max = 8,
         .unit = "heads",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Attention heads in the last layer (gat), averaged."},
        {.name = "evidence",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "exp",
         .choices = "exp|relu|softplus|elu",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How logits become evidence; edl-gcn defaults to elu."},
        {.name = "normalise",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "auto",
         .choices = "auto|row|l2|standard|none",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How to scale the features: each node's to sum 1 (row) or to Euclidean "
                 "length 1 (l2), or each feature to mean 0 and variance 1 (standard); "
                 "auto means row if no feature is negative, otherwise standard."},
        {.name = "members",
         .kind = OPN_PARAM_INT,
         .default_text = "1",
         .min = 1,
         .max = 64,
         .unit = "models",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Train an ensemble of so many models with different seeds, and average "
                 "their evidence."},
        {.name = "epochs",
         .kind = OPN_PARAM_INT,
         .default_text = "200",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Number of training epochs; for `task` ood the default is 1000, and "
                 "`preset` may have its own; `patience` may end training earlier."},
        {.name = "teacher_epochs",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Number of training epochs for the teacher; 0 means as many as for "
                 "the model; with the 1000 of `task` ood and for `preset` strong the "
                 "default is 200."},
        {.name = "patience",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Stop training after this many epochs without a better validation "
                 "score, and keep the best weights; 0 means never."},
        {.name = "stop_on",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "loss",
         .choices = "loss|accuracy|both",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "What has to improve on the validation nodes within the patience; "
                 "with both, either may improve, and the weights kept are the best in "
                 "both."},
        {.name = "learning_rate",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.01",
         .min = 1e-9,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Step size of Adam."},
        {.name = "dropout",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.5",
         .min = 0,
         .max = 0.99,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Fraction of feature entries and hidden units dropped in each pass."},
        {.name = "drop_edge",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.2",
         .min = 0,
         .max = 0.99,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Fraction of edges (dropedge-gcn) or attention coefficients (gat) "
                 "dropped in each pass."},
        {.name = "weight_decay",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.0005",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Weight of half the squared norm of the first layer (gcn) or of all "
                 "weights (gat, sage)."},
        {.name = "teacher_ramp",
         .kind = OPN_PARAM_INT,
         .default_text = "200",
         .min = 1,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Number of epochs over which the weight of the teacher rises to 1."},
        {.name = "lambda1",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.001",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Weight of the divergence from the prior."},
        {.name = "sigma",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0.01,
         .max = 1000,
         .unit = "hops",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How far the influence of a labelled node reaches in the prior, in "
                 "hops."},
        {.name = "kernel_constant",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Scale the prior by 1/(sigma sqrt(2 pi)), as written in the paper."},
        {.name = "unlabelled",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "none",
         .choices = "none|vat|mean-teacher|pseudo-label",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "What the model also learns from nodes that are not training nodes: to "
                 "predict the same for features shifted where it matters most (vat) or as "
                 "its own weights averaged over the epochs do (mean-teacher), or what it "
                 "predicts already (pseudo-label)."},
        {.name = "unlabelled_weight",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Weight of that term of the loss."},
        {.name = "unlabelled_ramp",
         .kind = OPN_PARAM_INT,
         .default_text = "100",
         .min = 0,
         .max = 10e6,
         .unit = "epochs",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Number of epochs over which that weight rises from 0."},
        {.name = "vat_radius",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.2",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Length of the shift of a node's features (vat), as a fraction of the "
                 "root mean square length of all nodes' features."},
        {.name = "vat_step",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.01",
         .min = 1e-6,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Length of the step that finds the direction of that shift, likewise."},
        {.name = "mean_teacher_decay",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.99",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Fraction of the averaged weights that an epoch keeps (mean-teacher)."},
        {.name = "mean_teacher_noise",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1e6,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Standard deviation of normal noise on the features that the averaged "
                 "weights see, besides dropout (mean-teacher)."},
        {.name = "pseudo_label_threshold",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "Least probability of a class that is taken for a label (pseudo-label)."},
        {.name = "batch",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 10e6,
         .unit = "nodes",
         .affects = OPN_AFFECTS_WEIGHTS,
         .help = "How many of the other nodes an epoch takes with `unlabelled`, in turn "
                 "and in random order; 0 means all, as models that look at edges need."},
        {.name = "resume",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Resume from the checkpoint of an interrupted run."},
        {.name = "checkpoint_every",
         .kind = OPN_PARAM_REAL,
         .default_text = "30",
         .min = 0,
         .max = 86400,
         .unit = "seconds",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Seconds between checkpoints, from which a killed run can resume; 0 "
                 "means only when interrupted."},
        {.name = "samples",
         .kind = OPN_PARAM_INT,
         .default_text = "100",
         .min = 1,
         .max = 1e6,
         .unit = "passes",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Number of passes with dropout that a Bayesian model averages over."},
        {.name = "sample_dropout",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Fraction dropped in these passes; 1 means the same as `dropout`."},
        {.name = "sample_drop_edge",
         .kind = OPN_PARAM_REAL,
         .default_text = "1",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Fraction of edges dropped in these passes; 1 means the same as "
                 "`drop_edge`."},
        {.name = "average",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "alpha",
         .choices = "alpha|logits",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "What to average over the passes: alpha as in the paper, or logits as "
                 "in the authors' code."},
        {.name = "propagate",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 1000,
         .unit = "steps",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Number of steps by which to diffuse each measure over the graph as "
                 "well; such measures are called vacuity~ and so on."},
        {.name = "teleport",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.1",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "How much of a node's own value every step of `propagate` keeps; the "
                 "rest is the mean over its neighbours."},
        {.name = "isolated",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "auto",
         .choices = "auto|keep|uncertain",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "Nodes without neighbours keep their own value in smoothed measures, "
                 "fused and margin, or count as uncertain around them; auto means keep "
                 "if the training graph has such nodes, otherwise uncertain."},
        {.name = "calibrate",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "pool",
         .choices = "pool|temperature|none",
         .affects = OPN_AFFECTS_SAMPLING,
         .help = "How probabilities are calibrated after training: not at all, by a "
                 "temperature, or with the neighbourhood as a second opinion; a pool is a "
                 "temperature for models without a teacher, and with fewer than 100 "
                 "labels beside those that train."},
        {.name = "abstain_above",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "M=X,...",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Reject nodes with a measure above its threshold, as in "
                 "vacuity=0.5,dissonance=0.4; two extra columns give the decision and "
                 "the measure behind it."},
        {.name = "target_accuracy",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Accept as many nodes as labels show can be accepted such that this "
                 "fraction of them is right, and none if they show nothing."},
        {.name = "confidence",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.9",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "How sure `target_accuracy` is to be kept, over draws of the labels."},
        {.name = "pick",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "shown",
         .choices = "shown|best-looking",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "The threshold of `target_accuracy`: one that labels show to keep it, or "
                 "the one that looks best on the validation nodes and promises nothing."},
        {.name = "coverage",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Give each node the set of classes that holds its own with this "
                 "probability, in a column called set; an empty set means that no known "
                 "class fits."},
        {.name = "set_score",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "lac",
         .choices = "lac|aps|raps|daps",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "How sets are made: the smallest on average, by sums of probabilities, "
                 "these with a penalty for size, or diffused over the graph."},
        {.name = "coverage_by",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "all",
         .choices = "all|class",
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Whether `coverage` is kept over all nodes or within each class."},
        {.name = "ood_fdr",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "Mark nodes as of an unknown class such that at most this fraction of "
                 "the marks is wrong on average, and add their p-values, p_known."},
        {.name = "decide_by",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "recommended",
         .choices = "recommended|" OPN_MEASURE_NAMES,
         .affects = OPN_AFFECTS_DECISIONS,
         .help = "The measure for which `target_accuracy` picks a threshold; "
                 "recommended means dissonance, or entropy for a model without it."},
        {.name = "seeds",
         .kind = OPN_PARAM_INT,
         .default_text = "10",
         .min = 1,
         .max = 1000,
         .unit = "seeds",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Number of seeds to average over, each with its own split if splits "
                 "are drawn."},
        {.name = "trials",
         .kind = OPN_PARAM_INT,
         .default_text = "30",
         .min = 1,
         .max = 10000,
         .unit = "trials",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Number of settings to try; the first is the default."},
        {.name = "protocol",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "paper",
         .choices = "paper|full|reference|gnnsafe|gpn",
         .affects = OPN_AFFECTS_SCORES,
         .help = "Which nodes to score: 50 draws of 1000 as in the paper, all of them, "
                 "or those of the authors' code; or graph, split and nodes of another "
                 "paper: GNNSafe, with a `shift`, or GPN, which leaves classes out."},
        {.name = "shift",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "none",
         .choices = "none|structure|feature|label",
         .affects = OPN_AFFECTS_SCORES,
         .help = "What is out of distribution under `protocol` gnnsafe: the same nodes "
                 "with other edges or with mixed features, or the nodes of some "
                 "classes."},
        {.name = "table",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "main|main-appendix|ablation-main|ablation-appendix|dropedge|gat|"
                    "images|rule|beyond|encoders|rivals",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which tables of the paper to measure, or rule, beyond and encoders for "
                 "results it does not have and rivals for the protocols of other "
                 "papers; defaults to all but images, which needs mnist and "
                 "fashion-mnist."},
        {.name = "figure",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "maps|pr|roc|simplex",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which figures of the paper to draw, as SVG files in `output`; tables "
                 "are then measured only if `table` is given."},
        {.name = "dataset",
         .kind = OPN_PARAM_CHOICES,
         .default_text = "",
         .choices = "cora|citeseer|pubmed|photo|computers|physics",
         .affects = OPN_AFFECTS_RUNS,
         .help = "Which datasets to measure; defaults to all six."},
        {.name = "perplexity",
         .kind = OPN_PARAM_REAL,
         .default_text = "30",
         .min = 2,
         .max = 100,
         .unit = "nodes",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "About how many nodes each node of a map should be close to (t-SNE)."},
        {.name = "nodes",
         .kind = OPN_PARAM_INT,
         .default_text = "2500",
         .min = 1,
         .max = 100e6,
         .unit = "nodes",
         .affects = OPN_AFFECTS_DATA,
         .help = "Number of nodes."},
        {.name = "classes",
         .kind = OPN_PARAM_INT,
         .default_text = "6",
         .min = 1,
         .max = 10000,
         .unit = "classes",
         .affects = OPN_AFFECTS_DATA,
         .help = "Number of classes (blocks)."},
        {.name = "mean_degree",
         .kind = OPN_PARAM_REAL,
         .default_text = "4",
         .min = 0,
         .max = 10000,
         .unit = "neighbours",
         .affects = OPN_AFFECTS_DATA,
         .help = "Mean number of neighbours; individual degrees follow a power law."},
        {.name = "homophily",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.8",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Approximate fraction of edges that join two nodes of the same class."},
        {.name = "features",
         .kind = OPN_PARAM_INT,
         .default_text = "1000",
         .min = 1,
         .max = 10e6,
         .unit = "words",
         .affects = OPN_AFFECTS_DATA,
         .help = "Number of words in the vocabulary, each a binary feature."},
        {.name = "words",
         .kind = OPN_PARAM_REAL,
         .default_text = "18",
         .min = 0,
         .max = 10000,
         .unit = "words",
         .affects = OPN_AFFECTS_DATA,
         .help = "Mean number of words drawn per node."},
        {.name = "topic_overlap",
         .kind = OPN_PARAM_REAL,
         .default_text = "0.5",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Fraction of words drawn from the vocabulary shared by all classes."},
        {.name = "label_noise",
         .kind = OPN_PARAM_REAL,
         .default_text = "0",
         .min = 0,
         .max = 1,
         .affects = OPN_AFFECTS_DATA,
         .help = "Fraction of nodes whose label is replaced by that of another class."},
        {.name = "label",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "COLUMN",
         .affects = OPN_AFFECTS_LABELS,
         .help = "Column of the labels, in a folder whose labels.csv has several that "
                 "could be meant."},
        {.name = "steps",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "A,B,...",
         .affects = OPN_AFFECTS_DATA,
         .help = "Preprocessing to apply instead of what training applies: undirected, "
                 "largest-component, binary-features, row-normalise, standardise or "
                 "none."},
        {.name = "raw",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_DATA,
         .help = "Use the data exactly as in the file, like `steps` none."},
        {.name = "data_dir",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "DIR",
         .affects = OPN_AFFECTS_SOURCE,
         .help = "Folder to search for named datasets, before $OPINE_DATA and the "
                 "user's data folder."},
        {.name = "mirror",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "URL|DIR",
         .affects = OPN_AFFECTS_DATA,
         .help = "Download from this address or folder, with the files under "
                 "planetoid/ and gnn-benchmark/; defaults to $OPINE_DATA_MIRROR, then "
                 "to the authors' servers."},
        {.name = "count",
         .kind = OPN_PARAM_INT,
         .default_text = "20",
         .min = 1,
         .max = 1e6,
         .unit = "nodes",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "How many nodes to suggest, at most."},
        {.name = "output",
         .kind = OPN_PARAM_TEXT,
         .default_text = "",
         .unit = "OUT",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "File or folder to write the result to."},
        {.name = "json",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Print one JSON document instead of text."},
        {.name = "format",
         .kind = OPN_PARAM_CHOICE,
         .default_text = "text",
         .choices = "text|man|bash|zsh",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Output format: text for the terminal, or all verbs as a man page or "
                 "as completions for bash or zsh."},
        {.name = "seed",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 0x1p53 - 1, // beyond, a double skips numbers
         .affects = OPN_AFFECTS_WEIGHTS | OPN_AFFECTS_DATA,
         .help = "Random seed; the same seed gives the same bits."},
        {.name = "threads",
         .kind = OPN_PARAM_INT,
         .default_text = "0",
         .min = 0,
         .max = 1024,
         .unit = "threads",
         .affects = OPN_AFFECTS_PROCESS,
         .help = "Number of threads, 0 for one per core; results do not depend on it."},
        {.name = "quiet",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Print errors only: no log, no progress."},
        {.name = "verbose",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Print more details."},
        {.name = "help",
         .kind = OPN_PARAM_FLAG,
         .default_text = "off",
         .affects = OPN_AFFECTS_OUTPUT,
         .help = "Show this help."},
};

enum { N_PARAMS = sizeof(table) / sizeof(table[0]) };

typedef struct param_value {
    double number; // FLAG, INT, REAL
    char *text;    // as given; NULL while at the default
} param_value;

struct opn_params {
    opn_alloc alloc;
    param_value value[N_PARAMS];
};

size_t opn_param_count(void)
{
    return N_PARAMS;
}

const opn_param *opn_param_at(size_t i)
{
    return i < N_PARAMS ? &table[i] : NULL;
}

static bool same_name(const char *name, const char *other)
{
    for (; *name != 0 && *other != 0; name++, other++)
        if ((*name == '-' ? '_' : *name) != (*other == '-' ? '_' : *other))
            return false;
    return *name == *other;
}

const opn_param *opn_param_find(const char *name)
{
    OPN_RETURN_IF_NULL(name, NULL);
    for (size_t i = 0; i < N_PARAMS; i++)
        if (same_name(table[i].name, name))
            return &table[i];
    return NULL;
}

static size_t index_of(const char *name)
{
    const opn_param *param = opn_param_find(name);
    assert(param != NULL); // a misspelt name in the source, not in the user's input
    return param == NULL ? 0 : (size_t)(param - table);
}

static bool parse_flag(const char *text, double *out)
{
    *out = strcmp(text, "on") == 0;
    return *out != 0 || strcmp(text, "off") == 0;
}

static bool is_choice(const char *choices, const char *text, size_t n_text)
{
    while (*choices != 0) {
        const size_t n = strcspn(choices, "|");
        if (n == n_text && memcmp(choices, text, n) == 0)
            return true;
        choices += n + (choices[n] == '|');
    }
    return false;
}

// A text of n characters must be a choice. Who mistyped one reads its name; who has none
// in mind reads them all.
static opn_status
check_choice(opn_ctx *ctx, const opn_param *param, const char *text, size_t n)
{
    opn_status status = OPN_OK;
    char guess[OPN_SUGGESTION_ROOM];
    if (is_choice(param->choices, text, n))
        return OPN_OK;
    OPN_FAIL_IF(ctx, opn_i_suggest_choice(param->choices, text, n, guess),
                OPN_ERR_INVALID_ARG, "`%s`: there is no \"%.*s\"; did you mean %s?",
                param->name, (int)n, text, guess);
    OPN_FAIL_IF(ctx, true, OPN_ERR_INVALID_ARG, "`%s`: \"%.*s\" is not one of %s",
                param->name, (int)n, text, param->choices);
cleanup:
    return status;
}

// Each of the texts between commas must be a choice; no text at all is an empty list.
static opn_status check_list(opn_ctx *ctx, const opn_param *param, const char *text)
{
    opn_status status = OPN_OK;
    const char *at = text;
    while (*text != 0) {
        const size_t n = strcspn(at, ",");
        OPN_TRY(check_choice(ctx, param, at, n));
        if (at[n] == 0)
            break;
        at += n + 1;
    }
cleanup:
    return status;
}

static opn_status
check_value(opn_ctx *ctx, const opn_param *param, const char *text, double *number)
{
    opn_status status = OPN_OK;
    switch (param->kind) {
    case OPN_PARAM_FLAG:
        OPN_FAIL_IF(ctx, !parse_flag(text, number), OPN_ERR_INVALID_ARG,
                    "`%s`: \"%s\" is neither on nor off", param->name, text);
        break;
    case OPN_PARAM_INT:
    case OPN_PARAM_REAL:
        OPN_FAIL_IF(ctx, !opn_i_parse_real(text, strlen(text), number),
                    OPN_ERR_INVALID_ARG, "`%s`: \"%s\" is not a number", param->name,
                    text);
        OPN_FAIL_IF(ctx, param->kind == OPN_PARAM_INT && *number != floor(*number),
                    OPN_ERR_INVALID_ARG, "`%s`: %s is not a whole number", param->name,
                    text);
        OPN_FAIL_IF(ctx, *number < param->min || *number > param->max,
                    OPN_ERR_INVALID_ARG, "`%s`: %s is outside [%.16g, %.16g]",
                    param->name, text, param->min, param->max);
        break;
    case OPN_PARAM_CHOICE:
        OPN_TRY(check_choice(ctx, param, text, strlen(text)));
        break;
    case OPN_PARAM_CHOICES:
        OPN_TRY(check_list(ctx, param, text));
        break;
    case OPN_PARAM_TEXT:
        break;
    }
cleanup:
    return status;
}

opn_status opn_params_create(opn_ctx *ctx, opn_params **out)
{
    OPN_REJECT_NULL(ctx, out);
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY_NEW(ctx, params, 1);
    params->alloc = ctx->alloc;
    for (size_t i = 0; i < N_PARAMS; i++)
        OPN_TRY(check_value(ctx, &table[i], table[i].default_text,
                            &params->value[i].number));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

void opn_params_free(opn_params *params)
{
    if (params == NULL)
        return;
    const opn_alloc alloc = params->alloc;
    for (size_t i = 0; i < N_PARAMS; i++)
        opn_i_release(&alloc, params->value[i].text);
    opn_i_release(&alloc, params);
}

opn_status
opn_params_set(opn_ctx *ctx, opn_params *params, const char *name, const char *text)
{
    OPN_REJECT_NULL(ctx, params, name, text);
    opn_status status = OPN_OK;
    const opn_param *param = opn_param_find(name);
    char *copy = NULL;
    double number = 0.0;
    OPN_FAIL_IF(ctx, param == NULL, OPN_ERR_INVALID_ARG, "no parameter is called %s",
                name);
    OPN_TRY(check_value(ctx, param, text, &number));
    const size_t n_text = strlen(text);
    OPN_TRY_NEW(ctx, copy, n_text + 1);
    memcpy(copy, text, n_text);
    param_value *value = &params->value[param - table];
    opn_i_release(&params->alloc, value->text);
    *value = (param_value){number, copy};
cleanup:
    return status;
}

opn_status opn_params_copy(opn_ctx *ctx, const opn_params *params, opn_params **out)
{
    OPN_REJECT_NULL(ctx, params, out);
    opn_status status = OPN_OK;
    opn_params *copy = NULL;
    OPN_TRY(opn_params_create(ctx, &copy));
    for (size_t i = 0; i < N_PARAMS; i++)
        if (params->value[i].text != NULL)
            OPN_TRY(opn_params_set(ctx, copy, table[i].name, params->value[i].text));
    *out = copy;
    copy = NULL;
cleanup:
    opn_params_free(copy);
    return status;
}

int opn_params_given(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return params->value[index_of(name)].text != NULL;
}

double opn_params_real(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, (double)NAN);
    OPN_RETURN_IF_NULL(name, (double)NAN);
    return params->value[index_of(name)].number;
}

int64_t opn_params_int(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return (int64_t)opn_params_real(params, name);
}

int opn_params_flag(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return opn_params_real(params, name) != 0.0;
}

const char *opn_params_text(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, "");
    OPN_RETURN_IF_NULL(name, "");
    const size_t i = index_of(name);
    return params->value[i].text != NULL ? params->value[i].text : table[i].default_text;
}
