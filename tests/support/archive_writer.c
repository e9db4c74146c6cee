// archive_writer.c -- npz archives in a folder of their own.

#include "support/archive_writer.h"
#include "arrays/npz.h"
#include "golden/load_samples.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <string.h>
#include <sys/stat.h>

char archive_folder[SUPPORT_PATH];
char archive_path[SUPPORT_PATH];

int archive_set_up(void **state)
{
    (void)state;
    support_temp_folder(archive_folder);
    support_path(archive_path, archive_folder, "graph.npz");
    return 0;
}

int archive_tear_down(void **state)
{
    (void)state;
    support_remove_folder(archive_folder);
    return 0;
}

bool archive_sample_at(size_t i, archive_sample *out)
{
    if (i >= sizeof(load_npz_samples) / sizeof(load_npz_samples[0]))
        return false;
    const load_sample *sample = &load_npz_samples[i];
    *out = (archive_sample){sample->name, sample->data, sample->n_bytes};
    return true;
}

archive_sample archive_sample_called(const char *name)
{
    archive_sample sample;
    for (size_t i = 0; archive_sample_at(i, &sample); i++)
        if (strcmp(sample.name, name) == 0)
            return sample;
    fail_msg("no sample %s", name);
    return (archive_sample){0};
}

static void add_array(opn_i_npz_writer *writer, const array *a)
{
    switch (a->type) {
    case ABSENT:
        break;
    case I32:
        opn_i_npz_writer_add_i32(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case I64:
        opn_i_npz_writer_add_i64(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case F32:
        opn_i_npz_writer_add_f32(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case F64:
        opn_i_npz_writer_add_f64(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case TEXT:
        opn_i_npz_writer_add_text(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    }
}

size_t archive_write(const array *base, size_t n_base, const array changes[MAX_CHANGES])
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_npz_writer *writer = NULL;
    struct stat info;
    assert_int_equal(opn_i_npz_writer_open(ctx, archive_path, &writer), OPN_OK);
    for (size_t b = 0; b < n_base; b++) {
        bool is_changed = false;
        for (size_t c = 0; c < MAX_CHANGES && changes[c].name != NULL; c++)
            is_changed = is_changed || strcmp(changes[c].name, base[b].name) == 0;
        if (!is_changed)
            add_array(writer, &base[b]);
    }
    for (size_t c = 0; c < MAX_CHANGES && changes[c].name != NULL; c++)
        add_array(writer, &changes[c]);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_OK);
    opn_ctx_free(ctx);
    assert_int_equal(stat(archive_path, &info), 0);
    return (size_t)info.st_size;
}
