// save_test.c -- what is saved comes back the same, through npz files and folders.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NODES = 24, MAX_EDGES = 60, MAX_FEATURES = 10, MAX_CLASSES = 5, N_CASES = 25 };

// Names that a careless writer or reader would break.
static const char *const hostile[] = {
        "a,b",
        "say \"cheese\"",
        "\"",
        "\"\"",
        "line\nbreak",
        "carriage\rreturn",
        "crlf\r\nend",
        " leading blank",
        "trailing blank ",
        "\ttab\t",
        " ",
        "node",
        "label",
        "0",
        "007",
        "-1",
        "+1",
        "1e3",
        "nan",
        "\xc3\xa9t\xc3\xa9",        // été
        "\xe6\xbc\xa2\xe5\xad\x97", // 漢字
        "\xf0\x9f\xa6\x89",         // an owl
        ("\xef\xbb\xbf"
         "byte order mark"), // at the start of a field
        "#comment",
        "'single'",
        "a;b",
        "\\n",
        "train",
};
enum { N_HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

typedef struct sample {
    opn_graph graph; // borrows label, role and name
    int32_t label[MAX_NODES];
    uint8_t role[MAX_NODES];
    char name[8];
} sample;

// n different names, each the i-th hostile one from `first` on. Classes are given their
// names in order of bytes, because a folder numbers them so.
static void add_hostile(opn_ctx *ctx, opn_i_names *names, int32_t n, uint32_t first)
{
    for (int32_t i = 0; i < n; i++) {
        const char *text = hostile[(first + (uint32_t)i) % N_HOSTILE];
        assert_int_equal(opn_i_names_add(ctx, names, text, strlen(text)), OPN_OK);
    }
}

static void add_plain(opn_ctx *ctx, opn_i_names *names, int32_t n, char letter)
{
    for (int32_t i = 0; i < n; i++) {
        char text[16];
        const int n_chars = snprintf(text, sizeof(text), "%c %d, \"x\"\n", letter, i);
        assert_int_equal(opn_i_names_add(ctx, names, text, (size_t)n_chars), OPN_OK);
    }
}

static void fill_edges(opn_ctx *ctx, sample *s, int32_t n_nodes, uint64_t *rng)
{
    int32_t source[MAX_EDGES];
    int32_t target[MAX_EDGES];
    opn_real weight[MAX_EDGES];
    const int32_t n = (int32_t)below(rng, MAX_EDGES + 1);
    for (int32_t e = 0; e < n; e++) {
        source[e] = (int32_t)below(rng, (uint32_t)n_nodes);
        target[e] = (int32_t)below(rng, (uint32_t)n_nodes);
        // Neither short in decimal nor exact in it.
        weight[e] = (opn_real)((float)(1 + below(rng, 1000000)) / 3.0f);
    }
    assert_int_equal(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, n, source, target,
                                            below(rng, 2) == 0 ? weight : NULL,
                                            &s->graph.topology),
                     OPN_OK);
}

static void fill_features(opn_ctx *ctx, sample *s, int32_t n_nodes, uint64_t *rng)
{
    int32_t row[MAX_NODES * 3];
    int32_t col[MAX_NODES * 3];
    opn_real value[MAX_NODES * 3];
    int32_t n = 0;
    const int32_t n_features = (int32_t)below(rng, MAX_FEATURES + 1);
    const bool binary = below(rng, 3) == 0;
    for (int32_t i = 0; i < n_nodes && n_features > 0; i++)
        for (int32_t t = 0; t < 3; t++) {
            if (below(rng, 2) == 0)
                continue;
            row[n] = i;
            col[n] = (int32_t)below(rng, (uint32_t)n_features);
            const float x = ((float)below(rng, 2000001) - 1e6f) / 7.0f;
            value[n++] = binary ? 1 : (opn_real)x;
        }
    assert_int_equal(opn_i_csr_from_triples(ctx, n_nodes, n_features, n, row, col, value,
                                            &s->graph.features.lists),
                     OPN_OK);
    assert_int_equal(opn_i_csr_tidy(ctx, &s->graph.features.lists), OPN_OK);
    for (opn_off e = 0; e < opn_i_csr_n_entries(&s->graph.features.lists); e++)
        if (s->graph.features.lists.value !=
            NULL) // sums in the double build need more digits
            s->graph.features.lists.value[e] =
                    (opn_real)(float)s->graph.features.lists.value[e];
}

// Every class has a node, and every label one of them; some nodes have none.
static void fill_labels(sample *s, int32_t n_nodes, uint64_t *rng)
{
    const uint32_t most = n_nodes < MAX_CLASSES ? (uint32_t)n_nodes : MAX_CLASSES;
    s->graph.n_classes = 1 + (int32_t)below(rng, most);
    for (int32_t i = 0; i < n_nodes; i++) {
        s->label[i] = (int32_t)below(rng, (uint32_t)s->graph.n_classes + 1) - 1;
        if (i < s->graph.n_classes)
            s->label[i] = s->graph.n_classes - 1 - i;
        const uint32_t role = below(rng, OPN_ROLE_UNLABELLED);
        s->role[i] = (uint8_t)(s->label[i] >= 0 ? role : OPN_ROLE_TEST + role % 3);
    }
}

static void make_sample(opn_ctx *ctx, uint64_t *rng, sample *s)
{
    *s = (sample){.name = "sample"};
    const int32_t n_nodes = 1 + (int32_t)below(rng, MAX_NODES);
    fill_edges(ctx, s, n_nodes, rng);
    fill_features(ctx, s, n_nodes, rng);
    fill_labels(s, n_nodes, rng);
    if (below(rng, 4) != 0)
        add_hostile(ctx, &s->graph.node_names, n_nodes, below(rng, N_HOSTILE));
    if (below(rng, 4) != 0)
        add_hostile(ctx, &s->graph.feature_names, s->graph.features.lists.n_cols,
                    below(rng, N_HOSTILE));
    if (below(rng, 2) == 0)
        add_plain(ctx, &s->graph.class_names, s->graph.n_classes, 'c');
    s->graph.alloc = ctx->alloc;
    s->graph.name = s->name;
    s->graph.label = s->label;
    s->graph.given_role = below(rng, 2) == 0 ? s->role : NULL;
}

static void free_sample(opn_ctx *ctx, sample *s)
{
    opn_i_csr_deinit(&ctx->alloc, &s->graph.topology);
    opn_i_csr_deinit(&ctx->alloc, &s->graph.features.lists);
    opn_i_names_deinit(&ctx->alloc, &s->graph.node_names);
    opn_i_names_deinit(&ctx->alloc, &s->graph.class_names);
    opn_i_names_deinit(&ctx->alloc, &s->graph.feature_names);
}

static void expect_equal(opn_ctx *ctx, const opn_graph *got, const opn_graph *want)
{
    char one[65];
    char other[65];
    char number[12];
    char wanted[12];
    assert_int_equal(opn_graph_n_nodes(got), opn_graph_n_nodes(want));
    assert_int_equal(opn_graph_n_features(got), opn_graph_n_features(want));
    assert_int_equal(opn_graph_n_classes(got), opn_graph_n_classes(want));
    for (opn_vid i = 0; i < opn_graph_n_nodes(want); i++)
        assert_string_equal(opn_graph_node_name(got, i, number),
                            opn_graph_node_name(want, i, wanted));
    for (int32_t k = 0; k < opn_graph_n_features(want); k++)
        assert_string_equal(opn_graph_feature_name(got, k, number),
                            opn_graph_feature_name(want, k, wanted));
    for (int32_t k = 0; k < opn_graph_n_classes(want); k++)
        assert_string_equal(opn_graph_class_name(got, k, number),
                            opn_graph_class_name(want, k, wanted));
    assert_int_equal(got->given_role != NULL, want->given_role != NULL);
    if (want->given_role != NULL)
        assert_memory_equal(got->given_role, want->given_role,
                            (size_t)opn_graph_n_nodes(want));
    assert_int_equal(opn_graph_hash(ctx, got, one), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, want, other), OPN_OK);
    assert_string_equal(one, other);
}

static opn_graph *save_and_load(opn_ctx *ctx, const opn_graph *graph, const char *path)
{
    opn_graph *back = NULL;
    if (opn_graph_save(ctx, graph, path) != OPN_OK)
        fail_msg("save: %s", opn_ctx_error(ctx));
    if (opn_graph_load(ctx, path, NULL, &back) != OPN_OK)
        fail_msg("load: %s", opn_ctx_error(ctx));
    return back;
}

static void come_back_through(const char *suffix, uint64_t rng)
{
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (int c = 0; c < N_CASES; c++) {
        char path[SUPPORT_PATH];
        char name[32];
        sample s;
        make_sample(ctx, &rng, &s);
        snprintf(name, sizeof(name), "g%d%s", c, suffix);
        opn_graph *back = save_and_load(ctx, &s.graph, support_path(path, folder, name));
        expect_equal(ctx, back, &s.graph);
        name[strlen(name) - strlen(suffix)] = 0;
        assert_string_equal(opn_graph_name(back), name);
        opn_graph_free(back);
        free_sample(ctx, &s);
    }
    assert_int_equal(support_count_entries(folder), N_CASES); // nothing left beside them
    support_ctx_free(ctx, &m);
    support_remove_folder(folder);
}

static void graphs_come_back_through_npz(void **state)
{
    (void)state;
    come_back_through(".npz", 61);
}

static void graphs_come_back_through_folders(void **state)
{
    (void)state;
    come_back_through("", 62);
}

// A folder lists each pair of an undirected graph once, so that directions only come back
// with the step that training applies anyway.
static void undirected_graphs_come_back_undirected(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 63;
    for (int c = 0; c < N_CASES; c++) {
        char path[SUPPORT_PATH];
        char name[32];
        sample s;
        opn_graph *graph = NULL;
        opn_graph *again = NULL;
        make_sample(ctx, &rng, &s);
        assert_int_equal(opn_graph_prepare(ctx, &s.graph, OPN_STEP_UNDIRECTED, &graph),
                         OPN_OK);
        snprintf(name, sizeof(name), "g%d%s", c, c % 2 == 0 ? "" : ".npz");
        opn_graph *back = save_and_load(ctx, graph, support_path(path, folder, name));
        assert_int_equal(opn_graph_prepare(ctx, back, OPN_STEP_UNDIRECTED, &again),
                         OPN_OK);
        expect_equal(ctx, again, graph);
        if (c % 2 == 0)
            assert_int_equal(2 * opn_graph_n_entries(back), opn_graph_n_entries(graph));
        opn_graph_free(graph);
        opn_graph_free(back);
        opn_graph_free(again);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
    support_remove_folder(folder);
}

// ---- names a folder has a use of its own for
// -------------------------------------------

// Three nodes, 0 to 1 to 2, of classes 0, 1, 0, with these names; NULL for none.
typedef struct small {
    const char *node[3];
    const char *class_name[2];
    const char *feature[2];
} small;

static void make_small(opn_ctx *ctx, const small *from, sample *s)
{
    static const int32_t source[] = {0, 1};
    static const int32_t target[] = {1, 2};
    static const int32_t row[] = {0, 1, 2};
    static const int32_t col[] = {1, 0, 1};
    static const opn_real value[] = {2, 3, 4};
    *s = (sample){.name = "small", .label = {0, 1, 0}};
    assert_int_equal(opn_i_csr_from_triples(ctx, 3, 3, 2, source, target, NULL,
                                            &s->graph.topology),
                     OPN_OK);
    assert_int_equal(opn_i_csr_from_triples(ctx, 3, 2, 3, row, col, value,
                                            &s->graph.features.lists),
                     OPN_OK);
    for (int i = 0; i < 3 && from->node[0] != NULL; i++)
        assert_int_equal(opn_i_names_add(ctx, &s->graph.node_names, from->node[i],
                                         strlen(from->node[i])),
                         OPN_OK);
    for (int k = 0; k < 2 && from->class_name[0] != NULL; k++)
        assert_int_equal(opn_i_names_add(ctx, &s->graph.class_names, from->class_name[k],
                                         strlen(from->class_name[k])),
                         OPN_OK);
    for (int k = 0; k < 2 && from->feature[0] != NULL; k++)
        assert_int_equal(opn_i_names_add(ctx, &s->graph.feature_names, from->feature[k],
                                         strlen(from->feature[k])),
                         OPN_OK);
    s->graph.alloc = ctx->alloc;
    s->graph.name = s->name;
    s->graph.label = s->label;
    s->graph.n_classes = 2;
}

static void comes_back(const small *from, const char *name)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    support_temp_folder(folder);
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    sample s;
    make_small(ctx, from, &s);
    opn_graph *back = save_and_load(ctx, &s.graph, support_path(path, folder, name));
    expect_equal(ctx, back, &s.graph);
    opn_graph_free(back);
    free_sample(ctx, &s);
    support_ctx_free(ctx, &m);
    support_remove_folder(folder);
}

static void a_node_may_be_called_like_a_heading(void **state)
{
    (void)state;
    comes_back(&(small){.node = {"node", "label", "role"}}, "folder");
    comes_back(&(small){.node = {"source", "x", "y"}}, "folder");
    comes_back(&(small){.node = {"source", "target", "weight"}}, "folder");
}

static void classes_keep_their_numbers_whatever_their_names(void **state)
{
    (void)state;
    comes_back(&(small){.class_name = {"zebra", "ape"}}, "small.npz");
    comes_back(&(small){.class_name = {"zebra", "ape"}}, "folder");
    comes_back(&(small){.class_name = {"1", "0"}}, "folder");
}

static void lose_class(bool named, int32_t lost, const char *name)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    support_temp_folder(folder);
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    sample s;
    make_small(ctx, &(small){.class_name = {named ? "a" : NULL, "b"}}, &s);
    for (int i = 0; i < 3; i++)
        s.label[i] = s.label[i] == lost ? -1 : s.label[i];
    opn_graph *back = save_and_load(ctx, &s.graph, support_path(path, folder, name));
    expect_equal(ctx, back, &s.graph);
    opn_graph_free(back);
    free_sample(ctx, &s);
    support_ctx_free(ctx, &m);
    support_remove_folder(folder);
}

static void a_class_without_nodes_is_kept_by_npz(void **state)
{
    (void)state;
    lose_class(true, 0, "small.npz");
    lose_class(true, 1, "small.npz");
    lose_class(false, 0, "small.npz");
    lose_class(false, 1, "small.npz");
}

static void a_class_without_nodes_is_kept_by_folders(void **state)
{
    (void)state;
    lose_class(true, 0, "folder");
    lose_class(true, 1, "folder");
    lose_class(false, 0, "folder");
    lose_class(false, 1, "folder");
}

// What a folder cannot hold is refused when it is written, not when it is read, and never
// changed into something else.
static void names_a_folder_cannot_tell_apart_are_refused(void **state)
{
    (void)state;
    static const small cases[] = {
            {.node = {"a", "b", "a"}},        {.node = {"a", "", "b"}},
            {.class_name = {"same", "same"}}, {.class_name = {"", "b"}},
            {.feature = {"f", "f"}},          {.feature = {"", "g"}},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char folder[SUPPORT_PATH];
        char path[SUPPORT_PATH];
        support_temp_folder(folder);
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        sample s;
        make_small(ctx, &cases[c], &s);
        support_path(path, folder, "folder");
        assert_int_not_equal(opn_graph_save(ctx, &s.graph, path), OPN_OK);
        assert_int_equal(support_count_entries(folder), 0);
        free_sample(ctx, &s);
        support_ctx_free(ctx, &m);
        support_remove_folder(folder);
    }
}

// ---- where to ------------------------------------------------------------------------

typedef struct place {
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    meter m;
    opn_ctx *ctx;
    sample s;
} place;

static void open_place(place *p, const char *name)
{
    memset(p, 0, sizeof(*p));
    support_temp_folder(p->folder);
    support_path(p->path, p->folder, name);
    p->ctx = support_ctx(&p->m);
    make_small(p->ctx, &(small){.node = {"a", "b", "c"}}, &p->s);
}

static void close_place(place *p)
{
    free_sample(p->ctx, &p->s);
    support_ctx_free(p->ctx, &p->m);
    support_remove_folder(p->folder);
}

static void a_folder_with_something_in_it_is_left_alone(void **state)
{
    (void)state;
    place p;
    char inside[SUPPORT_PATH];
    open_place(&p, "full");
    assert_int_equal(mkdir(p.path, 0755), 0);
    support_write_text(support_path(inside, p.path, "mine.txt"), "mine");
    assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, p.path), OPN_ERR_WRITE);
    support_expect_error(p.ctx, "full: the folder is not empty");
    assert_int_equal(support_count_entries(p.path), 1);
    assert_int_equal(support_count_entries(p.folder), 1);
    support_expect_file(inside, "mine", 4);
    close_place(&p);
}

static void an_empty_folder_is_filled_and_slashes_at_the_end_do_not_matter(void **state)
{
    (void)state;
    place p;
    open_place(&p, "empty//");
    assert_int_equal(mkdir(p.path, 0755), 0);
    assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, p.path), OPN_OK);
    assert_int_equal(support_count_entries(p.path), 3);
    assert_int_equal(support_count_entries(p.folder), 1);
    opn_graph *back = NULL;
    assert_int_equal(opn_graph_load(p.ctx, p.path, NULL, &back), OPN_OK);
    assert_string_equal(opn_graph_name(back), "empty");
    expect_equal(p.ctx, back, &p.s.graph);
    opn_graph_free(back);
    close_place(&p);
}

static void a_file_in_the_way_of_a_folder_is_left_alone(void **state)
{
    (void)state;
    place p;
    open_place(&p, "file");
    support_write_text(p.path, "mine");
    assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, p.path), OPN_ERR_WRITE);
    support_expect_error(p.ctx, "file: is a file");
    support_expect_file(p.path, "mine", 4);
    close_place(&p);
}

static void an_npz_file_is_replaced(void **state)
{
    (void)state;
    place p;
    open_place(&p, "old.npz");
    support_write_text(p.path, "old");
    opn_graph *back = save_and_load(p.ctx, &p.s.graph, p.path);
    expect_equal(p.ctx, back, &p.s.graph);
    assert_int_equal(support_count_entries(p.folder), 1);
    opn_graph_free(back);
    close_place(&p);
}

static void a_missing_parent_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"none/g.npz", "none/g"};
    for (size_t c = 0; c < 2; c++) {
        place p;
        open_place(&p, names[c]);
        assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, p.path), OPN_ERR_WRITE);
        support_expect_error(p.ctx, names[c]);
        assert_int_equal(support_count_entries(p.folder), 0);
        close_place(&p);
    }
}

static void the_same_graph_is_saved_in_the_same_bytes(void **state)
{
    (void)state;
    place p;
    char other[SUPPORT_PATH];
    open_place(&p, "one.npz");
    support_path(other, p.folder, "other.npz");
    assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, p.path), OPN_OK);
    assert_int_equal(opn_graph_save(p.ctx, &p.s.graph, other), OPN_OK);
    size_t n = 0;
    char *bytes = support_read_file(p.path, &n);
    support_expect_file(other, bytes, n);
    free(bytes);
    close_place(&p);
}

// ---- what may go wrong ---------------------------------------------------------------

static void interrupt_at_every_question(const char *name)
{
    opn_status status = OPN_ERR_INTERRUPTED;
    for (long at = 1; status != OPN_OK; at++) {
        place p;
        open_place(&p, name);
        listener to = {.interrupt_at = at};
        support_listen(p.ctx, &to);
        status = opn_graph_save(p.ctx, &p.s.graph, p.path);
        assert_true(status == OPN_OK || status == OPN_ERR_INTERRUPTED);
        assert_int_equal(support_count_entries(p.folder), status == OPN_OK);
        close_place(&p);
        assert_true(status == OPN_ERR_INTERRUPTED || at > 1);
    }
}

static void an_interrupted_save_leaves_nothing(void **state)
{
    (void)state;
    interrupt_at_every_question("folder");
    interrupt_at_every_question("g.npz");
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const names[] = {"g.npz", "g"};
    for (size_t c = 0; c < 2; c++) {
        opn_status status = OPN_ERR_NOMEM;
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            place p;
            opn_graph *back = NULL;
            open_place(&p, names[c]);
            p.s.graph.given_role = p.s.role;
            p.m.fail_at = p.m.n_requests + fail_at;
            status = opn_graph_save(p.ctx, &p.s.graph, p.path);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_int_equal(support_count_entries(p.folder), status == OPN_OK);
            if (status == OPN_OK)
                status = opn_graph_load(p.ctx, p.path, NULL, &back);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            opn_graph_free(back);
            close_place(&p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(graphs_come_back_through_npz),
            cmocka_unit_test(graphs_come_back_through_folders),
            cmocka_unit_test(undirected_graphs_come_back_undirected),
            cmocka_unit_test(a_node_may_be_called_like_a_heading),
            cmocka_unit_test(classes_keep_their_numbers_whatever_their_names),
            cmocka_unit_test(a_class_without_nodes_is_kept_by_npz),
            cmocka_unit_test(a_class_without_nodes_is_kept_by_folders),
            cmocka_unit_test(names_a_folder_cannot_tell_apart_are_refused),
            cmocka_unit_test(a_folder_with_something_in_it_is_left_alone),
            cmocka_unit_test(
                    an_empty_folder_is_filled_and_slashes_at_the_end_do_not_matter),
            cmocka_unit_test(a_file_in_the_way_of_a_folder_is_left_alone),
            cmocka_unit_test(an_npz_file_is_replaced),
            cmocka_unit_test(a_missing_parent_is_named),
            cmocka_unit_test(the_same_graph_is_saved_in_the_same_bytes),
            cmocka_unit_test(an_interrupted_save_leaves_nothing),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
