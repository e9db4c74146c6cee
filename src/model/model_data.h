// model_data.h -- the definition of opn_model, and the kinds of model.

#ifndef OPN_MODEL_DATA_H
#define OPN_MODEL_DATA_H

#include "base/names.h"
#include "network/head.h"
#include "network/network.h"
#include "opine/model.h"

// A model is a combination of parts.
typedef struct opn_i_model_kind {
    const char *id;
    const opn_i_encoder *encoder;
    const opn_i_head *head;
    opn_i_evidence_kind evidence; // default, which a parameter may override
    bool has_teacher;
    bool has_prior;
    bool is_sampled;  // Monte-Carlo dropout
    bool drops_edges; // DropEdge, in training and in sampling
} opn_i_model_kind;

// Includes "auto"; NULL if there is none.
const opn_i_model_kind *opn_i_model_kind_find(const char *id);

// Whether the kind stands for a choice among several: no model is of that kind.
static inline bool opn_i_model_kind_is_auto(const opn_i_model_kind *kind)
{
    return kind->encoder == NULL;
}

// The first kind in the table whose weights are trained in the same way: kinds that
// differ only in how they use the weights share a training run.
const opn_i_model_kind *opn_i_model_kind_trained_as(const opn_i_model_kind *kind);

// Turns the model into another kind that shares its training run; the weights stay. A
// model that "auto" chose stays what it is.
void opn_i_model_see_as(opn_model *model, const opn_i_model_kind *kind);

typedef enum opn_i_normalise { // how features were preprocessed; model files have it
    OPN_NORMALISE_NONE = 0,
    OPN_NORMALISE_ROW = 1,
    OPN_NORMALISE_STANDARD = 2,
    OPN_NORMALISE_L2 = 3
} opn_i_normalise;
enum { OPN_N_NORMALISES = 4 };

// A model, or a simpler method, that was compared with others on n validation nodes.
typedef struct opn_i_candidate {
    char name[32];
    bool is_chosen, is_baseline;
    int32_t n;
    double n_right; // of them
    double nll;     // sum of -ln p of their classes; NaN if unknown
} opn_i_candidate;
enum { OPN_MAX_CANDIDATES = 8 };

// What one training learnt, each block as opn_i_network keeps its weights.
typedef struct opn_i_member {
    opn_real *student;
    opn_real
            *teacher; // NULL for a kind without one, and for a file of an earlier version
} opn_i_member;
enum { OPN_MAX_MEMBERS = 64 };

struct opn_model {
    opn_alloc alloc;
    const opn_i_model_kind *kind;
    opn_i_evidence_kind evidence;
    opn_i_normalise normalise;
    opn_i_sizes sizes;
    int32_t n_node_features; // the last of sizes.n_features, see features.h
    // [opn_model_n_features()] of the training features; NULL unless standardised. The
    // centre is NULL if no column stays sparse.
    double *mean, *scale, *centre;
    opn_i_names param_names, param_values;  // every training parameter, as text
    opn_i_names class_names, feature_names; // features: empty if they are only numbered
    char data_hash[65];
    // Of the nodes and edges alone; "" without node features, and for a file of an
    // earlier version.
    char topology_hash[65];
    char *source;        // of the training graph; NULL if it has none
    opn_i_names notes;   // how its files were read
    char split_hash[65]; // of every node's role in training; "" if the file has none
    opn_train_summary summary;
    opn_calibrator calibrator; // of the kind NONE in files of earlier versions
    opn_i_candidate candidate[OPN_MAX_CANDIDATES]; // what it was chosen from
    int n_candidates;
    // Those of an ensemble say what they say together.
    opn_i_member member[OPN_MAX_MEMBERS];
    int32_t n_members;
    // The training graph has nodes without neighbours, or it is not known.
    bool may_be_isolated;
    opn_model *elsewhere; // for other graphs if this one knows only its own, or NULL
};

// Sets model->evidence from the parameters, or by its kind if they do not set it. Errors:
// INVALID_ARG (the head or a term of its loss cannot use that evidence).
OPN_NODISCARD opn_status opn_i_model_choose_evidence(opn_ctx *ctx,
                                                     const opn_params *params,
                                                     opn_model *model);

// Remembers where the training graph came from and how it was read. What is not UTF-8,
// which a path may be, is left out: a model file could not hold it.
OPN_NODISCARD opn_status opn_i_model_keep_origin(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 opn_model *model);
OPN_NODISCARD opn_status opn_i_model_set_source(opn_ctx *ctx,
                                                const char *source,
                                                opn_model *model);

// The parameters the model was trained with; those unknown to this version are left out.
OPN_NODISCARD opn_status opn_i_model_params(opn_ctx *ctx,
                                            const opn_model *model,
                                            opn_params **out);

// Units and heads from the parameters; features and classes are left 0.
opn_i_sizes opn_i_model_sizes(const opn_i_model_kind *kind, const opn_params *params);

// Whether the encoder can have these units and heads. Errors: INVALID_ARG.
OPN_NODISCARD opn_status opn_i_model_check_sizes(opn_ctx *ctx,
                                                 const opn_i_model_kind *kind,
                                                 const opn_i_sizes *sizes);

// The seed of a member's training and sampling; that of the first is `seed` itself. The
// others are far from the seeds around it, which other runs use.
uint64_t opn_i_member_seed(uint64_t seed, int32_t member);

// Whether all members bring their teacher along.
bool opn_i_model_has_teacher(const opn_model *model);

// A model with one member, without weights.
OPN_NODISCARD opn_status opn_i_model_new(opn_ctx *ctx, opn_model **out);

#endif // OPN_MODEL_DATA_H
