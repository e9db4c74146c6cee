// pickle_attacks_test.c -- pickles that run code, recurse or ask for memory when Python
// loads them.

#include "arrays/pickle.h"
#include "golden/pickle_attacks.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

typedef struct attack {
    const char *name;
    const unsigned char *data;
    size_t n;
    opn_status status;
    const char *words;
} attack;

#define ROW(name, status, words) \
    {#name, attack_##name, sizeof(attack_##name), status, words},
static const attack attacks[] = {PICKLE_ATTACKS(ROW)};
#undef ROW
enum { N_ATTACKS = sizeof(attacks) / sizeof(attacks[0]) };

// What a value of one byte may take: its place on the stack, which doubles, in a list and
// in the memo; and what the machine takes before the first.
enum { MOST_PER_BYTE = 96, MOST_AT_FIRST = 8192 };

static void expect_outcome(const attack *a)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    unsigned char *input = support_copy(a->data, a->n);
    opn_i_pickle *pickle = NULL;
    const size_t n_before = m.n_held;
    m.peak = m.n_held;
    const opn_status status = opn_i_pickle_load(ctx, "file", input, a->n, &pickle);
    if (status != a->status)
        fail_msg("%s: status %d, expected %d: %s", a->name, (int)status, (int)a->status,
                 opn_ctx_error(ctx));
    if (status != OPN_OK && strstr(opn_ctx_error(ctx), a->words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", a->name, opn_ctx_error(ctx), a->words);
    if (m.peak - n_before > MOST_AT_FIRST + MOST_PER_BYTE * a->n)
        fail_msg("%s: %zu bytes of memory for %zu of the file", a->name,
                 m.peak - n_before, a->n);
    opn_i_pickle_free(pickle);
    support_copy_free(input);
    support_ctx_free(ctx, &m);
}

static void test_no_attack_gets_beyond_its_refusal(void **state)
{
    (void)state;
    for (size_t a = 0; a < N_ATTACKS; a++)
        expect_outcome(&attacks[a]);
}

// Each is `head`, n times `body` and `tail`.
static void test_long_attacks_take_memory_like_their_length(void **state)
{
    (void)state;
    enum { N = 200000 };
    static const struct {
        const char *head, *tail, *words;
        opn_status status;
        char body;
    } cases[] = {
            {"N", ".", "", OPN_OK, '\x85'}, // a tuple in a tuple in a tuple
            {"N", ".", "", OPN_OK, '2'},    // the same value again and again
            {"N", ".", "needs 1 values", OPN_ERR_FORMAT, '('},
            {"", ".", "", OPN_OK, ']'},     // lists that nobody takes
            {"N", ".", "", OPN_OK, '\x94'}, // one value in every place of the memo
            {"cos\n", "\n.", "os.xxx", OPN_ERR_UNSUPPORTED, 'x'},
            {"L", "L\n.", "more than 64 bits", OPN_ERR_OVERFLOW, '9'},
            {"F", "\n.", "a float of 200000 characters", OPN_ERR_FORMAT, '9'},
            {"S'", "'\n.", "", OPN_OK, '\\'}, // escapes
    };
    char *data = malloc(N + 16);
    assert_non_null(data);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const size_t n_head = strlen(cases[c].head);
        const size_t n_tail = strlen(cases[c].tail);
        memcpy(data, cases[c].head, n_head);
        memset(data + n_head, cases[c].body, N);
        memcpy(data + n_head + N, cases[c].tail, n_tail);
        const attack a = {cases[c].tail, (const unsigned char *)data, n_head + N + n_tail,
                          cases[c].status, cases[c].words};
        expect_outcome(&a);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_no_attack_gets_beyond_its_refusal),
            cmocka_unit_test(test_long_attacks_take_memory_like_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
