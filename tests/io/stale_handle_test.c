// stale_handle_test.c -- files that another machine replaces while they are read.

#include "io/bytes.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// How often reading fails as on a network file system whose file was replaced.
static int n_stale;

ssize_t read(int fd, void *buf, size_t nbytes)
{
    if (n_stale > 0) {
        n_stale--;
        errno = ESTALE;
        return -1;
    }
    const struct iovec whole = {buf, nbytes};
    return readv(fd, &whole, 1);
}

static void a_file_replaced_while_it_is_read_is_read_anew(void **state)
{
    (void)state;
    stage *s = support_open_stage("file");
    opn_i_bytes bytes = {0};
    support_write_text(s->path, "the new text");
    n_stale = 3;
    assert_int_equal(opn_i_regular_file_read(s->ctx, s->path, &bytes), OPN_OK);
    assert_string_equal((const char *)bytes.data, "the new text");
    assert_int_equal(n_stale, 0);
    opn_i_bytes_release(s->ctx, &bytes);
    support_close_stage(s);
}

static void a_file_that_stays_stale_is_given_up(void **state)
{
    (void)state;
    stage *s = support_open_stage("file");
    opn_i_bytes bytes = {0};
    support_write_text(s->path, "unreachable");
    n_stale = 1000;
    assert_int_equal(opn_i_regular_file_read(s->ctx, s->path, &bytes), OPN_ERR_READ);
    assert_true(n_stale > 900);
    n_stale = 0;
    support_expect_error(s->ctx, strerror(ESTALE));
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_file_replaced_while_it_is_read_is_read_anew),
            cmocka_unit_test(a_file_that_stays_stale_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
