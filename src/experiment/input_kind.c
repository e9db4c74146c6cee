// input_kind.c -- tells what a file or folder is by how it begins.

#include "opine/input.h"

#include "base/context.h"
#include "opine/graph.h"
#include "tables/load_folder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { GLANCE = 1 << 14 };

// ---- folders -------------------------------------------------------------------------

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static opn_input recognise_entry(const char *name)
{
    static const char *const of_run[] = {"cells.jsonl", "cells.d", "trials.jsonl",
                                         "trials.d"};
    for (size_t n = 0; n < sizeof(of_run) / sizeof(of_run[0]); n++)
        if (strcmp(name, of_run[n]) == 0)
            return OPN_INPUT_RUN;
    if (strstr(name, ".opine-part") != NULL)
        return OPN_INPUT_CHECKPOINT;
    return begins_with(name, "edges.") ? OPN_INPUT_GRAPH : OPN_INPUT_UNKNOWN;
}

static opn_input recognise_folder(const char *path)
{
    DIR *folder = opendir(path);
    opn_input kind = OPN_INPUT_UNKNOWN;
    if (folder == NULL)
        return kind;
    for (struct dirent *entry = readdir(folder);
         entry != NULL && kind == OPN_INPUT_UNKNOWN; entry = readdir(folder))
        kind = recognise_entry(entry->d_name);
    (void)closedir(folder);
    return kind;
}

// ---- files ---------------------------------------------------------------------------

// A safetensors file begins with the length of its header, which is JSON.
static bool is_safetensors(const char *begin, size_t n)
{
    return n > 8 && begin[6] == 0 && begin[7] == 0 && begin[8] == '{';
}

static opn_input recognise_safetensors(const char *header)
{
    return strstr(header, "\"opine checkpoint ") != NULL ? OPN_INPUT_CHECKPOINT
                                                         : OPN_INPUT_MODEL;
}

// The first member of predictions names the nodes; its own name stands at byte 30.
static opn_input recognise_zip(const char *begin, size_t n)
{
    static const char member[] = "node.npy";
    const size_t n_member = sizeof(member) - 1;
    return n > 30 + n_member && memcmp(begin + 30, member, n_member) == 0
                   ? OPN_INPUT_PREDICTIONS
                   : OPN_INPUT_GRAPH;
}

static opn_input recognise_text(const char *path, const char *begin)
{
    const bool is_json = begin[0] == '{' || begin[0] == '[';
    if (begins_with(begin, "node,role,label,") ||
        (is_json && strstr(begin, "\"role\"") != NULL &&
         strstr(begin, "\"predicted\"") != NULL))
        return OPN_INPUT_PREDICTIONS;
    if (strncasecmp(begin, "<!doctype html", 14) == 0)
        return OPN_INPUT_PAGE;
    if (opn_i_path_has_suffix(path, ".graphml") || opn_i_path_is_edge_list(path))
        return OPN_INPUT_GRAPH;
    return begin[0] != 0 ? OPN_INPUT_OTHER : OPN_INPUT_UNKNOWN;
}

static opn_input recognise_file(const char *path)
{
    char begin[GLANCE + 1];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return OPN_INPUT_UNKNOWN;
    const size_t n = fread(begin, 1, GLANCE, file);
    begin[n] = 0;
    (void)fclose(file);
    if (is_safetensors(begin, n))
        return recognise_safetensors(begin + 8);
    return begins_with(begin, "PK\3\4") ? recognise_zip(begin, n)
                                        : recognise_text(path, begin);
}

opn_input opn_input_recognise(const char *path)
{
    OPN_RETURN_IF_NULL(path, OPN_INPUT_UNKNOWN);
    struct stat about;
    if (stat(path, &about) == 0) // a pipe would be waited for
        return S_ISDIR(about.st_mode)   ? recognise_folder(path)
               : S_ISREG(about.st_mode) ? recognise_file(path)
                                        : OPN_INPUT_UNKNOWN;
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, path) == 0)
            return OPN_INPUT_GRAPH;
    return OPN_INPUT_UNKNOWN;
}
