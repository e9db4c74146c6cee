// own_folder.c -- folders of tables as people have them, for tests of their reader.

#include "support/own_folder.h"
#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char own_folder[SUPPORT_PATH];

size_t write_files(const file files[MAX_FILES])
{
    size_t n_bytes = 0;
    char path[SUPPORT_PATH];
    support_remove_folder(own_folder);
    assert_int_equal(mkdir(own_folder, 0755), 0);
    for (size_t f = 0; f < MAX_FILES && files[f].name != NULL; f++) {
        support_write_text(support_path(path, own_folder, files[f].name), files[f].text);
        n_bytes += strlen(files[f].text);
    }
    return n_bytes;
}

static opn_status
load_path(opn_ctx *ctx, const char *path, const char *label, opn_graph **out)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    if (label != NULL)
        assert_int_equal(opn_params_set(ctx, params, "label", label), OPN_OK);
    const opn_status status = opn_graph_load_params(ctx, path, params, out);
    opn_params_free(params);
    return status;
}

opn_status load_folder(opn_ctx *ctx, const char *label, opn_graph **out)
{
    return load_path(ctx, own_folder, label, out);
}

const char *notes_of(const opn_graph *graph, char text[NOTES_ROOM])
{
    size_t n = 0;
    text[0] = 0;
    for (int64_t i = 0; i < opn_graph_note_count(graph) && n < NOTES_ROOM; i++)
        n += (size_t)snprintf(text + n, NOTES_ROOM - n, "%s%s", i > 0 ? " | " : "",
                              opn_graph_note(graph, i));
    return text;
}

static int check_case(const own_case *c, const char *path)
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    char text[2048];
    char notes[NOTES_ROOM];
    int n_wrong = 0;
    if (load_path(ctx, path, c->label, &graph) != OPN_OK) {
        print_error("%s: %s\n", c->what, opn_ctx_error(ctx));
        n_wrong = 1;
    } else {
        graph_text(graph, text);
        notes_of(graph, notes);
        n_wrong = strcmp(text, c->graph) != 0 || strcmp(notes, c->notes) != 0;
        if (n_wrong > 0)
            print_error("%s:\n  is  %s\n  not %s\n  notes %s\n  not   %s\n", c->what,
                        text, c->graph, notes, c->notes);
    }
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    return n_wrong;
}

void expect_folders(const own_case *cases, size_t n)
{
    int n_wrong = 0;
    for (size_t c = 0; c < n; c++) {
        write_files(cases[c].files);
        n_wrong += check_case(&cases[c], own_folder);
    }
    assert_int_equal(n_wrong, 0);
}

void expect_first_files(const own_case *cases, size_t n)
{
    int n_wrong = 0;
    char path[SUPPORT_PATH];
    for (size_t c = 0; c < n; c++) {
        write_files(cases[c].files);
        support_path(path, own_folder, cases[c].files[0].name);
        n_wrong += check_case(&cases[c], path);
    }
    assert_int_equal(n_wrong, 0);
}

void expect_refused_folders(const wrong_case *cases, size_t n)
{
    int n_wrong = 0;
    for (size_t c = 0; c < n; c++) {
        const wrong_case *wrong = &cases[c];
        const size_t n_bytes = write_files(wrong->files);
        n_wrong += !load_is_refused(wrong->what, own_folder, n_bytes, wrong->part,
                                    wrong->hint);
    }
    assert_int_equal(n_wrong, 0);
}

void expect_refused_first_files(const wrong_case *cases, size_t n)
{
    int n_wrong = 0;
    char path[SUPPORT_PATH];
    for (size_t c = 0; c < n; c++) {
        const wrong_case *wrong = &cases[c];
        const size_t n_bytes = write_files(wrong->files);
        support_path(path, own_folder, wrong->files[0].name);
        n_wrong += !load_is_refused(wrong->what, path, n_bytes, wrong->part, wrong->hint);
    }
    assert_int_equal(n_wrong, 0);
}

void expect_label_refused(const char *label, const char *reason)
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    assert_int_equal(load_folder(ctx, label, &graph), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, reason);
    assert_null(graph);
    opn_ctx_free(ctx);
}
