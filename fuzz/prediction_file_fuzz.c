// prediction_file_fuzz.c -- any bytes as a file of predictions: CSV, npz or JSON.

#include "graph/roles.h"
#include "load_fuzz.h"
#include "mend_zip.h"
#include "predict/prediction_file.h"

#include <float.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const float *value, size_t n, float low, float high)
{
    for (size_t j = 0; value != NULL && j < n; j++)
        fuzz_check(value[j] >= low && value[j] <= high);
}

// What the header promises of every file that is taken.
static void check_file(const opn_i_prediction_file *file)
{
    const size_t n = (size_t)file->n_nodes;
    const size_t n_wide = n * (size_t)file->n_known;
    fuzz_check(file->n_nodes > 0 && file->nodes.n == file->n_nodes);
    fuzz_check(file->n_known > 0 && file->classes.n >= file->n_known);
    for (int32_t i = 0; i < file->n_nodes; i++) {
        fuzz_check(file->role[i] < OPN_N_ROLES);
        fuzz_check(file->label[i] >= -1 && file->label[i] < file->classes.n);
        fuzz_check(opn_i_role_fits(file->role[i], file->label[i]));
        fuzz_check(file->said->predicted[i] >= 0 &&
                   file->said->predicted[i] < file->n_known);
    }
    fuzz_check(file->said->probability != NULL);
    check_range(file->said->probability, n_wide, 0.0f, 1.0f);
    check_range(file->said->alpha, n_wide, 1.0f, FLT_MAX);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        check_range(file->said->measure[m], n, (float)opn_i_measure_at(m)->low,
                    (float)opn_i_measure_at(m)->high);
}

static void read_predictions(const char *path)
{
    opn_ctx *ctx = NULL;
    opn_i_prediction_file file = {0};
    fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
    const opn_status status = opn_i_prediction_file_read(ctx, path, &file);
    if (status == OPN_OK) {
        check_file(&file);
    } else {
        fuzz_check(fuzz_blames_input(status));
        fuzz_check(strncmp(opn_ctx_error(ctx), path, strlen(path)) == 0);
        fuzz_check(file.n_nodes == 0 && file.role == NULL);
    }
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    opn_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"out"};
    char path[FUZZ_PATH];
    fuzz_open_folder(names, 1);
    fuzz_write_file(names[0], data, size);
    read_predictions(fuzz_path(path, names[0]));

    uint8_t *mended = malloc(size + 1);
    fuzz_check(mended != NULL);
    if (size > 0)
        memcpy(mended, data, size);
    mend_checksums(mended, size);
    if (size > 0 && memcmp(mended, data, size) != 0) {
        fuzz_write_file(names[0], mended, size);
        read_predictions(path);
    }
    free(mended);
    return 0;
}
