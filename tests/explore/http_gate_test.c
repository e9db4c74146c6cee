// http_gate_test.c -- where a server listens, and who may talk to it.

#include "explore/http_gate.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

static opn_i_gate gate_at(const char *listen)
{
    opn_i_gate gate = {0};
    assert_int_equal(opn_i_gate_init(ctx, listen, &gate), OPN_OK);
    return gate;
}

// A gate with a port and a token that tests can write down.
static opn_i_gate gate_known(const char *listen)
{
    opn_i_gate gate = gate_at(listen);
    gate.port = 4321;
    memset(gate.token, 'a', OPN_TOKEN_CHARS);
    return gate;
}

static const char own_path[] = "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/state";

static int
check(const opn_i_gate *gate, const char *path, const char *host, const char *origin)
{
    const opn_i_visitor visitor = {path, host, origin, NULL};
    const char *rest = NULL;
    const char *why = NULL;
    const int code = opn_i_gate_check(gate, &visitor, &rest, &why);
    assert_true(code == 0 ? rest != NULL : why != NULL);
    return code;
}

static void it_listens_where_it_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *listen, *host;
        int port;
    } given[] = {
            {"", "127.0.0.1", 0},          {":8080", "127.0.0.1", 8080},
            {"localhost", "localhost", 0}, {"0.0.0.0:80", "0.0.0.0", 80},
            {"[::1]:8080", "::1", 8080},   {"::1", "::1", 0},
            {"[::1]", "::1", 0},           {"host.example:65535", "host.example", 65535}};
    for (size_t g = 0; g < sizeof(given) / sizeof(given[0]); g++) {
        const opn_i_gate gate = gate_at(given[g].listen);
        assert_string_equal(gate.host, given[g].host);
        assert_int_equal(gate.port, given[g].port);
    }
}

static void what_is_no_place_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
            "a:65536", "a:-1", "a:", "a:8x", "a:123456", "http://a:80"};
    opn_i_gate gate;
    for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
        assert_int_equal(opn_i_gate_init(ctx, wrong[w], &gate), OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "`listen`");
    }
}

static void tokens_differ_and_are_hexadecimal(void **state)
{
    (void)state;
    const opn_i_gate one = gate_at("");
    const opn_i_gate other = gate_at("");
    assert_int_equal(strspn(one.token, "0123456789abcdef"), OPN_TOKEN_CHARS);
    assert_int_equal(strlen(one.token), OPN_TOKEN_CHARS);
    assert_string_not_equal(one.token, other.token);
}

static void the_address_has_the_token(void **state)
{
    (void)state;
    char text[128];
    opn_i_gate gate = gate_known("");
    assert_true(opn_i_gate_address(&gate, text, sizeof(text)));
    assert_string_equal(text, "http://127.0.0.1:4321/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/");
    gate = gate_known("::1");
    assert_true(opn_i_gate_address(&gate, text, sizeof(text)));
    assert_string_equal(text, "http://[::1]:4321/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/");
    gate = gate_known("0.0.0.0");
    assert_true(opn_i_gate_address(&gate, text, sizeof(text)));
    assert_memory_equal(text, "http://127.0.0.1:4321/", 22);
    assert_false(opn_i_gate_address(&gate, text, 20));
}

static void only_this_machine_reaches_a_loopback_address(void **state)
{
    (void)state;
    static const struct {
        const char *listen;
        bool is_public;
    } given[] = {{"", false},        {"127.1.2.3", false},  {"localhost", false},
                 {"::1", false},     {"0.0.0.0", true},     {"::", true},
                 {"10.0.0.1", true}, {"host.example", true}};
    for (size_t g = 0; g < sizeof(given) / sizeof(given[0]); g++) {
        const opn_i_gate gate = gate_at(given[g].listen);
        assert_int_equal(opn_i_gate_is_public(&gate), given[g].is_public);
    }
}

static void the_path_after_the_token_is_passed_on(void **state)
{
    (void)state;
    const opn_i_gate gate = gate_known("");
    static const struct {
        const char *path, *rest;
    } given[] = {{own_path, "/state"},
                 {"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "/"},
                 {"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/", "/"},
                 {"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa//x/../y", "//x/../y"},
                 {"/healthz", "/healthz"}};
    for (size_t g = 0; g < sizeof(given) / sizeof(given[0]); g++) {
        const opn_i_visitor visitor = {given[g].path, "127.0.0.1:4321", NULL, NULL};
        const char *rest = NULL;
        const char *why = NULL;
        assert_int_equal(opn_i_gate_check(&gate, &visitor, &rest, &why), 0);
        assert_string_equal(rest, given[g].rest);
    }
}

static void without_the_token_nobody_gets_in(void **state)
{
    (void)state;
    const opn_i_gate gate = gate_known("");
    static const char *const wrong[] = {"/",
                                        "",
                                        "/state",
                                        "/healthz/",
                                        "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/state",
                                        "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/state",
                                        "/baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/state",
                                        "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab/state",
                                        "//state",
                                        "x",
                                        "/x/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/state"};
    for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++)
        assert_int_equal(check(&gate, wrong[w], "127.0.0.1:4321", NULL), 401);
}

static void a_bearer_gets_in(void **state)
{
    (void)state;
    const opn_i_gate gate = gate_known("");
    static const struct {
        const char *authorization;
        int code;
    } given[] = {{"Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
                 {"bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
                 {"Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 401},
                 {"Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 401},
                 {"Bearer baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 401},
                 {"Basic aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 401},
                 {"Bearer", 401},
                 {"", 401}};
    for (size_t g = 0; g < sizeof(given) / sizeof(given[0]); g++) {
        const opn_i_visitor visitor = {"/v2", "127.0.0.1:4321", NULL,
                                       given[g].authorization};
        const char *rest = NULL;
        const char *why = NULL;
        assert_int_equal(opn_i_gate_check(&gate, &visitor, &rest, &why), given[g].code);
    }
}

static void a_name_that_can_be_pointed_here_is_no_host(void **state)
{
    (void)state;
    const opn_i_gate gate = gate_known("");
    static const char *const right[] = {"127.0.0.1:4321", "localhost:4321",
                                        "LocalHost:4321", "[::1]:4321"};
    static const char *const wrong[] = {"evil.example:4321",
                                        "127.0.0.1",
                                        "127.0.0.1:4322",
                                        "127.0.0.1:",
                                        ":4321",
                                        "",
                                        "10.0.0.1:4321",
                                        "127.0.0.1:4321:1",
                                        "[127.0.0.1:4321",
                                        "localhost.:4321"};
    for (size_t r = 0; r < sizeof(right) / sizeof(right[0]); r++)
        assert_int_equal(check(&gate, own_path, right[r], NULL), 0);
    for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++)
        assert_int_equal(check(&gate, own_path, wrong[w], NULL), 403);
    assert_int_equal(check(&gate, own_path, NULL, NULL), 403);
    assert_int_equal(check(&gate, "/healthz", "evil.example:4321", NULL), 403);
}

static void an_open_gate_takes_addresses_but_no_names(void **state)
{
    (void)state;
    const opn_i_gate wide = gate_known("0.0.0.0");
    assert_int_equal(check(&wide, own_path, "10.1.2.3:4321", NULL), 0);
    assert_int_equal(check(&wide, own_path, "[fe80::1]:4321", NULL), 0);
    assert_int_equal(check(&wide, own_path, "evil.example:4321", NULL), 403);
    const opn_i_gate named = gate_known("host.example");
    assert_int_equal(check(&named, own_path, "HOST.example:4321", NULL), 0);
    assert_int_equal(check(&named, own_path, "localhost:4321", NULL), 403);
}

static void the_usual_port_may_be_left_out(void **state)
{
    (void)state;
    opn_i_gate gate = gate_known("");
    gate.port = 80;
    assert_int_equal(check(&gate, own_path, "127.0.0.1", NULL), 0);
    assert_int_equal(check(&gate, own_path, "127.0.0.1:80", NULL), 0);
}

static void pages_of_other_sites_are_refused(void **state)
{
    (void)state;
    const opn_i_gate gate = gate_known("");
    static const char *const wrong[] = {"null",
                                        "",
                                        "http://evil.example",
                                        "https://127.0.0.1:4321",
                                        "http://127.0.0.1:43210",
                                        "http://localhost:4321"};
    assert_int_equal(check(&gate, own_path, "127.0.0.1:4321", "http://127.0.0.1:4321"),
                     0);
    for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++)
        assert_int_equal(check(&gate, own_path, "127.0.0.1:4321", wrong[w]), 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(it_listens_where_it_is_told),
            WITH_CTX(what_is_no_place_is_refused),
            WITH_CTX(tokens_differ_and_are_hexadecimal),
            WITH_CTX(the_address_has_the_token),
            WITH_CTX(only_this_machine_reaches_a_loopback_address),
            WITH_CTX(the_path_after_the_token_is_passed_on),
            WITH_CTX(without_the_token_nobody_gets_in),
            WITH_CTX(a_bearer_gets_in),
            WITH_CTX(a_name_that_can_be_pointed_here_is_no_host),
            WITH_CTX(an_open_gate_takes_addresses_but_no_names),
            WITH_CTX(the_usual_port_may_be_left_out),
            WITH_CTX(pages_of_other_sites_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
