// figure_names.c -- names of datasets, models and classes as figures show them.

#include "paper/figure_names.h"

#include <string.h>

const char *opn_i_figure_dataset(const char *name)
{
    static const char *const names[][2] = {
            {"cora", "Cora"},
            {"citeseer", "Citeseer"},
            {"pubmed", "Pubmed"},
            {"photo", "Amazon Photo"},
            {"computers", "Amazon Computers"},
            {"physics", "Coauthor Physics"},
    };
    for (size_t d = 0; d < sizeof(names) / sizeof(names[0]); d++)
        if (strcmp(names[d][0], name) == 0)
            return names[d][1];
    return name;
}

void opn_i_figure_model(const char *id, char name[OPN_MODEL_ROOM])
{
    const bool is_word = strncmp(id, "drop", 4) == 0; // written as a word: Drop-GCN
    size_t n = 0;
    for (; id[n] != 0 && n + 1 < OPN_MODEL_ROOM; n++) {
        const bool is_small = is_word && n > 0 && n < strcspn(id, "-");
        name[n] = (char)(id[n] >= 'a' && id[n] <= 'z' && !is_small ? id[n] - 'a' + 'A'
                                                                   : id[n]);
    }
    name[n] = 0;
}

// Sizes and names of Sen et al. (2008).
static const struct {
    const char *dataset;
    int32_t size;
    const char *name;
} classes[] = {
        {"cora", 298, "case-based"},
        {"cora", 418, "genetic algorithms"},
        {"cora", 818, "neural networks"},
        {"cora", 426, "probabilistic methods"},
        {"cora", 217, "reinforcement learning"},
        {"cora", 180, "rule learning"},
        {"cora", 351, "theory"},
        {"citeseer", 596, "agents"},
        {"citeseer", 249, "artificial intelligence"},
        {"citeseer", 701, "databases"},
        {"citeseer", 508, "human-computer interaction"},
        {"citeseer", 668, "information retrieval"},
        {"citeseer", 590, "machine learning"},
};

static const char *find_class(const char *dataset, int32_t size)
{
    for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++)
        if (classes[c].size == size && strcmp(classes[c].dataset, dataset) == 0)
            return classes[c].name;
    return NULL;
}

static int32_t count_class(int32_t n, const int32_t *label, int64_t k)
{
    int32_t size = 0;
    for (int32_t i = 0; i < n; i++)
        size += label[i] == k;
    return size;
}

opn_status opn_i_figure_classes(opn_ctx *ctx,
                                const char *dataset,
                                const opn_i_names *own,
                                int32_t n,
                                const int32_t *label,
                                opn_i_names *out)
{
    opn_status status = OPN_OK;
    opn_i_names names = {0};
    bool all_match = true;
    for (int64_t k = 0; k < own->n && all_match; k++)
        all_match = find_class(dataset, count_class(n, label, k)) != NULL;
    for (int64_t k = 0; k < own->n; k++) {
        const char *name = all_match ? find_class(dataset, count_class(n, label, k))
                                     : opn_i_names_at(own, k);
        OPN_TRY(opn_i_names_add(ctx, &names, name, strlen(name)));
    }
    *out = names;
    names = (opn_i_names){0};
cleanup:
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}
