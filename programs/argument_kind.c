// argument_kind.c -- says what an argument is that stands in the wrong place.

#include "command.h"

#include <string.h>

typedef struct input_words {
    const char *is_what;  // "is a graph"
    const char *fits;     // arguments that may be one, separated by blanks
    const char *taken_by; // where it belongs
} input_words;

static const input_words words[] = {
        [OPN_INPUT_GRAPH] = {"is a graph", "DATA", "opine train DATA takes graphs"},
        [OPN_INPUT_MODEL] = {"is a model", "MODEL RUN",
                             "opine predict MODEL DATA and opine report RUN take models"},
        [OPN_INPUT_CHECKPOINT] = {"is a checkpoint", "",
                                  "opine train DATA -o OUT --resume continues it"},
        [OPN_INPUT_PREDICTIONS] = {"holds predictions", "RUN",
                                   "opine report RUN takes predictions"},
        [OPN_INPUT_RUN] = {"is the folder of a run", "RUN",
                           "opine report RUN takes such folders"},
        [OPN_INPUT_PAGE] = {"is an HTML page", "", "open it in a browser"},
        [OPN_INPUT_OTHER] = {"is not a file that opine writes", "DATA RUN",
                             "opine train DATA -o OUT writes models"},
};

bool complain_of_argument(const opine_app *app, const char *message)
{
    for (int a = 0; app->verb != NULL && a < app->n_arguments; a++) {
        const opine_argument *role = verb_argument(app->verb, a);
        const size_t n = strlen(app->argument[a]);
        if (role == NULL || !has_name("DATA MODEL RUN", role->name) ||
            strncmp(message, app->argument[a], n) != 0 || message[n] != ':')
            continue;
        const input_words *found = &words[opn_input_recognise(app->argument[a])];
        if (found->is_what == NULL || has_name(found->fits, role->name))
            continue;
        complain("%s: %s, but %s takes %s here; %s", app->argument[a], found->is_what,
                 app->verb->name, role->name, found->taken_by);
        return true;
    }
    return false;
}
