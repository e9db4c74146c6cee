// folder_nodes.c -- the nodes of a folder: names, numbers, and what lists them.

#include "base/number.h"
#include "tables/class_order.h"
#include "tables/folder_reader.h"

#include <stdio.h>
#include <string.h>

opn_status
opn_i_declare_node(opn_i_folder *folder, const char *text, size_t n_chars, int32_t *node)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = (size_t)folder->nodes.n;
    OPN_TRY_RESERVE(ctx, folder->label_of, folder->label_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->listed, folder->listed_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->role_of, folder->role_room, n, n + 1);
    OPN_TRY(opn_i_names_intern(ctx, &folder->nodes, text, n_chars, node));
    if ((size_t)*node == n) {
        folder->label_of[n] = -1;
        folder->listed[n] = 0;
        folder->role_of[n] = OPN_ROLE_POOL;
    }
cleanup:
    return status;
}

opn_status opn_i_declare_place(opn_i_folder *folder, size_t place, int32_t *node)
{
    char text[24];
    const int n = snprintf(text, sizeof(text), "%zu", place);
    folder->has_places = true;
    return opn_i_declare_node(folder, text, (size_t)n, node);
}

opn_status opn_i_list_once(
        opn_i_folder *folder, const char *path, size_t line, int32_t node, uint8_t flag)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(folder->ctx, (folder->listed[node] & flag) != 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is listed twice", path, line,
                opn_i_names_at(&folder->nodes, node));
    folder->listed[node] |= flag;
cleanup:
    return status;
}

int32_t opn_i_find_node(const opn_i_folder *folder, const char *text, size_t n_chars)
{
    int64_t number = -1;
    if (!folder->is_numbered)
        return opn_i_names_find(&folder->nodes, text, n_chars);
    return opn_i_parse_int(text, n_chars, 0, folder->nodes.n - 1, &number)
                   ? (int32_t)number
                   : -1;
}

// The plain form of a number that is written otherwise, as 7.0 or 007; false if the text
// is none.
static bool plain_form(const char *text, char out[24])
{
    double number = 0.0;
    if (!opn_i_parse_real(text, strlen(text), &number) || number < 0.0 ||
        number >= 1e15 || number != (double)(int64_t)number)
        return false;
    snprintf(out, 24, "%lld", (long long)number);
    return strcmp(text, out) != 0;
}

// The file that lists the node.
static const char *file_of(const opn_i_folder *folder, int32_t node)
{
    const uint8_t listed = folder->listed[node];
    return (listed & OPN_IN_LABELS) != 0     ? folder->label_file
           : (listed & OPN_IN_FEATURES) != 0 ? folder->feature_file
                                             : folder->edge_file;
}

opn_status opn_i_folder_check_spelling(const opn_i_folder *folder)
{
    enum { FILES = OPN_IN_LABELS | OPN_IN_FEATURES };
    opn_status status = OPN_OK;
    char plain[24];
    for (int32_t i = 0; i < (int32_t)folder->nodes.n; i++) {
        const char *name = opn_i_names_at(&folder->nodes, i);
        if (!plain_form(name, plain))
            continue;
        const int32_t same = opn_i_names_find(&folder->nodes, plain, strlen(plain));
        OPN_FAIL_IF(folder->ctx,
                    same >= 0 && (folder->listed[i] & folder->listed[same] & FILES) == 0,
                    OPN_ERR_FORMAT,
                    "%s: node \"%s\" in %s is \"%s\" in %s; write the nodes alike in all "
                    "files",
                    folder->path, name, file_of(folder, i), plain, file_of(folder, same));
    }
cleanup:
    return status;
}

opn_status opn_i_require_node(const opn_i_folder *folder,
                              const char *path,
                              size_t line,
                              const char *text,
                              int32_t *node)
{
    opn_status status = OPN_OK;
    const size_t n_chars = strlen(text);
    *node = opn_i_find_node(folder, text, n_chars);
    if (*node >= 0)
        return OPN_OK;
    const size_t n_digits = strspn(text, "-0123456789");
    char plain[24];
    OPN_FAIL_IF(
            folder->ctx,
            plain_form(text, plain) && opn_i_find_node(folder, plain, strlen(plain)) >= 0,
            OPN_ERR_FORMAT,
            "%s:%zu: node \"%s\" is called \"%s\" elsewhere; write the nodes alike in "
            "all files",
            path, line, text, plain);
    OPN_FAIL_IF(folder->ctx, folder->is_numbered && n_digits == n_chars && n_digits > 0,
                OPN_ERR_FORMAT, "%s:%zu: node id %s outside [0, %lld)%s", path, line,
                text, (long long)folder->nodes.n,
                opn_i_plain_number(text) == folder->nodes.n
                        ? "; subtract 1 if this file numbers the nodes from 1"
                        : "");
    OPN_FAIL_IF(folder->ctx, folder->is_numbered, OPN_ERR_FORMAT,
                "%s:%zu: \"%s\" is not a node id in [0, %lld)", path, line, text,
                (long long)folder->nodes.n);
    OPN_FAIL_IF(folder->ctx, folder->feature_file[0] == 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is in neither %s nor %s", path, line, text,
                folder->label_file, folder->edge_file);
    OPN_FAIL_IF(folder->ctx,
                strcmp(folder->feature_file, folder->label_file) == 0 ||
                        folder->given != NULL,
                OPN_ERR_FORMAT, "%s:%zu: there is no node \"%s\" in %s", path, line, text,
                folder->feature_file);
    OPN_FAIL_IF(folder->ctx, true, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is in neither %s nor %s; list it in %s with an "
                "empty label if it belongs to the graph",
                path, line, text, folder->label_file, folder->feature_file,
                folder->label_file);
cleanup:
    return status;
}

int64_t opn_i_count_edge_nodes(const opn_i_folder *folder, const opn_i_names *values)
{
    int64_t n_found = 0;
    for (int64_t i = 0; i < folder->edge_nodes.n; i++) {
        const char *name = opn_i_names_at(&folder->edge_nodes, i);
        n_found += opn_i_names_find(values, name, strlen(name)) >= 0;
    }
    return n_found;
}

opn_status opn_i_holds_nodes(opn_i_folder *folder, const opn_i_names *values, bool *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_folder_edge_nodes(folder));
    const opn_i_names *nodes = &folder->nodes;
    // Two words in the first row of the edges that no other row has may be a header.
    const int64_t n_odd = folder->is_first_edge_odd ? 2 : 0;
    const int64_t n_edge_nodes = folder->edge_nodes.n - n_odd;
    bool holds = nodes->n + n_edge_nodes > 0 &&
                 opn_i_count_edge_nodes(folder, values) >= n_edge_nodes;
    for (int64_t i = 0; i < nodes->n && holds; i++) {
        const char *name = opn_i_names_at(nodes, i);
        holds = opn_i_names_find(values, name, strlen(name)) >= 0;
    }
    *out = holds;
cleanup:
    return status;
}
