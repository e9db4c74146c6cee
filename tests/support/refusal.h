// refusal.h -- how every loader must handle bad data.

#ifndef OPN_REFUSAL_H
#define OPN_REFUSAL_H

#include "opine/graph.h"

#include <stdbool.h>

// Loads `data`, files of n_bytes in total, and prints what went wrong: a status that does
// not blame the input, a block far larger than the input, a leak, or after a failure a
// modified output or a message that is not one line beginning with `data`. True if
// nothing went wrong. *status says whether the data were accepted; `message` (may be
// NULL) receives the message about them, or "".
bool load_is_sound(const char *what,
                   const char *data,
                   size_t n_bytes,
                   opn_status *status,
                   char message[1024]);

// Whether the data are rejected without such problems and the message contains `part` and
// `hint` (may be NULL); prints why not.
bool load_is_refused(const char *what,
                     const char *data,
                     size_t n_bytes,
                     const char *part,
                     const char *hint);

// Loads valid `data` with every allocation failing once: NOMEM and no leak each time.
void expect_load_survives_failing_memory(const char *data);

// The graph as text, for comparison with the expected one; nodes, classes and features
// are given by name:
//   node:class …; source>target=weight …; node.feature=value …; class …; feature …
// A weight or value of 1, and the class of an unlabelled node, are omitted. Returns
// `text`.
const char *graph_text(const opn_graph *graph, char text[2048]);

#endif // OPN_REFUSAL_H
