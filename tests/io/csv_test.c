// csv_test.c -- rows, fields and numbers of CSV and TSV files.

#include "io/csv.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A block of exactly n bytes and the NUL behind them, so that ASan sees any step beyond.
static opn_i_bytes bytes_of(opn_ctx *ctx, const char *text, size_t n)
{
    opn_i_bytes bytes = {.data = opn_i_calloc(&ctx->alloc, n + 1, 1), .n = n};
    if (bytes.data != NULL)
        memcpy(bytes.data, text, n);
    return bytes;
}

// Reads everything and prints it as [field|"quoted"]line per row, so that a test states
// its expectation as one text; `out` may be NULL.
static opn_status
print_rows(opn_ctx *ctx, const char *text, size_t n, char delimiter, char *out)
{
    opn_status status = OPN_OK;
    opn_i_csv csv = {0};
    opn_i_bytes bytes = bytes_of(ctx, text, n);
    if (bytes.data == NULL)
        return OPN_ERR_NOMEM;
    OPN_TRY(opn_i_csv_open(ctx, "t.csv", &bytes, delimiter, &csv));
    bool has_row = true;
    for (;;) {
        OPN_TRY(opn_i_csv_next(ctx, &csv, &has_row));
        if (!has_row)
            break;
        for (size_t k = 0; k < csv.n_fields; k++) {
            const opn_i_csv_field *field = &csv.field[k];
            assert_int_equal(strlen(field->text), field->n_chars);
            const char *quote = field->quoted ? "\"" : "";
            if (out != NULL)
                out += sprintf(out, "%s%s%s%s", k == 0 ? "[" : "|", quote, field->text,
                               quote);
        }
        if (out != NULL)
            out += sprintf(out, "]%zu ", csv.line);
    }
cleanup:
    assert_null(bytes.data);
    opn_i_csv_close(ctx, &csv);
    return status;
}

static void expect_rows(const char *text, char delimiter, const char *want)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    char got[512] = "";
    assert_int_equal(print_rows(ctx, text, strlen(text), delimiter, got), OPN_OK);
    assert_string_equal(got, want);
    support_ctx_free(ctx, &m);
}

static void expect_error(const char *text, size_t n, const char *want)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    assert_int_equal(print_rows(ctx, text, n, ',', NULL), OPN_ERR_FORMAT);
    support_expect_error(ctx, want);
    support_ctx_free(ctx, &m);
}

// ---- rows ----------------------------------------------------------------------------

static void test_csv_splits_rows_with_every_line_ending(void **state)
{
    (void)state;
    expect_rows("a,b\nc,d\r\ne,f\rg,h", ',', "[a|b]1 [c|d]2 [e|f]3 [g|h]4 ");
    expect_rows("a\n", ',', "[a]1 ");
    expect_rows("a\r", ',', "[a]1 ");
    expect_rows("a\r\n", ',', "[a]1 ");
    expect_rows("a\n\r", ',', "[a]1 []2 ");
}

static void test_csv_takes_an_empty_line_as_one_empty_field(void **state)
{
    (void)state;
    expect_rows("", ',', "");
    expect_rows("\n", ',', "[]1 ");
    expect_rows("a\n\n\r\nb", ',', "[a]1 []2 []3 [b]4 ");
    expect_rows(",", ',', "[|]1 ");
    expect_rows("a,\n,b\n", ',', "[a|]1 [|b]2 ");
}

static void test_csv_unquotes_fields(void **state)
{
    (void)state;
    expect_rows("\"a\",\"b,c\",\"d\"\"e\",\"\"", ',', "[\"a\"|\"b,c\"|\"d\"e\"|\"\"]1 ");
    expect_rows("\"\"\"\"\n\"a\"\"\"\n", ',', "[\"\"\"]1 [\"a\"\"]2 ");
    expect_rows("5\" pipe,a\"b\"\n", ',', "[5\" pipe|a\"b\"]1 ");
}

static void test_csv_delimiter_is_what_the_first_two_lines_share(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        char otherwise;
        char delimiter;
    } cases[] = {
            {"a,b\n1,2\n", ',', ','},
            {"a;b\n1;2\n", ',', ';'},
            {"a\tb\n1\t2\n", ',', '\t'},
            {"a,b\n1,2\n", '\t', ','},
            {"a;b\n0,5;1\n", ',', ';'},
            {"a,b;c\n1,2;3\n", ',', ','},
            {"x;y\n", ',', ';'},
            {"x;y\n1\n", ',', ','},
            {"\"a;b;c\",d\n1;,2\n", ',', ','},
            {"\"a\nb\";c\n1;2\n", ',', ';'},
            {"a;b\r\n\r\n1;2\r\n", ',', ';'},
            {"", '\t', '\t'},
            {"one\ntwo\n", ',', ','},
            {"a;b;c,d\n1;2;3\n", ',', ';'},
            {"1 2\n2 3\n", ' ', ' '},
            {"# a,b\n% c,d\n1 2\n2 3\n", ' ', ' '},
            {"# a b\n1\t2\n# c\n2\t3\n", ' ', '\t'},
            {"1, 2\n2, 3\n", ' ', ','},
            {"1 2 {'a': 1, 'b': 2}\n2 3 {'a': 1, 'b': 2}\n", ' ', ' '},
            {"\xEF\xBB\xBF# a,b\n1 2\n", ' ', ' '},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char text[64];
        snprintf(text, sizeof(text), "%s", cases[c].text);
        const opn_i_bytes bytes = {.data = (unsigned char *)text, .n = strlen(text)};
        if (opn_i_csv_delimiter(&bytes, cases[c].otherwise) != cases[c].delimiter)
            fail_msg("case %zu", c);
    }
}

static void test_csv_splits_fields_at_any_number_of_blanks(void **state)
{
    (void)state;
    expect_rows("1 2\n  3 \t 4  \r\n\n5\t6", OPN_CSV_BLANKS, "[1|2]1 [3|4]2 []3 [5|6]4 ");
    expect_rows("\"a b\" \"c\"\td\n", OPN_CSV_BLANKS, "[\"a b\"|\"c\"|d]1 ");
    expect_rows("a b {'w': 1} \nc d {}\n", OPN_CSV_BLANKS, "[a|b|{'w': 1}]1 [c|d|{}]2 ");
    expect_rows("a{b c\n", OPN_CSV_BLANKS, "[a{b|c]1 ");
}

static void test_csv_skips_lines_that_are_comments_where_asked(void **state)
{
    (void)state;
    static const char text[] = "# one\r\n% two\n1 #2\n#\n3 4\n# end";
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_csv csv = {0};
    opn_i_bytes bytes = bytes_of(ctx, text, strlen(text));
    bool has_row = false;
    assert_int_equal(opn_i_csv_open(ctx, "t.txt", &bytes, OPN_CSV_BLANKS, &csv), OPN_OK);
    csv.has_comments = true;
    assert_int_equal(opn_i_csv_next(ctx, &csv, &has_row), OPN_OK);
    assert_string_equal(csv.field[1].text, "#2");
    assert_int_equal(csv.line, 3);
    assert_int_equal(opn_i_csv_next(ctx, &csv, &has_row), OPN_OK);
    assert_string_equal(csv.field[0].text, "3");
    assert_int_equal(csv.line, 5);
    assert_int_equal(opn_i_csv_next(ctx, &csv, &has_row), OPN_OK);
    assert_false(has_row);
    opn_i_csv_close(ctx, &csv);
    opn_ctx_free(ctx);
    expect_rows("#a,b\n", ',', "[#a|b]1 ");
}

static void test_csv_splits_fields_at_semicolons(void **state)
{
    (void)state;
    expect_rows("a;b,c\n\"x;y\";2\n", ';', "[a|b,c]1 [\"x;y\"|2]2 ");
}

static void test_csv_counts_lines_inside_quotes(void **state)
{
    (void)state;
    expect_rows("\"a\nb\r\nc\rd\",x\ny\n", ',', "[\"a\nb\r\nc\rd\"|x]1 [y]5 ");
    expect_rows("\"a\r\"\nb", ',', "[\"a\r\"]1 [b]3 ");
}

static void test_csv_trims_blanks_outside_quotes_only(void **state)
{
    (void)state;
    expect_rows("  a b\t, \" c \" ,\t\n", ',', "[a b|\" c \"|]1 ");
    expect_rows(" a \t b\t\t c", '\t', "[a|b||c]1 ");
    expect_rows("a,b\tc;d\n", '\t', "[a,b|c;d]1 ");
}

static void test_csv_skips_a_byte_order_mark(void **state)
{
    (void)state;
    expect_rows("\xEF\xBB\xBF"
                "a,b\n",
                ',', "[a|b]1 ");
    expect_rows("\xEF\xBB\xBF\"a\"\n", ',', "[\"a\"]1 ");
    expect_rows("\xEF\xBB\xBF", ',', "");
}

static void test_csv_keeps_every_character_of_unicode(void **state)
{
    (void)state;
    expect_rows("\xC3\xA9,\xE2\x82\xAC,\xF0\x9D\x84\x9E\n\xF4\x8F\xBF\xBF,\xED\x9F\xBF",
                ',',
                "[\xC3\xA9|\xE2\x82\xAC|\xF0\x9D\x84\x9E]1 "
                "[\xF4\x8F\xBF\xBF|\xED\x9F\xBF]2 ");
}

// ---- errors --------------------------------------------------------------------------

static void test_csv_names_the_line_where_an_endless_quote_began(void **state)
{
    (void)state;
    const char text[] = "a\n\"b\nc\",d,\"e\n\nf";
    expect_error(text, strlen(text), "t.csv:3: the quote that opens field 3 never ends");
    expect_error("\"", 1, "t.csv:1: the quote that opens field 1 never ends");
    expect_error("\"\"\"", 3, "t.csv:1: the quote that opens field 1 never ends");
}

static void test_csv_refuses_text_after_a_closing_quote(void **state)
{
    (void)state;
    const char text[] = "a\nb,\"c\nd\" e\n";
    expect_error(text, strlen(text), "t.csv:3: text after the closing quote of field 2");
}

static void test_csv_refuses_nul_and_names_its_line(void **state)
{
    (void)state;
    expect_error("ab\ncd\0e\n", 8, "t.csv:2: byte 5 of the file is NUL");
    expect_error("\0", 1, "t.csv:1: byte 0 of the file is NUL");
    expect_error("0123456789\r\n\0abcdefghijk", 24,
                 "t.csv:2: byte 12 of the file is NUL");
}

static void test_csv_refuses_utf_16_in_a_sentence_of_its_own(void **state)
{
    (void)state;
    expect_error("\xFF\xFE\x61\0", 4, "t.csv:1: the file is in UTF-16; save it as UTF-8");
    expect_error("\xFE\xFF\0\x61", 4, "t.csv:1: the file is in UTF-16; save it as UTF-8");
}

static void test_csv_refuses_invalid_utf_8(void **state)
{
    (void)state;
    static const char *const bad[] = {
            "\x80",
            "\xC0\xAF",
            "\xC1\xBF",
            "\xC3",
            "\xC3(",
            "\xE0\x80\xAF",
            "\xE2\x82",
            "\xED\xA0\x80",
            "\xED\xBF\xBF",
            "\xF0\x80\x80\xAF",
            "\xF4\x90\x80\x80",
            "\xF5\x80\x80\x80",
            "\xFE",
            "\xFF",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[64];
        char want[64];
        // At the end of the file, and with plain text on either side.
        int n = sprintf(text, "ab\n%s", bad[i]);
        sprintf(want, "t.csv:2: byte 3 of the file, 0x%02x, is not valid UTF-8",
                (unsigned)(unsigned char)bad[i][0]);
        expect_error(text, (size_t)n, want);
        n = sprintf(text, "ab\n%s,cdefghijklmnop", bad[i]);
        expect_error(text, (size_t)n, want);
    }
}

static void test_csv_refuses_rows_beyond_the_cap_of_fields(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    const size_t n = OPN_CSV_MAX_FIELDS;
    char *text = malloc(n + 2);
    memset(text, ',', n + 2);
    text[0] = '\n';
    // n - 1 delimiters make n fields, n make one too many.
    assert_int_equal(print_rows(ctx, text, n, ',', NULL), OPN_OK);
    assert_int_equal(print_rows(ctx, text, n + 1, ',', NULL), OPN_ERR_FORMAT);
    support_expect_error(ctx, "t.csv:2: more than 1048576 fields");
    assert_true(m.largest < 40 * n);
    free(text);
    support_ctx_free(ctx, &m);
}

// ---- robustness ----------------------------------------------------------------------

static const char sample[] = "\xEF\xBB\xBFid, \"na\"\"me\" ,v\r\n1,\"a\nb\",\t2.5\r"
                             "\"3\",\xE2\x82\xAC,\n\n4,\"\",x";

static void test_csv_survives_truncation_at_every_byte(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t n = 0; n <= strlen(sample); n++) {
        const opn_status status = print_rows(ctx, sample, n, ',', NULL);
        assert_true(status == OPN_OK || status == OPN_ERR_FORMAT);
        assert_int_equal(m.n_live, 1); // the context
    }
    support_ctx_free(ctx, &m);
}

static void test_csv_survives_every_single_bit_flip(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    const size_t n = strlen(sample);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        char text[sizeof(sample)];
        memcpy(text, sample, sizeof(sample));
        support_flip_bit(text, bit);
        for (int d = 0; d < 2; d++) {
            const opn_status status = print_rows(ctx, text, n, d == 0 ? ',' : '\t', NULL);
            assert_true(status == OPN_OK || status == OPN_ERR_FORMAT);
            assert_int_equal(m.n_live, 1);
        }
    }
    support_ctx_free(ctx, &m);
}

static void test_csv_survives_any_allocation_failure(void **state)
{
    (void)state;
    char text[400]; // one row that outgrows its fields twice
    memset(text, ',', sizeof(text));
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status == OPN_ERR_NOMEM; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        status = print_rows(ctx, text, sizeof(text), ',', NULL);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true(status != OPN_OK || fail_at > 3);
        support_ctx_free(ctx, &m);
    }
}

static void test_csv_asks_for_memory_once_not_per_row(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    enum { N_ROWS = 1000 };
    char text[N_ROWS * 4 + 1];
    for (int i = 0; i < N_ROWS; i++)
        memcpy(text + 4 * i, "1,2\n", 4);
    const long n_before = m.n_requests;
    assert_int_equal(print_rows(ctx, text, sizeof(text) - 1, ',', NULL), OPN_OK);
    assert_int_equal(m.n_requests - n_before, 2); // the bytes and the fields
    support_ctx_free(ctx, &m);
}

// ---- numbers -------------------------------------------------------------------------

static opn_i_csv_field field_of(const char *text)
{
    return (opn_i_csv_field){text, strlen(text), false};
}

static void test_csv_int_reads_the_whole_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
            {"0", 0},
            {"-0", 0},
            {"+7", 7},
            {"007", 7},
            {"-2708", -2708},
            {"9223372036854775807", INT64_MAX},
            {"-9223372036854775808", INT64_MIN},
            {"00000000000000000000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const opn_i_csv_field field = field_of(cases[i].text);
        int64_t got = 99;
        assert_true(opn_i_csv_int(&field, INT64_MIN, INT64_MAX, &got));
        assert_int_equal(got, cases[i].want);
    }
}

static void test_csv_int_refuses_everything_else(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "--1",
                                      "+-1",
                                      "1 ",
                                      " 1",
                                      "1.0",
                                      "1e3",
                                      "0x10",
                                      "abc",
                                      "12a",
                                      "\xD9",
                                      "1,2",
                                      "9223372036854775808",
                                      "/",
                                      ":",
                                      "inf",
                                      "1\t2",
                                      "-9223372036854775809",
                                      "92233720368547758070",
                                      "18446744073709551617"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const opn_i_csv_field field = field_of(bad[i]);
        int64_t got = 99;
        assert_false(opn_i_csv_int(&field, INT64_MIN, INT64_MAX, &got));
        assert_int_equal(got, 99);
    }
}

static void test_csv_int_keeps_to_its_bounds(void **state)
{
    (void)state;
    int64_t got;
    const opn_i_csv_field low = field_of("-1");
    const opn_i_csv_field zero = field_of("0");
    const opn_i_csv_field high = field_of("2708");
    assert_false(opn_i_csv_int(&low, 0, 2707, &got));
    assert_true(opn_i_csv_int(&zero, 0, 2707, &got));
    assert_false(opn_i_csv_int(&high, 0, 2707, &got));
    assert_true(opn_i_csv_int(&high, 0, 2708, &got));
}

static void expect_real(const char *text)
{
    const opn_i_csv_field field = field_of(text);
    double got = 99.0;
    const double want = strtod(text, NULL); // the tests run in the "C" locale
    assert_true(opn_i_csv_real(&field, &got));
    if (memcmp(&got, &want, sizeof(want)) != 0)
        fail_msg("%s: got %.17g, want %.17g", text, got, want);
}

static void test_csv_real_is_correctly_rounded(void **state)
{
    (void)state;
    static const char *const cases[] = {
            "0",
            "-0",
            "-0.0",
            "1",
            "+1.5",
            ".5",
            "5.",
            "1e22",
            "1e23",
            "1e-22",
            "1e-23",
            "9007199254740992",
            "9007199254740993",
            "9007199254740993e-5",
            "0.1",
            "123456.789e3",
            "3.4028234663852886e38",
            "1.7976931348623157e308",
            "4.9e-324",
            "1e-400",
            "0e99999999999999999999",
            "0.000000000000000000000000000001e30",
            "18446744073709551615",
            "18446744073709551616",
            "2.2250738585072011e-308",
            "100000000000000000000000000000000000000000000000000000000000e-59",
            "1E+5",
            "1e0000000000000000000000005",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_real(cases[i]);

    uint64_t bits = 20240601;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        char text[64];
        sprintf(text, "%.*g", 1 + i % 17, value);
        if (isfinite(strtod(text, NULL)))
            expect_real(text);
        sprintf(text, "%.*f", i % 9, (double)(int64_t)(bits >> 20) / 65536.0);
        expect_real(text);
    }
}

static void test_csv_real_refuses_everything_else(void **state)
{
    (void)state;
    static const char *const bad[] = {
            "",     "-",     "+",   ".",    "e5",   "1e",    "1e+",   "1e-",
            "0x10", "0x1p3", "nan", "inf",  "-inf", "NaN",   "1e999", "-1e999",
            "1 ",   " 1",    "1,5", "1.5.", "--1",  "1e5.5", "1f",    "infinity"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const opn_i_csv_field field = field_of(bad[i]);
        double got = 99.0;
        assert_false(opn_i_csv_real(&field, &got));
        assert_true(got == 99.0);
    }
}

static void test_csv_real_does_not_depend_on_the_locale(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    support_set_comma_locale(folder);
    const opn_i_csv_field field = field_of("0.12345678901234567890");
    double got = 0.0;
    const bool read = opn_i_csv_real(&field, &got);
    setlocale(LC_ALL, "C");
    support_remove_folder(folder);
    assert_true(read);
    assert_true(got == 0.12345678901234567890);
}

// ---- writing -------------------------------------------------------------------------

// Writes the texts as one row and returns the file's content, which the caller frees.
static char *written_row(const char *const *text, size_t n_texts, char delimiter)
{
    stage *s = support_open_stage("row.csv");
    opn_i_file_writer *writer = NULL;
    assert_int_equal(opn_i_file_writer_open(s->ctx, s->path, &writer), OPN_OK);
    for (size_t k = 0; k < n_texts; k++) {
        if (k > 0)
            opn_i_file_writer_put(writer, &delimiter, 1);
        opn_i_csv_put_text(writer, text[k], delimiter);
    }
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    char *content = support_read_file(s->path, NULL);
    support_close_stage(s);
    return content;
}

static void test_csv_quotes_only_what_needs_quotes(void **state)
{
    (void)state;
    const char *const text[] = {"plain", "a b", "",   "a,b",        "say \"hi\"", "a\nb",
                                " a",    "b ",  "\t", "\xC3\xA9;'", "a\tb"};
    const size_t n = sizeof(text) / sizeof(text[0]);
    char *row = written_row(text, n, ',');
    assert_string_equal(row, "plain,a b,,\"a,b\",\"say \"\"hi\"\"\",\"a\nb\",\" a\",\"b "
                             "\",\"\t\",\xC3\xA9;',a\tb");
    free(row);
    row = written_row(text + 3, 1, '\t');
    assert_string_equal(row, "a,b");
    free(row);
    row = written_row(text + 10, 1, '\t');
    assert_string_equal(row, "\"a\tb\"");
    free(row);
}

static void test_csv_reads_back_what_it_wrote(void **state)
{
    (void)state;
    const char *const text[] = {"\xEF\xBB\xBFmark",
                                "\"",
                                "\"\"",
                                ",\t",
                                "\r\n",
                                " ",
                                "\t",
                                "a\r",
                                "",
                                "\"a",
                                "b\"",
                                "'"};
    const size_t n = sizeof(text) / sizeof(text[0]);
    for (int d = 0; d < 2; d++) {
        const char delimiter = d == 0 ? ',' : '\t';
        char *row = written_row(text, n, delimiter);
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_i_csv csv;
        bool has_row = false;
        opn_i_bytes bytes = bytes_of(ctx, row, strlen(row));
        assert_int_equal(opn_i_csv_open(ctx, "t", &bytes, delimiter, &csv), OPN_OK);
        assert_int_equal(opn_i_csv_next(ctx, &csv, &has_row), OPN_OK);
        assert_true(has_row);
        assert_int_equal(csv.n_fields, n);
        for (size_t k = 0; k < n; k++)
            assert_string_equal(csv.field[k].text, text[k]);
        opn_i_csv_close(ctx, &csv);
        support_ctx_free(ctx, &m);
        free(row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_csv_splits_rows_with_every_line_ending),
            cmocka_unit_test(test_csv_takes_an_empty_line_as_one_empty_field),
            cmocka_unit_test(test_csv_unquotes_fields),
            cmocka_unit_test(test_csv_delimiter_is_what_the_first_two_lines_share),
            cmocka_unit_test(test_csv_splits_fields_at_any_number_of_blanks),
            cmocka_unit_test(test_csv_skips_lines_that_are_comments_where_asked),
            cmocka_unit_test(test_csv_splits_fields_at_semicolons),
            cmocka_unit_test(test_csv_counts_lines_inside_quotes),
            cmocka_unit_test(test_csv_trims_blanks_outside_quotes_only),
            cmocka_unit_test(test_csv_skips_a_byte_order_mark),
            cmocka_unit_test(test_csv_keeps_every_character_of_unicode),
            cmocka_unit_test(test_csv_names_the_line_where_an_endless_quote_began),
            cmocka_unit_test(test_csv_refuses_text_after_a_closing_quote),
            cmocka_unit_test(test_csv_refuses_nul_and_names_its_line),
            cmocka_unit_test(test_csv_refuses_utf_16_in_a_sentence_of_its_own),
            cmocka_unit_test(test_csv_refuses_invalid_utf_8),
            cmocka_unit_test(test_csv_refuses_rows_beyond_the_cap_of_fields),
            cmocka_unit_test(test_csv_survives_truncation_at_every_byte),
            cmocka_unit_test(test_csv_survives_every_single_bit_flip),
            cmocka_unit_test(test_csv_survives_any_allocation_failure),
            cmocka_unit_test(test_csv_asks_for_memory_once_not_per_row),
            cmocka_unit_test(test_csv_int_reads_the_whole_range),
            cmocka_unit_test(test_csv_int_refuses_everything_else),
            cmocka_unit_test(test_csv_int_keeps_to_its_bounds),
            cmocka_unit_test(test_csv_real_is_correctly_rounded),
            cmocka_unit_test(test_csv_real_refuses_everything_else),
            cmocka_unit_test(test_csv_real_does_not_depend_on_the_locale),
            cmocka_unit_test(test_csv_quotes_only_what_needs_quotes),
            cmocka_unit_test(test_csv_reads_back_what_it_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
