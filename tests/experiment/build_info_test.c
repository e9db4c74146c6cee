// build_info_test.c -- what the library says about how it was built.

#include "math/kernels.h"
#include "opine/build_info.h"
#include "opine/report.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void test_facts_are_those_of_the_parts(void **state)
{
    (void)state;
    opn_build build;
    opn_ctx *ctx = support_ctx(NULL);
    opn_build_info(&build);
    assert_string_equal(build.version, opn_version());
    assert_true(strchr(build.compiler, ' ') != NULL && strchr(build.compiler, '.'));
    assert_string_equal(build.precision,
                        sizeof(opn_real) == sizeof(double) ? "double" : "float");
    assert_int_equal(opn_ctx_set_threads(ctx, 0), OPN_OK);
    assert_int_equal(build.n_threads, opn_ctx_threads(ctx));
    assert_true((build.chart_js[0] != 0) == (opn_report_is_supported() != 0));
    if (build.openmp == 0)
        assert_int_equal(build.n_threads, 1);
    opn_ctx_free(ctx);
}

static void test_kernels_are_those_in_use(void **state)
{
    (void)state;
    opn_build build;
    opn_build_info(&build);
    assert_string_equal(build.kernels, opn_k_select()->name);
    if (strcmp(build.kernels, "avx2") == 0)
        assert_string_equal(build.cpu, "AVX2, FMA, BMI2");
    if (strcmp(build.kernels, "neon") == 0)
        assert_string_equal(build.cpu, "NEON");
    assert_int_equal(setenv("OPINE_KERNEL", "ref", 1), 0);
    opn_build_info(&build);
    assert_string_equal(build.kernels, "ref");
    assert_int_equal(unsetenv("OPINE_KERNEL"), 0);
}

// A version is a number with points, whatever the library says around it.
static void expect_version(const char *version)
{
    assert_in_range(version[0], '0', '9');
    assert_non_null(strchr(version, '.'));
    assert_null(strpbrk(version, " \n"));
}

static void test_every_library_has_a_version(void **state)
{
    (void)state;
    opn_build build;
    opn_build_info(&build);
    assert_in_range(build.n_linked, 4, OPN_MAX_LINKED);
    for (int l = 0; l < build.n_linked; l++) {
        expect_version(build.linked[l].version);
        for (int other = 0; other < l; other++)
            assert_string_not_equal(build.linked[l].name, build.linked[other].name);
        if (strcmp(build.linked[l].name, "zlib") == 0)
            assert_string_equal(build.linked[l].version, zlibVersion());
    }
    if (build.chart_js[0] != 0)
        expect_version(build.chart_js);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_facts_are_those_of_the_parts),
            cmocka_unit_test(test_kernels_are_those_in_use),
            cmocka_unit_test(test_every_library_has_a_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
