// class_order.c -- the order of classes that files know by name.

#include "tables/class_order.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

int64_t opn_i_plain_number(const char *text)
{
    int64_t number = 0;
    if (text[0] == 0 || (text[0] == '0' && text[1] != 0) || strlen(text) > 9)
        return -1;
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        number = number * 10 + (*text - '0');
    }
    return number;
}

typedef struct named_class {
    const char *text;
    int32_t number; // as it was found
    bool is_value;
    double value; // 0 of a word
} named_class;

static named_class describe_class(const char *text, int32_t number)
{
    named_class described = {.text = text, .number = number};
    described.is_value = opn_i_parse_real(text, strlen(text), &described.value);
    return described;
}

// Numbers before words; numbers by value, words by byte order.
static int compare_classes(const void *a, const void *b)
{
    const named_class *x = a;
    const named_class *y = b;
    if (x->is_value != y->is_value)
        return x->is_value ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->text, y->text);
}

opn_status opn_i_classes_rank(opn_ctx *ctx,
                              const opn_i_names *found,
                              bool listed,
                              int32_t *rank,
                              opn_i_names *names)
{
    opn_status status = OPN_OK;
    const int32_t n = (int32_t)found->n;
    named_class *sorted = NULL;
    bool is_numbered = true;
    OPN_TRY_NEW(ctx, sorted, n);
    for (int32_t k = 0; k < n; k++)
        sorted[k] = describe_class(opn_i_names_at(found, k), k);
    if (!listed)
        qsort(sorted, (size_t)n, sizeof(*sorted), compare_classes);
    for (int32_t k = 0; k < n; k++) {
        rank[sorted[k].number] = k;
        is_numbered = is_numbered && opn_i_plain_number(sorted[k].text) == k;
    }
    for (int32_t k = 0; k < n && !is_numbered; k++)
        OPN_TRY(opn_i_names_add(ctx, names, sorted[k].text, strlen(sorted[k].text)));
cleanup:
    opn_i_release(&ctx->alloc, sorted);
    return status;
}
