// ledger.h -- the quality ledger: a table of figures with allowed intervals, read from a
// file and compared with newly computed figures.

#ifndef OPN_LEDGER_H
#define OPN_LEDGER_H

#include "opine/metrics.h"

#include <stdbool.h>

// Three standard errors of the mean, and at least half a point. Differences in the last
// bits between processors or compilers stay well within; a change of the method does not.
#define LEDGER_STANDARD_ERRORS  3.0
#define LEDGER_LEAST_HALF_WIDTH 0.5

enum { LEDGER_ROOM = 1000, LEDGER_KEY = 96 };

// The columns that identify a row, as in the file: "cora,ood,gcn,5,auroc,entropy".
typedef struct ledger_row {
    char key[LEDGER_KEY];
    double mean, low, high;
    size_t line; // in the file; 0 if computed
    bool is_matched;
} ledger_row;

// Zero-initialise.
typedef struct ledger {
    size_t n;
    ledger_row row[LEDGER_ROOM];
} ledger;

// Problems found, one per line, as far as there is room. Zero-initialise.
typedef struct complaints {
    int n;
    char text[1 << 15];
} complaints;

OPN_PRINTF(2, 3) void complain(complaints *about, const char *fmt, ...);

// Appends the rows of a file, which must begin with the column names.
void ledger_read(opn_ctx *ctx, const char *path, ledger *out, complaints *about);

// Replaces the file.
void ledger_write(opn_ctx *ctx, const char *path, const ledger *in, complaints *about);

// Appends a computed row. A figure that only some of the seeds have is a complaint.
void ledger_add(ledger *to,
                const char *key,
                int32_t n_seeds,
                const opn_estimate *estimate,
                complaints *about);

// Complains about every row of `found` that is outside its interval in `kept` or missing
// there, and every row of `kept` that begins with `prefix` and is not in `found`. A row
// of `kept` is matched only once, and is marked when matched.
void ledger_compare(ledger *kept,
                    const ledger *found,
                    const char *prefix,
                    complaints *about);

#endif // OPN_LEDGER_H
