// prediction_sample.c -- files of predictions for two nodes, written by hand.

#include "support/prediction_sample.h"

#include "support/cmocka_test.h"

const char two_nodes_csv[] = "node,role,label,p_x,p_y,alpha_x,alpha_y,vacuity,"
                             "predicted\n"
                             "m,pool,z,0.25,0.75,1.5,2,0.5,y\n"
                             "n,unlabelled,,1,0,8,1,0.125,x\n";
const char two_nodes_json[] =
        "[\n{\"node\":\"m\",\"role\":\"pool\",\"label\":\"z\",\"predicted\":\"y\","
        "\"p\":{\"x\":0.25,\"y\":0.75},\"alpha\":{\"x\":1.5,\"y\":2},\"vacuity\":0.5},\n"
        "{\"node\":\"n\",\"role\":\"unlabelled\",\"label\":null,\"predicted\":\"x\","
        "\"p\":{\"x\":1,\"y\":0.0},\"alpha\":{\"x\":8,\"y\":1},\"vacuity\":0.125}\n]\n";

void two_nodes_expect(const opn_i_prediction_file *file)
{
    static const float p[] = {0.25f, 0.75f, 1.0f, 0.0f};
    static const float alpha[] = {1.5f, 2.0f, 8.0f, 1.0f};
    static const float vacuity[] = {0.5f, 0.125f};
    assert_int_equal(file->n_nodes, 2);
    assert_int_equal(file->n_known, 2);
    assert_int_equal(file->classes.n, 3);
    assert_string_equal(opn_i_names_at(&file->nodes, 0), "m");
    assert_string_equal(opn_i_names_at(&file->nodes, 1), "n");
    assert_string_equal(opn_i_names_at(&file->classes, 0), "x");
    assert_string_equal(opn_i_names_at(&file->classes, 1), "y");
    assert_string_equal(opn_i_names_at(&file->classes, 2), "z");
    assert_int_equal(file->role[0], OPN_ROLE_POOL);
    assert_int_equal(file->role[1], OPN_ROLE_UNLABELLED);
    assert_int_equal(file->label[0], 2);
    assert_int_equal(file->label[1], -1);
    assert_int_equal(file->said->predicted[0], 1);
    assert_int_equal(file->said->predicted[1], 0);
    assert_memory_equal(file->said->probability, p, sizeof(p));
    assert_memory_equal(file->said->alpha, alpha, sizeof(alpha));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (m != OPN_MEASURE_VACUITY)
            assert_null(file->said->measure[m]);
    assert_memory_equal(file->said->measure[OPN_MEASURE_VACUITY], vacuity,
                        sizeof(vacuity));
}

opn_i_prediction_file prediction_read(opn_ctx *ctx, const char *path)
{
    opn_i_prediction_file file = {0};
    if (opn_i_prediction_file_read(ctx, path, &file) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return file;
}
