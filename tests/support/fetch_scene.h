// fetch_scene.h -- a loopback server that sends files correctly or incorrectly
// (tests/support/fetch_server.py), and a fixture for tests that fetch one of them.

#ifndef OPN_FETCH_SCENE_H
#define OPN_FETCH_SCENE_H

#include "data/data_sources.h"
#include "io/sha256.h"
#include "support/support.h"

#include <sys/resource.h>

enum { SMALL = 5000, LARGE = 200000 }; // bytes of the available files

typedef struct fetch_server_state {
    char folder[SUPPORT_PATH];
    char log[SUPPORT_PATH];    // folder/log: the requests
    unsigned char data[LARGE]; // start of every file
    int process;
    int input; // the server exits when it is closed
    int port;
    int tls_port; // of the same, by https
} fetch_server_state;

extern fetch_server_state fetch_server;

// Set-up and tear-down of a group of tests.
int fetch_start_server(void **state);
int fetch_stop_server(void **state);

// Asserts that the server has seen exactly these requests since the last call.
void fetch_expect_requests(const char *lines);

typedef struct fetch_scene {
    stage *s;
    char folder[SUPPORT_PATH]; // of the data
    char path[SUPPORT_PATH];   // of the target file, folder/planetoid/5000.bin
    char part[SUPPORT_PATH];   // path with .part appended
    char mirror[SUPPORT_PATH]; // URL of a server behaviour, or a folder
    char sha256[OPN_SHA256_TEXT];
    opn_i_data_file file;
    opn_i_data_source source; // of that file alone
    opn_i_http_limits limits; // longer than the slowest machine needs for an answer
    opn_fetch_info info;
} fetch_scene;

// A fixture whose source is one file of n_bytes, SMALL or LARGE.
fetch_scene *fetch_open(int n_bytes);
void fetch_close(fetch_scene *scn);

// SHA-256 of the first n bytes of the server's data.
void fetch_hash(opn_ctx *ctx, size_t n, char text[OPN_SHA256_TEXT]);

// Fetches from a mirror, or from the server with one of its behaviours.
opn_status fetch_from(fetch_scene *scn, const char *mirror);
opn_status fetch_as(fetch_scene *scn, const char *behaviour);

// The same by https. The server's certificate is in the file, and no other vouches for
// it.
extern const char fetch_certificate[];
opn_status fetch_by_tls(fetch_scene *scn, const char *behaviour);

// Creates the folder of the file, or a .part file of n bytes in it.
void fetch_make_folder(const fetch_scene *scn);
void fetch_leave_part(const fetch_scene *scn, size_t n_bytes);

// Makes scn->mirror a folder with n bytes in place of the file.
void fetch_make_mirror(fetch_scene *scn, size_t n_bytes);

bool fetch_exists(const char *path);

// Asserts that the file is complete and nothing else exists.
void fetch_expect_whole(const fetch_scene *scn);

// Limits the size of files written by this process; the hard limit is unchanged.
void fetch_limit_files(rlim_t n_bytes);

#endif // OPN_FETCH_SCENE_H
