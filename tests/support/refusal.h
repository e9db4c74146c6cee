// refusal.h -- what every loader owes a user whose data are bad.

#ifndef OPN_REFUSAL_H
#define OPN_REFUSAL_H

#include "opine/graph.h"

#include <stdbool.h>

// Loads `data`, files of n_bytes in all, and prints what is wrong with the way that went:
// a status that is no fault of the input, a block far larger than the input, a leak, or
// after a failure an output that was touched or a message that is not one line which
// begins with `data`. True when nothing was. *status tells whether the data were taken;
// `message` (may be NULL) receives what was said about them, or "".
bool load_is_sound(const char *what,
                   const char *data,
                   size_t n_bytes,
                   opn_status *status,
                   char message[1024]);

// Whether the data are refused, soundly, and the message holds `part` and `hint` (may be
// NULL); prints why not.
bool load_is_refused(const char *what,
                     const char *data,
                     size_t n_bytes,
                     const char *part,
                     const char *hint);

// Loads `data`, which are right, with every allocation failing once: NOMEM and nothing
// leaked each time.
void expect_load_survives_failing_memory(const char *data);

// The graph in words, for comparison with what was meant; nodes, classes and features go
// by their names:
//   node:class …; source>target=weight …; node.feature=value …; class …; feature …
// A weight or value of 1, and the class of an unlabelled node, are left out. Returns
// `text`.
const char *graph_text(const opn_graph *graph, char text[2048]);

#endif // OPN_REFUSAL_H
