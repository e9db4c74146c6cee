// run_shard_test.c -- how runs are dealt to shards, and which files are theirs.

#include "experiment/run_shard.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static opn_ctx *ctx;

// ---- division ------------------------------------------------------------------------

// An experiment of several evaluations with so many runs each.
enum { N_ROUNDS = 6, MOST_PARTS = 13, N_ALL = 10 + 3 + 0 + 1 + 25 + 8 };
static const int32_t n_runs[N_ROUNDS] = {10, 3, 0, 1, 25, 8};

static void every_run_falls_to_one_shard_and_all_get_alike(void **state)
{
    (void)state;
    for (int32_t n_parts = 1; n_parts <= MOST_PARTS; n_parts++) {
        int n_takers[N_ALL] = {0};
        for (int32_t part = 1; part <= n_parts; part++) {
            opn_i_shard shard = {.part = part, .n_parts = n_parts};
            int32_t before = 0;
            for (int r = 0; r < N_ROUNDS; r++) {
                const opn_i_share share = opn_i_shard_deal(&shard, n_runs[r]);
                for (int32_t k = 0; k < share.n; k++) {
                    const int32_t run = share.first + k * share.step;
                    assert_in_range(run, 0, n_runs[r] - 1);
                    n_takers[before + run]++;
                }
                before += n_runs[r];
            }
            assert_in_range(shard.n_runs, N_ALL / n_parts,
                            (N_ALL + n_parts - 1) / n_parts);
        }
        for (int run = 0; run < N_ALL; run++)
            assert_int_equal(n_takers[run], 1);
    }
}

static void without_a_shard_all_runs_are_done(void **state)
{
    (void)state;
    const opn_i_share share = opn_i_shard_deal(NULL, 7);
    assert_int_equal(share.first, 0);
    assert_int_equal(share.step, 1);
    assert_int_equal(share.n, 7);
}

static void a_shard_without_a_folder_is_refused(void **state)
{
    (void)state;
    opn_i_shard shard;
    opn_params *params = trial_params(ctx, "shard=2/3");
    assert_int_equal(opn_i_shard_init(ctx, params, NULL, &shard), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`shard` needs a folder (`output`)");
    assert_int_equal(opn_i_shard_init(ctx, params, "run", &shard), OPN_OK);
    assert_int_equal(shard.part, 2);
    assert_int_equal(shard.n_parts, 3);
    opn_params_free(params);
    params = trial_params(ctx, "seeds=3");
    assert_int_equal(opn_i_shard_init(ctx, params, "run", &shard), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`shard`: say which part");
    opn_params_free(params);
}

// ---- files ---------------------------------------------------------------------------

static void files_of_shards_are_listed_by_name_and_no_others(void **state)
{
    (void)state;
    static const char *const names[] = {
            "2-of-3.jsonl",  "1-of-3.jsonl", "10-of-12.jsonl", "1-of-3.jsonl.77-0.tmp",
            "1-of-3.json",   "1-of-.jsonl",  "-of-3.jsonl",    "a-of-3.jsonl",
            "1-of-3.jsonl~", "notes"};
    static const char *const want[] = {"1-of-3.jsonl", "10-of-12.jsonl", "2-of-3.jsonl"};
    stage *s = support_open_stage("cells.d");
    char path[SUPPORT_PATH];
    opn_i_names found = {0};
    assert_int_equal(opn_i_shard_list(s->ctx, s->folder, "cells.d", &found), OPN_OK);
    assert_int_equal(found.n, 0);
    assert_int_equal(mkdir(s->path, 0777), 0);
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        support_write_text(support_path(path, s->path, names[n]), "");
    assert_int_equal(opn_i_shard_list(s->ctx, s->folder, "cells.d", &found), OPN_OK);
    assert_int_equal(found.n, 3);
    for (int n = 0; n < 3; n++)
        assert_string_equal(opn_i_names_at(&found, n),
                            support_path(path, s->path, want[n]));
    opn_i_names_deinit(&s->ctx->alloc, &found);
    support_close_stage(s);
}

static void a_file_in_place_of_their_folder_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("cells.d");
    opn_i_names found = {0};
    support_write_text(s->path, "a file");
    assert_int_equal(opn_i_shard_list(s->ctx, s->folder, "cells.d", &found),
                     OPN_ERR_READ);
    support_expect_error(s->ctx, "cells.d: cannot be read");
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_run_falls_to_one_shard_and_all_get_alike),
            cmocka_unit_test(without_a_shard_all_runs_are_done),
            WITH_CTX(a_shard_without_a_folder_is_refused),
            cmocka_unit_test(files_of_shards_are_listed_by_name_and_no_others),
            cmocka_unit_test(a_file_in_place_of_their_folder_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
