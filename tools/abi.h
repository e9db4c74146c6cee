// libopine.so.0.2
//
// What this name promises: declarations of include/opine, written by
// `tools/abi update`. Programs compiled for them run with every library of the
// name.

#include <stddef.h>
#include <stdint.h>

typedef enum opn_status {
    OPN_OK = 0,
    OPN_ERR_NOMEM = 1,
    OPN_ERR_INVALID_ARG = 2,
    OPN_ERR_SHAPE = 3,
    OPN_ERR_OVERFLOW = 4,
    OPN_ERR_FORMAT = 5,
    OPN_ERR_READ = 6,
    OPN_ERR_WRITE = 7,
    OPN_ERR_NONFINITE = 8,
    OPN_ERR_INTERRUPTED = 9,
    OPN_ERR_UNSUPPORTED = 10,
    OPN_ERR_INTERNAL = 11,
} opn_status;
typedef int32_t opn_vid;
typedef int64_t opn_off;
typedef struct opn_alloc {
    void *(*alloc)(void *user, size_t n_bytes);
    void (*release)(void *user, void *ptr);
    void *user;
} opn_alloc;
typedef enum opn_log_level {
    OPN_LOG_WARNING = 0,
    OPN_LOG_INFO = 1,
    OPN_LOG_DETAIL = 2,
    OPN_LOG_STEP = 3,
} opn_log_level;
typedef struct opn_progress {
    const char *stage;
    int64_t done;
    int64_t total;
    const char *unit;
    const char *note;
} opn_progress;
typedef struct opn_epoch {
    const char *stage;
    int32_t number;
    double loss;
    double labels, prior, teacher, decay;
    double accuracy;
    double unlabelled;
} opn_epoch;
typedef struct opn_hooks {
    size_t size;
    void (*log)(void *user, opn_log_level level, const char *message);
    void (*progress)(void *user, const opn_progress *progress);
    int (*interrupted)(void *user);
    void (*epoch)(void *user, const opn_epoch *epoch);
    void *user;
    int32_t terms_every;
} opn_hooks;
typedef struct opn_ctx opn_ctx;
const char *opn_status_name(opn_status status);
const char *opn_version(void);
const char * opn_text_nearest(const char *word, const char *const *candidates, size_t n);
opn_status opn_ctx_create(const opn_alloc *alloc, opn_ctx **out);
void opn_ctx_free(opn_ctx *ctx);
const char *opn_ctx_error(const opn_ctx *ctx);
opn_status opn_ctx_set_hooks(opn_ctx *ctx, const opn_hooks *hooks);
opn_status opn_ctx_set_threads(opn_ctx *ctx, int n_threads);
int opn_ctx_threads(const opn_ctx *ctx);
opn_status opn_ctx_join_ranks(opn_ctx *ctx, int *rank, int *n_ranks);
void opn_ctx_leave_ranks(opn_ctx *ctx, int code);
typedef struct opn_bytes opn_bytes;
const void *opn_bytes_data(const opn_bytes *bytes);
size_t opn_bytes_size(const opn_bytes *bytes);
void opn_bytes_free(opn_bytes *bytes);
enum {
    OPN_MAX_LINKED = 16,
    OPN_MAX_VERSION = 32,
};
typedef struct opn_linked {
    const char *name;
    char version[OPN_MAX_VERSION];
} opn_linked;
typedef struct opn_build {
    const char *version;
    const char *compiler;
    const char *build_type;
    const char *precision;
    const char *kernels;
    const char * cpu;
    int openmp;
    int n_threads;
    char chart_js[OPN_MAX_VERSION];
    int n_linked;
    opn_linked linked[OPN_MAX_LINKED];
} opn_build;
void opn_build_info(opn_build *out);
typedef struct opn_numbers {
    const float *f32;
    const double *f64;
} opn_numbers;
typedef struct opn_number_room {
    float *f32;
    double *f64;
} opn_number_room;
typedef enum opn_calibration {
    OPN_CALIBRATION_NONE = 0,
    OPN_CALIBRATION_TEMPERATURE = 1,
    OPN_CALIBRATION_POOL = 2,
} opn_calibration;
const char *opn_calibration_name(opn_calibration calibration);
opn_calibration opn_calibration_affordable(opn_calibration wanted, int32_t n);
typedef struct opn_calibrator {
    opn_calibration kind;
    int32_t n;
    double a, b;
    double nll_before, nll_after;
} opn_calibrator;
opn_status opn_calibrator_fit(opn_ctx *ctx, opn_calibration kind, int32_t n, int32_t n_classes, opn_numbers p, opn_numbers q, const int32_t *label, opn_calibrator *out);
opn_status opn_calibrator_apply(opn_ctx *ctx, const opn_calibrator *calibrator, int32_t n, int32_t n_classes, opn_numbers p, opn_numbers q, opn_number_room calibrated);
typedef struct opn_probability_quality {
    int32_t n;
    double accuracy;
    double nll, brier;
    double ece;
    double adaptive_ece;
} opn_probability_quality;
opn_status opn_probability_measure(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers p, const int32_t *label, int32_t n_bins, opn_probability_quality *out);
typedef enum opn_param_kind {
    OPN_PARAM_FLAG = 0,
    OPN_PARAM_INT = 1,
    OPN_PARAM_REAL = 2,
    OPN_PARAM_CHOICE = 3,
    OPN_PARAM_TEXT = 4,
    OPN_PARAM_CHOICES = 5,
    OPN_PARAM_PART = 6,
} opn_param_kind;
enum {
    OPN_AFFECTS_MODEL = 1 << 0,
    OPN_AFFECTS_DEFAULTS = 1 << 1,
    OPN_AFFECTS_WEIGHTS = 1 << 2,
    OPN_AFFECTS_SAMPLING = 1 << 3,
    OPN_AFFECTS_DECISIONS = 1 << 4,
    OPN_AFFECTS_SCORES = 1 << 5,
    OPN_AFFECTS_RUNS = 1 << 6,
    OPN_AFFECTS_SOURCE = 1 << 7,
    OPN_AFFECTS_DATA = 1 << 8,
    OPN_AFFECTS_OUTPUT = 1 << 9,
    OPN_AFFECTS_PROCESS = 1 << 10,
    OPN_AFFECTS_LABELS = 1 << 11,
    OPN_AFFECTS_PREDICTION = OPN_AFFECTS_MODEL | OPN_AFFECTS_DEFAULTS | OPN_AFFECTS_WEIGHTS | OPN_AFFECTS_SAMPLING | OPN_AFFECTS_LABELS,
};
typedef struct opn_param {
    const char *name;
    opn_param_kind kind;
    unsigned affects;
    const char *default_text;
    double min, max;
    const char *choices;
    const char *unit;
    const char *help;
} opn_param;
size_t opn_param_count(void);
const opn_param *opn_param_at(size_t i);
const opn_param *opn_param_find(const char *name);
typedef struct opn_params opn_params;
opn_status opn_params_create(opn_ctx *ctx, opn_params **out);
void opn_params_free(opn_params *params);
opn_status opn_params_copy(opn_ctx *ctx, const opn_params *params, opn_params **out);
opn_status opn_params_set(opn_ctx *ctx, opn_params *params, const char *name, const char *text);
int opn_params_given(const opn_params *params, const char *name);
int64_t opn_params_int(const opn_params *params, const char *name);
double opn_params_real(const opn_params *params, const char *name);
int opn_params_flag(const opn_params *params, const char *name);
const char *opn_params_text(const opn_params *params, const char *name);
typedef struct opn_graph opn_graph;
typedef struct opn_dataset {
    const char *name;
    const char *file;
    const char *summary;
    int32_t n_known;
} opn_dataset;
size_t opn_dataset_count(void);
const opn_dataset *opn_dataset_at(size_t i);
typedef struct opn_dataset_file {
    const char *path;
    int64_t n_bytes;
    const char *sha256;
    const char *origin;
} opn_dataset_file;
size_t opn_dataset_n_files(const opn_dataset *dataset);
void opn_dataset_file_at(const opn_dataset *dataset, size_t i, opn_dataset_file *out);
opn_status opn_dataset_find(opn_ctx *ctx, const opn_dataset *dataset, const char *data_dir, int *found);
opn_status opn_data_folder(opn_ctx *ctx, const char *data_dir, char *path, size_t n_room);
typedef struct opn_fetch_info {
    int32_t n_files;
    int32_t n_fetched;
    int64_t n_bytes;
    int64_t n_bytes_fetched;
} opn_fetch_info;
opn_status opn_data_fetch(opn_ctx *ctx, const opn_dataset *dataset, const char *data_dir, const char *mirror, opn_fetch_info *info);
opn_status opn_graph_load(opn_ctx *ctx, const char *data, const char *data_dir, opn_graph **out);
opn_status opn_graph_load_params(opn_ctx *ctx, const char *data, const opn_params *params, opn_graph **out);
opn_status opn_graph_save(opn_ctx *ctx, const opn_graph *graph, const char *path);
opn_status opn_graph_save_shards(opn_ctx *ctx, const opn_graph *graph, int32_t n_blocks, const char *path);
opn_status opn_graph_generate(opn_ctx *ctx, const opn_params *params, opn_graph **out);
void opn_graph_free(opn_graph *graph);
opn_status opn_graph_write(opn_ctx *ctx, const opn_graph *graph, opn_bytes **out);
opn_status opn_graph_read(opn_ctx *ctx, const void *data, size_t n_bytes, opn_graph **out);
opn_status opn_graph_create_edges(opn_ctx *ctx, opn_vid n_nodes, opn_off n_edges, const opn_vid *source, const opn_vid *target, const float *weight, opn_graph **out);
opn_status opn_graph_create_csr(opn_ctx *ctx, opn_vid n_nodes, const opn_off *row_ptr, const opn_vid *col_idx, const float *weight, opn_graph **out);
opn_status opn_graph_copy(opn_ctx *ctx, const opn_graph *graph, opn_graph **out);
opn_status opn_graph_set_features(opn_ctx *ctx, opn_graph *graph, int32_t n_features, const float *value);
opn_status opn_graph_set_features_csr(opn_ctx *ctx, opn_graph *graph, int32_t n_features, const opn_off *row_ptr, const int32_t *col_idx, const float *value);
typedef void opn_release_fn(void *user);
opn_status opn_graph_lend_features(opn_ctx *ctx, opn_graph *graph, int32_t n_features, const float *value, opn_release_fn *release, void *user);
opn_status opn_graph_set_labels(opn_ctx *ctx, opn_graph *graph, int32_t n_classes, const int32_t *label);
opn_status opn_graph_set_roles(opn_ctx *ctx, opn_graph *graph, const uint8_t *role);
opn_status opn_graph_set_node_names(opn_ctx *ctx, opn_graph *graph, const char *const *name);
opn_status opn_graph_set_class_names(opn_ctx *ctx, opn_graph *graph, const char *const *name);
opn_status opn_graph_set_feature_names(opn_ctx *ctx, opn_graph *graph, const char *const *name);
opn_status opn_graph_set_name(opn_ctx *ctx, opn_graph *graph, const char *name);
enum {
    OPN_STEP_UNDIRECTED = 1 << 0,
    OPN_STEP_LARGEST_COMPONENT = 1 << 1,
    OPN_STEP_BINARY_FEATURES = 1 << 2,
    OPN_STEP_ROW_NORMALISE = 1 << 3,
    OPN_STEP_STANDARDISE = 1 << 4,
};
uint32_t opn_graph_usual_steps(const opn_graph *graph);
opn_status opn_steps_parse(opn_ctx *ctx, const char *text, uint32_t *steps);
opn_status opn_steps_from_params(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, uint32_t *steps);
opn_status opn_graph_prepare(opn_ctx *ctx, const opn_graph *graph, uint32_t steps, opn_graph **out);
opn_status opn_graph_load_prepared(opn_ctx *ctx, const char *data, const opn_params *params, opn_graph **out);
typedef enum opn_shift {
    OPN_SHIFT_STRUCTURE = 0,
    OPN_SHIFT_FEATURE = 1,
} opn_shift;
opn_status opn_graph_shift(opn_ctx *ctx, const opn_graph *graph, opn_shift shift, uint64_t seed, opn_graph **out);
typedef struct opn_graph_info {
    int32_t n_nodes;
    int64_t n_edges;
    int32_t n_features;
    int64_t n_feature_entries;
    int32_t n_classes;
    int32_t n_unlabelled;
    int32_t n_isolated;
    int32_t n_components;
    int32_t largest_component;
    int64_t n_self_loops;
    int64_t n_repeated;
    int32_t min_degree, max_degree;
    int32_t median_degree;
    double mean_degree;
    double homophily;
    int is_undirected;
    int is_weighted;
    int64_t n_labelled_edges;
    double adjusted_homophily;
    int32_t n_empty_classes;
} opn_graph_info;
opn_status opn_graph_describe(opn_ctx *ctx, const opn_graph *graph, opn_graph_info *info);
opn_status opn_graph_hash(opn_ctx *ctx, const opn_graph *graph, char text[65]);
const char *opn_graph_source(const opn_graph *graph);
int64_t opn_graph_note_count(const opn_graph *graph);
const char *opn_graph_note(const opn_graph *graph, int64_t i);
const char *opn_graph_name(const opn_graph *graph);
opn_vid opn_graph_n_nodes(const opn_graph *graph);
opn_off opn_graph_n_entries(const opn_graph *graph);
int32_t opn_graph_n_features(const opn_graph *graph);
int32_t opn_graph_n_classes(const opn_graph *graph);
const opn_off *opn_graph_row_ptr(const opn_graph *graph);
const opn_vid *opn_graph_col_idx(const opn_graph *graph);
int opn_graph_weights(const opn_graph *graph, float *weight);
opn_off opn_graph_n_feature_entries(const opn_graph *graph);
void opn_graph_features(const opn_graph *graph, float *value);
void opn_graph_features_csr(const opn_graph *graph, opn_off *row_ptr, int32_t *col_idx, float *value);
const uint8_t *opn_graph_roles(const opn_graph *graph);
const int32_t *opn_graph_labels(const opn_graph *graph);
void opn_graph_class_sizes(const opn_graph *graph, int32_t *size);
int opn_graph_has_node_names(const opn_graph *graph);
int opn_graph_has_class_names(const opn_graph *graph);
int opn_graph_has_feature_names(const opn_graph *graph);
const char * opn_graph_node_name(const opn_graph *graph, opn_vid i, char number[12]);
const char * opn_graph_class_name(const opn_graph *graph, int32_t k, char number[12]);
const char * opn_graph_feature_name(const opn_graph *graph, int32_t k, char number[12]);
typedef struct opn_diffusion {
    int64_t n_steps;
    double teleport;
    double missing;
    int is_lazy;
} opn_diffusion;
opn_status opn_graph_diffuse(opn_ctx *ctx, const opn_graph *graph, const opn_diffusion *how, int32_t n_columns, float *value);
typedef struct opn_warning {
    const char *kind;
    int64_t count;
    const char *message;
} opn_warning;
typedef void opn_warning_fn(void *user, const opn_warning *warning);
opn_status opn_graph_warnings(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, opn_warning_fn *tell, void *user);
typedef enum opn_set_kind {
    OPN_SET_LAC = 0,
    OPN_SET_APS = 1,
    OPN_SET_RAPS = 2,
} opn_set_kind;
const char *opn_set_name(opn_set_kind kind);
typedef struct opn_set_options {
    opn_set_kind kind;
    int is_randomised;
    uint64_t seed;
    int32_t n_free;
    double penalty;
} opn_set_options;
opn_status opn_set_score(opn_ctx *ctx, const opn_set_options *options, int32_t n, int32_t n_classes, opn_numbers p, opn_number_room score);
opn_status opn_set_calibrate(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers score, const int32_t *label, double coverage, int is_per_class, double *threshold);
opn_status opn_set_members(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers score, const double *threshold, uint8_t *member);
typedef struct opn_set_quality {
    int32_t n;
    int32_t n_covered;
    int32_t n_empty;
    int32_t n_single;
    double coverage;
    double mean_size;
} opn_set_quality;
opn_status opn_set_measure(opn_ctx *ctx, int32_t n, int32_t n_classes, const uint8_t *member, const int32_t *label, int32_t *covered, int32_t *of_class, opn_set_quality *out);
opn_status opn_conformal_p_values(opn_ctx *ctx, int32_t n_calibration, opn_numbers calibration, int32_t n, opn_numbers score, double *p_value);
opn_status opn_discover(opn_ctx *ctx, int32_t n, const double *p_value, double level, uint8_t *found, double *threshold, int32_t *n_found);
typedef struct opn_control {
    double target, confidence;
    int is_shown;
    double threshold;
    int32_t n;
    int32_t n_accepted, n_right;
    double low;
    int32_t n_needed;
} opn_control;
opn_status opn_control_accuracy(opn_ctx *ctx, int32_t n, opn_numbers score, const uint8_t *right, int32_t n_candidates, opn_numbers candidate, double target, double confidence, opn_control *out);
typedef enum opn_measure {
    OPN_MEASURE_VACUITY = 0,
    OPN_MEASURE_DISSONANCE = 1,
    OPN_MEASURE_ALEATORIC = 2,
    OPN_MEASURE_EPISTEMIC = 3,
    OPN_MEASURE_ENTROPY = 4,
    OPN_MEASURE_FUSED = 5,
    OPN_MEASURE_MARGIN = 6,
} opn_measure;
int32_t opn_measure_count(void);
const char *opn_measure_name(opn_measure measure);
int32_t opn_measure_find(const char *name);
const char *opn_measure_phrase(opn_measure measure, double value);
int32_t opn_score_count(void);
const char *opn_score_name(int32_t score);
int32_t opn_score_find(const char *name);
opn_status opn_opinion(opn_ctx *ctx, int64_t n, int32_t n_classes, const float *alpha, int32_t n_measures, float *const *measure);
typedef enum opn_opinion_input {
    OPN_OPINION_ALPHA = 0,
    OPN_OPINION_LOGITS = 1,
    OPN_OPINION_SOFTMAX = 2,
    OPN_OPINION_PROBABILITY = 3,
} opn_opinion_input;
opn_status opn_opinion_from(opn_ctx *ctx, opn_opinion_input input, int32_t n_samples, int64_t n, int32_t n_classes, opn_numbers x, int32_t n_measures, const opn_number_room *measure, opn_number_room alpha, opn_number_room probability);
typedef enum opn_role {
    OPN_ROLE_TRAIN = 0,
    OPN_ROLE_VALIDATION = 1,
    OPN_ROLE_TEST = 2,
    OPN_ROLE_POOL = 3,
    OPN_ROLE_UNLABELLED = 4,
    OPN_ROLE_CALIBRATION = 5,
} opn_role;
enum {
    OPN_N_ROLES = 6,
};
const char *opn_role_name(opn_role role);
typedef enum opn_split_rule {
    OPN_SPLIT_USUAL = 0,
    OPN_SPLIT_GIVEN = 1,
    OPN_SPLIT_SAMPLED = 2,
    OPN_SPLIT_OWN = 3,
    OPN_SPLIT_REFERENCE = 4,
    OPN_SPLIT_GNNSAFE = 5,
    OPN_SPLIT_GPN = 6,
} opn_split_rule;
typedef struct opn_split opn_split;
opn_status opn_split_create(opn_ctx *ctx, const opn_graph *graph, opn_split_rule rule, uint64_t seed, const int32_t *ood_classes, int32_t n_ood, opn_split **out);
void opn_split_free(opn_split *split);
opn_vid opn_split_n_nodes(const opn_split *split);
int32_t opn_split_n_classes(const opn_split *split);
const uint8_t *opn_split_roles(const opn_split *split);
opn_vid opn_split_count(const opn_split *split, opn_role role);
const char *opn_split_origin(const opn_split *split);
const uint8_t *opn_split_pool(const opn_split *split);
opn_vid opn_split_pool_size(const opn_split *split);
const int32_t *opn_split_known(const opn_split *split);
int32_t opn_split_n_known(const opn_split *split);
typedef struct opn_model opn_model;
typedef struct opn_checkpoint opn_checkpoint;
opn_status opn_params_use_preset(opn_ctx *ctx, const opn_graph *graph, opn_params *params);
opn_status opn_params_check_models(opn_ctx *ctx, const opn_params *params, int several);
opn_status opn_split_from_params(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, opn_split **out);
opn_status opn_model_split(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, opn_split **out);
opn_status opn_model_train(opn_ctx *ctx, const opn_graph *graph, const opn_split *split, const opn_params *params, const opn_checkpoint *checkpoint, opn_model **out);
void opn_model_free(opn_model *model);
opn_status opn_model_review(opn_ctx *ctx, const opn_graph *graph, const opn_split *split, const opn_params *params, opn_model *model);
opn_status opn_model_calibrate(opn_ctx *ctx, const opn_graph *graph, const opn_split *split, const opn_params *params, opn_model *model);
const opn_calibrator *opn_model_calibrator(const opn_model *model);
opn_status opn_checkpoint_open(opn_ctx *ctx, const char *path, int resumes, opn_checkpoint **out);
int opn_checkpoint_exists(const opn_checkpoint *checkpoint);
void opn_checkpoint_close(opn_checkpoint *checkpoint, int is_saved);
opn_status opn_model_save(opn_ctx *ctx, const opn_model *model, const char *path);
opn_status opn_model_load(opn_ctx *ctx, const char *path, opn_model **out);
opn_status opn_model_write(opn_ctx *ctx, const opn_model *model, opn_bytes **out);
opn_status opn_model_read(opn_ctx *ctx, const void *data, size_t n_bytes, opn_model **out);
opn_status opn_model_load_graph(opn_ctx *ctx, const opn_model *model, const char *data, const opn_params *params, opn_graph **out);
opn_status opn_model_for_graph(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_model **out);
int opn_model_measures(const opn_model *model, opn_measure measure);
opn_status opn_model_hidden(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, float *hidden);
int32_t opn_model_n_hidden(const opn_model *model);
const char *opn_model_id(const opn_model *model);
int32_t opn_model_n_members(const opn_model *model);
int32_t opn_model_n_classes(const opn_model *model);
const char *opn_model_class_name(const opn_model *model, int32_t k);
int32_t opn_model_n_features(const opn_model *model);
const char *opn_model_param(const opn_model *model, const char *name);
const char *opn_model_data_hash(const opn_model *model);
const char *opn_model_source(const opn_model *model);
int64_t opn_model_note_count(const opn_model *model);
const char *opn_model_note(const opn_model *model, int64_t i);
typedef struct opn_train_summary {
    int32_t teacher_epochs;
    int32_t epochs;
    int32_t n_train;
    int32_t n_validation;
    double validation_accuracy;
    double validation_nll;
    int ended_early;
    int64_t n_bounded_logits;
    double teacher_seconds, prior_seconds, train_seconds;
} opn_train_summary;
void opn_model_summary(const opn_model *model, opn_train_summary *summary);
typedef struct opn_candidate {
    const char *name;
    int is_chosen;
    int is_baseline;
    int32_t n_validation;
    double accuracy;
    double error;
    double nll;
} opn_candidate;
int32_t opn_model_candidate_count(const opn_model *model);
void opn_model_candidate(const opn_model *model, int32_t i, opn_candidate *out);
typedef struct opn_prediction opn_prediction;
enum {
    OPN_KEEP_BELIEF = 1 << 0,
    OPN_KEEP_ENERGY = 1 << 1,
    OPN_KEEP_AROUND = 1 << 2,
};
opn_status opn_model_predict(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_params *params, uint32_t keep, opn_prediction **out);
void opn_prediction_free(opn_prediction *prediction);
int32_t opn_prediction_n_nodes(const opn_prediction *prediction);
int32_t opn_prediction_n_classes(const opn_prediction *prediction);
const int32_t *opn_prediction_predicted(const opn_prediction *prediction);
const float *opn_prediction_probability(const opn_prediction *prediction);
const float *opn_prediction_alpha(const opn_prediction *prediction);
const float *opn_prediction_belief(const opn_prediction *prediction);
const float *opn_prediction_measure(const opn_prediction *prediction, opn_measure measure);
const float *opn_prediction_smoothed(const opn_prediction *prediction, opn_measure measure);
const float *opn_prediction_energy(const opn_prediction *prediction);
const float *opn_prediction_around(const opn_prediction *prediction);
const float *opn_prediction_calibrated(const opn_prediction *prediction);
const float *opn_prediction_confidence(const opn_prediction *prediction);
const float *opn_prediction_p_known(const opn_prediction *prediction);
const uint8_t *opn_prediction_set(const opn_prediction *prediction);
const uint8_t *opn_prediction_decision(const opn_prediction *prediction);
const int8_t *opn_prediction_decided_by(const opn_prediction *prediction);
const char *opn_prediction_summary(const opn_prediction *prediction);
opn_status opn_prediction_save(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_split *split, const opn_prediction *prediction, const char *path);
typedef enum opn_decision {
    OPN_DECISION_ACCEPT = 0,
    OPN_DECISION_MISCLASSIFIED = 1,
    OPN_DECISION_OOD = 2,
    OPN_DECISION_UNKNOWN = 3,
} opn_decision;
enum {
    OPN_N_DECISIONS = 4,
};
const char *opn_decision_name(opn_decision decision);
opn_decision opn_decision_for(opn_measure measure);
typedef struct opn_thresholds opn_thresholds;
opn_status opn_thresholds_parse(opn_ctx *ctx, const char *text, opn_thresholds **out);
void opn_thresholds_free(opn_thresholds *thresholds);
double opn_thresholds_most(const opn_thresholds *thresholds, opn_measure measure);
opn_status opn_decide(opn_ctx *ctx, int32_t n, int32_t n_measures, const float *const *measure, const opn_thresholds *thresholds, uint8_t *decision, int8_t *decided_by);
typedef struct opn_coverage {
    double threshold;
    int32_t n, n_accepted, n_right;
    double coverage;
    double accuracy;
    double low, high;
} opn_coverage;
opn_status opn_pick_threshold(opn_ctx *ctx, int32_t n, const float *measure, const uint8_t *right, double target, int *is_reached, opn_coverage *out);
enum {
    OPN_N_COVERAGES = 10,
};
opn_status opn_risk_coverage(opn_ctx *ctx, int32_t n, const float *measure, const uint8_t *right, opn_coverage curve[OPN_N_COVERAGES]);
opn_measure opn_decide_recommended(const opn_model *model);
typedef struct opn_decisions {
    const opn_thresholds *thresholds;
    int has_target;
    opn_measure measure;
    opn_coverage picked;
    opn_coverage curve[OPN_N_COVERAGES];
    int32_t n_decided[OPN_N_DECISIONS];
    int32_t n_test, n_accepted_test;
    int32_t n_right_test;
    int32_t n_guarantee, n_guarantee_validation;
    int is_promised;
    opn_control control;
    int has_sets;
    opn_set_quality sets;
    int has_fdr;
    opn_measure known_by;
} opn_decisions;
opn_status opn_decide_check(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_split *split, const opn_params *params);
opn_status opn_prediction_decide(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_split *split, const opn_params *params, opn_prediction *prediction, opn_decisions **out);
void opn_decisions_free(opn_decisions *decisions);
opn_status opn_embed(opn_ctx *ctx, int32_t n_rows, int32_t n_cols, const float *x, double perplexity, uint64_t seed, float *place);
opn_status opn_metric_auroc( opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out);
opn_status opn_metric_average_precision( opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out);
opn_status opn_metric_fpr_at_tpr(opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double tpr, double *out);
opn_status opn_metric_risk_coverage(opn_ctx *ctx, int32_t n, const uint8_t *wrong, opn_numbers uncertainty, double *risk, double *area);
opn_status opn_metric_brier(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers probability, const int32_t *label, double *out);
opn_status opn_metric_nll(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers probability, const int32_t *label, double *out);
opn_status opn_metric_calibration_error(opn_ctx *ctx, int32_t n, int32_t n_classes, opn_numbers probability, const int32_t *label, int32_t n_bins, double *out);
typedef struct opn_estimate {
    int32_t n;
    double mean;
    double std;
    double low, high;
} opn_estimate;
void opn_estimate_mean(int32_t n, const double *value, opn_estimate *out);
typedef struct opn_comparison {
    int32_t n;
    double difference;
    double low, high;
    double p_value;
} opn_comparison;
opn_status opn_compare(opn_ctx *ctx, int32_t n, const double *a, const double *b, uint64_t seed, opn_comparison *out);
typedef enum opn_metric {
    OPN_METRIC_AUROC = 0,
    OPN_METRIC_AUPR = 1,
    OPN_METRIC_AUPR_ERRORS = 2,
    OPN_METRIC_FPR95 = 3,
    OPN_METRIC_AURC = 4,
    OPN_METRIC_FPR95_ERRORS = 5,
} opn_metric;
enum {
    OPN_N_METRICS = 6,
};
const char *opn_metric_name(opn_metric metric);
typedef enum opn_quality {
    OPN_QUALITY_ACCURACY = 0,
    OPN_QUALITY_BRIER = 1,
    OPN_QUALITY_NLL = 2,
    OPN_QUALITY_ECE = 3,
    OPN_QUALITY_ADAPTIVE_ECE = 4,
    OPN_QUALITY_CALIBRATED_BRIER = 5,
    OPN_QUALITY_CALIBRATED_NLL = 6,
    OPN_QUALITY_CALIBRATED_ECE = 7,
    OPN_QUALITY_CALIBRATED_ADAPTIVE_ECE = 8,
} opn_quality;
enum {
    OPN_N_QUALITIES = 9,
};
const char *opn_quality_name(opn_quality quality);
typedef struct opn_seconds {
    double teacher, prior, train, infer;
} opn_seconds;
typedef struct opn_cell opn_cell;
uint64_t opn_cell_seed(const opn_cell *cell);
const char *opn_cell_split_hash(const opn_cell *cell);
const char *opn_cell_chosen(const opn_cell *cell);
double opn_cell_n_pool(const opn_cell *cell);
double opn_cell_prevalence(const opn_cell *cell);
double opn_cell_n_epochs(const opn_cell *cell);
opn_seconds opn_cell_seconds(const opn_cell *cell);
double opn_cell_quality(const opn_cell *cell, opn_quality quality);
double opn_cell_metric(const opn_cell *cell, opn_metric metric, int32_t score);
typedef struct opn_shard_summary {
    int32_t part, n_parts;
    int64_t n_runs;
    int64_t n_results;
    int has_more;
} opn_shard_summary;
typedef struct opn_evaluation opn_evaluation;
opn_status opn_evaluate(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, const char *folder, opn_evaluation **out);
opn_status opn_evaluate_shard(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, const char *folder, opn_shard_summary *out);
void opn_evaluation_free(opn_evaluation *evaluation);
int32_t opn_evaluation_n_models(const opn_evaluation *evaluation);
int32_t opn_evaluation_n_seeds(const opn_evaluation *evaluation);
const char *opn_evaluation_model(const opn_evaluation *evaluation, int32_t m);
const opn_cell * opn_evaluation_cell(const opn_evaluation *evaluation, int32_t m, int32_t s);
opn_estimate opn_evaluation_metric(const opn_evaluation *evaluation, int32_t m, opn_metric metric, int32_t score);
opn_estimate opn_evaluation_quality(const opn_evaluation *evaluation, int32_t m, opn_quality quality);
opn_status opn_evaluation_save(opn_ctx *ctx, const opn_evaluation *evaluation, const char *path);
typedef struct opn_figure {
    const char *table, *task, *dataset, *model;
    const char *metric;
    const char *measure;
    double value;
    double std;
} opn_figure;
size_t opn_figure_count(void);
const opn_figure *opn_figure_at(size_t i);
typedef struct opn_reproduction opn_reproduction;
opn_status opn_reproduce(opn_ctx *ctx, const opn_params *params, const char *folder, opn_reproduction **out);
opn_status opn_reproduce_shard(opn_ctx *ctx, const opn_params *params, const char *folder, opn_shard_summary *out);
void opn_reproduction_free(opn_reproduction *reproduction);
opn_status opn_reproduction_save(opn_ctx *ctx, const opn_reproduction *found, const char *path);
opn_status opn_draw_figures(opn_ctx *ctx, const opn_params *params, const char *folder, void (*drawn)(void *user, const char *path), void *user);
typedef struct opn_source {
    opn_vid node;
    int32_t k;
    int32_t hops;
    double weight;
    double share;
} opn_source;
typedef struct opn_conflict {
    int32_t a, b;
    double dissonance;
    double share;
} opn_conflict;
typedef struct opn_neighbour {
    opn_vid node;
    int32_t predicted;
    float probability;
    const float *measure;
} opn_neighbour;
typedef enum opn_reason {
    OPN_REASON_SURE = 0,
    OPN_REASON_LITTLE_EVIDENCE = 1,
    OPN_REASON_CONFLICT = 2,
    OPN_REASON_UNDECIDED = 3,
} opn_reason;
const char *opn_reason_name(opn_reason reason);
enum {
    OPN_MAX_CONFLICTS = 64,
};
typedef struct opn_explanation {
    opn_vid node;
    opn_role role;
    int32_t label;
    int32_t n_classes;
    int32_t predicted;
    const float *probability;
    const float *alpha;
    const float *belief;
    int32_t n_measures;
    const float *measure;
    opn_reason reason;
    int is_of_training;
    const int32_t *hops;
    int32_t nearest_hops;
    int has_prior;
    const double *prior;
    double prior_sum;
    int32_t n_sources;
    const opn_source *source;
    int32_t n_conflicts;
    const opn_conflict *conflict;
    int32_t n_conflicts_left;
    double conflict_left;
    int32_t n_neighbours;
    int32_t n_agreeing;
    const opn_neighbour *neighbour;
} opn_explanation;
opn_status opn_explain(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, opn_vid node, const opn_params *params, opn_explanation **out);
opn_status opn_explain_predicted(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_split *split, const opn_prediction *prediction, opn_vid node, opn_explanation **out);
void opn_explanation_free(opn_explanation *explanation);
const char *opn_explanation_sentence(const opn_explanation *explanation);
opn_vid opn_graph_find_node(const opn_graph *graph, const char *name);
typedef struct opn_explorer opn_explorer;
opn_status opn_explorer_load(opn_ctx *ctx, const char *model, const char *data, const opn_params *params, opn_explorer **out);
opn_status opn_explorer_serve(opn_ctx *ctx, opn_explorer *explorer, const char *listen);
const char *opn_explorer_address(const opn_explorer *explorer);
opn_status opn_explorer_wait(opn_ctx *ctx, opn_explorer *explorer);
void opn_explorer_free(opn_explorer *explorer);
typedef enum opn_input {
    OPN_INPUT_UNKNOWN = 0,
    OPN_INPUT_GRAPH = 1,
    OPN_INPUT_MODEL = 2,
    OPN_INPUT_CHECKPOINT = 3,
    OPN_INPUT_PREDICTIONS = 4,
    OPN_INPUT_RUN = 5,
    OPN_INPUT_PAGE = 6,
    OPN_INPUT_OTHER = 7,
} opn_input;
opn_input opn_input_recognise(const char *path);
typedef struct opn_suspect {
    opn_vid node;
    int32_t label, expected;
    double p_label, p_expected;
    float vacuity;
} opn_suspect;
typedef struct opn_suspects {
    int32_t n_judged;
    int32_t n;
    const opn_suspect *suspect;
} opn_suspects;
opn_status opn_suspects_find(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, opn_suspects **out);
void opn_suspects_free(opn_suspects *suspects);
opn_status opn_suspects_save(opn_ctx *ctx, const opn_graph *graph, const opn_suspects *suspects, const char *path);
opn_status opn_label_choose(opn_ctx *ctx, const opn_graph *graph, const float *unsettled, const uint8_t *candidate, int32_t n, opn_vid *node, double *gain, int32_t *n_chosen);
typedef struct opn_suggestion {
    opn_vid node;
    double gain;
    int32_t predicted;
    float vacuity, dissonance, entropy;
} opn_suggestion;
typedef struct opn_suggestions {
    int32_t n_candidates;
    int32_t n;
    const opn_suggestion *suggestion;
} opn_suggestions;
opn_status opn_suggest(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_params *params, int32_t n, opn_suggestions **out);
void opn_suggestions_free(opn_suggestions *suggestions);
opn_status opn_suggestions_save(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, const opn_suggestions *suggestions, const char *path);
typedef struct opn_report opn_report;
opn_status opn_report_create(opn_ctx *ctx, const opn_graph *graph, const char *title, opn_report **out);
opn_status opn_report_add_model(opn_ctx *ctx, opn_report *report, const opn_model *model, const opn_params *params);
opn_status opn_report_load(opn_ctx *ctx, const char *run, const char *data, const opn_params *params, opn_report **out);
void opn_report_free(opn_report *report);
opn_status opn_report_save(opn_ctx *ctx, const opn_report *report, const char *path);
int opn_report_is_supported(void);
opn_status opn_scores_load(opn_ctx *ctx, const char *path, const opn_params *params, opn_graph **graph, opn_split **split, opn_prediction **prediction);
typedef struct opn_scores {
    opn_opinion_input input;
    int32_t n_samples;
    int32_t n_nodes;
    int32_t n_classes;
    opn_numbers x;
    int32_t n_names;
    const char *const *class_name;
    const int32_t *label;
    const uint8_t *role;
    const opn_graph *graph;
} opn_scores;
opn_status opn_scores_create(opn_ctx *ctx, const opn_scores *scores, const opn_params *params, opn_graph **graph, opn_split **split, opn_prediction **prediction);
typedef struct opn_tuning opn_tuning;
typedef struct opn_trial_run {
    double objective;
    double accuracy;
    double detection;
    double seconds;
} opn_trial_run;
opn_status opn_tune(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, const char *data, const char *folder, opn_tuning **out);
opn_status opn_tune_shard(opn_ctx *ctx, const opn_graph *graph, const opn_params *params, const char *folder, opn_shard_summary *out);
void opn_tuning_free(opn_tuning *tuning);
int32_t opn_tuning_n_trials(const opn_tuning *tuning);
int32_t opn_tuning_n_seeds(const opn_tuning *tuning);
const opn_params *opn_tuning_params(const opn_tuning *tuning, int32_t t);
const opn_trial_run *opn_tuning_runs(const opn_tuning *tuning, int32_t t);
int32_t opn_tuning_ranked(const opn_tuning *tuning, int32_t rank);
int32_t opn_tuning_recommended(const opn_tuning *tuning);
int32_t opn_tuning_needed_seeds(const opn_tuning *tuning);
const char *opn_tuning_command(const opn_tuning *tuning);
opn_status opn_tuning_save(opn_ctx *ctx, const opn_tuning *tuning, const char *path);
