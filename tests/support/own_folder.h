// own_folder.h -- folders of tables as people have them, for tests of their reader.

#ifndef OPN_OWN_FOLDER_H
#define OPN_OWN_FOLDER_H

#include "opine/opine.h"
#include "support/support.h"

enum { MAX_FILES = 5, NOTES_ROOM = 1024 };

typedef struct file {
    const char *name;
    const char *text;
} file;

extern char own_folder[SUPPORT_PATH]; // of the test that runs

#define IN_FOLDER(test)                                                   \
    cmocka_unit_test_prestate_setup_teardown(test, support_folder_set_up, \
                                             support_folder_tear_down, own_folder)

// Writes the files in place of those of the case before; returns their bytes.
size_t write_files(const file files[MAX_FILES]);

// Loads the folder; `label` may be NULL.
opn_status load_folder(opn_ctx *ctx, const char *label, opn_graph **out);

// All notes of a graph, with " | " between.
const char *notes_of(const opn_graph *graph, char text[NOTES_ROOM]);

// ---- what is understood --------------------------------------------------------------

typedef struct own_case {
    const char *what;
    file files[MAX_FILES];
    const char *label; // NULL for none
    const char *graph; // as graph_text() tells it
    const char *notes; // as notes_of() tells them
} own_case;

// Fails, after a look at all cases, if one is not read as it should be.
void expect_folders(const own_case *cases, size_t n);

// The same where the first file is what is loaded.
void expect_first_files(const own_case *cases, size_t n);

// ---- what is not ---------------------------------------------------------------------

typedef struct wrong_case {
    const char *what;
    file files[MAX_FILES];
    const char *part;
    const char *hint; // or NULL
} wrong_case;

// Fails, after a look at all cases, if one is not refused with that message.
void expect_refused_folders(const wrong_case *cases, size_t n);

// The same where the first file is what is loaded. The message begins with its path.
void expect_refused_first_files(const wrong_case *cases, size_t n);

// The same for the folder as it is, where `label` is the reason.
void expect_label_refused(const char *label, const char *reason);

// Four nodes in a line, whose feature is 1.
#define BY_NUMBER                      \
    {"edges.csv", "0,1\n1,2\n2,3\n"},  \
    {                                  \
        "features.csv", "1\n1\n1\n1\n" \
    }
#define BY_NUMBER_TEXT(labels, classes) \
    labels "; 0>1 1>2 2>3; 0.0 1.0 2.0 3.0; " classes "; 0"

// The note about features with a header but no column of nodes.
#define IN_ORDER                                                                   \
    "features.csv: no column names the nodes, so its rows are the nodes 0, 1, 2, " \
    "… in order"

#endif // OPN_OWN_FOLDER_H
