// karate_club_test.c -- the small graph of the illustrations.

#include "paper/karate_club.h"
#include "support/cmocka_test.h"

// Zachary's table: the instructor has 16 friends, the officer 17, 78 ties in all.
static void the_club_has_the_friendships_that_zachary_found(void **state)
{
    (void)state;
    int degree[OPN_KARATE_NODES] = {0};
    for (int e = 0; e < OPN_KARATE_EDGES; e++) {
        assert_true(opn_i_karate_source[e] < opn_i_karate_target[e]);
        for (int f = 0; f < e; f++)
            assert_true(opn_i_karate_source[e] != opn_i_karate_source[f] ||
                        opn_i_karate_target[e] != opn_i_karate_target[f]);
        degree[opn_i_karate_source[e]]++;
        degree[opn_i_karate_target[e]]++;
    }
    assert_int_equal(degree[0], 16);
    assert_int_equal(degree[33], 17);
    assert_int_equal(degree[32], 12);
    assert_int_equal(degree[11], 1);
}

// From networkx 3: shortest_path_length(karate_club_graph(), 8).
static void hops_are_those_of_networkx(void **state)
{
    (void)state;
    int32_t hops[OPN_KARATE_NODES];
    opn_i_karate_hops(8, hops);
    assert_int_equal(hops[8], 0);
    assert_int_equal(hops[33], 1);
    assert_int_equal(hops[1], 2);
    assert_int_equal(hops[12], 2);
    assert_int_equal(hops[25], 3);
    assert_int_equal(hops[16], 3);
    opn_i_karate_hops(16, hops);
    assert_int_equal(hops[26], 5);
    for (int i = 0; i < OPN_KARATE_NODES; i++)
        assert_true(hops[i] >= 0);
}

static void no_two_nodes_are_drawn_over_each_other(void **state)
{
    (void)state;
    const opn_i_box box = {0, 0, 180, 133};
    for (opn_vid i = 0; i < OPN_KARATE_NODES; i++)
        for (opn_vid j = 0; j < i; j++) {
            double a[2];
            double b[2];
            opn_i_karate_place(&box, i, a);
            opn_i_karate_place(&box, j, b);
            const double x = a[0] - b[0];
            const double y = a[1] - b[1];
            assert_true(x * x + y * y > 10 * 10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_club_has_the_friendships_that_zachary_found),
            cmocka_unit_test(hops_are_those_of_networkx),
            cmocka_unit_test(no_two_nodes_are_drawn_over_each_other),
    };
    return cmocka_run_group_tests_name("karate_club", tests, NULL, NULL);
}
