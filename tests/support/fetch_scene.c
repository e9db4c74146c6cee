// fetch_scene.c -- a server on the loopback, and the scene of a test that fetches from
// it.

#include "support/fetch_scene.h"
#include "data/data_folder.h"
#include "support/cmocka_test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- the server ----------------------------------------------------------------------

fetch_server_state fetch_server;
const char fetch_certificate[] = FETCH_CERTIFICATE;

// The same bytes as those of fetch_server.py.
static void make_pattern(void)
{
    for (uint32_t i = 0; i < LARGE; i++)
        fetch_server.data[i] = (unsigned char)(i * 2654435761u >> 13);
}

int fetch_start_server(void **state)
{
    (void)state;
    int to_server[2];
    int from_server[2];
    char text[32] = "";
    make_pattern();
    // Whatever the user's proxy is, it has no part in this.
    assert_int_equal(setenv("no_proxy", "*", 1), 0);
    assert_int_equal(unsetenv("OPINE_DATA_MIRROR"), 0);
    support_temp_folder(fetch_server.folder);
    support_path(fetch_server.log, fetch_server.folder, "log");
    assert_int_equal(pipe(to_server), 0);
    assert_int_equal(pipe(from_server), 0);
    fetch_server.process = fork();
    assert_true(fetch_server.process >= 0);
    if (fetch_server.process == 0) {
        dup2(to_server[0], STDIN_FILENO);
        dup2(from_server[1], STDOUT_FILENO);
        close(to_server[1]);
        close(from_server[0]);
        execlp("python3", "python3", FETCH_SERVER, fetch_server.log, (char *)NULL);
        _exit(127);
    }
    close(to_server[0]);
    close(from_server[1]);
    fcntl(to_server[1], F_SETFD, FD_CLOEXEC);
    fetch_server.input = to_server[1];
    for (size_t n = 0; n < sizeof(text) - 1 && strchr(text, '\n') == NULL; n++)
        assert_int_equal(read(from_server[0], text + n, 1), 1);
    close(from_server[0]);
    return sscanf(text, "%d %d", &fetch_server.port, &fetch_server.tls_port) == 2 ? 0
                                                                                  : -1;
}

int fetch_stop_server(void **state)
{
    (void)state;
    close(fetch_server.input);
    waitpid(fetch_server.process, NULL, 0);
    support_remove_folder(fetch_server.folder);
    return 0;
}

void fetch_expect_requests(const char *lines)
{
    char *log = support_read_file(fetch_server.log, NULL);
    assert_string_equal(log, lines);
    free(log);
    support_write_text(fetch_server.log, "");
}

// ---- the scene of a test -------------------------------------------------------------

void fetch_hash(opn_ctx *ctx, size_t n, char text[OPN_SHA256_TEXT])
{
    opn_i_sha256 *hash = NULL;
    assert_int_equal(opn_i_sha256_start(ctx, &hash), OPN_OK);
    opn_i_sha256_add(hash, fetch_server.data, n);
    assert_int_equal(opn_i_sha256_finish(hash, text), OPN_OK);
}

fetch_scene *fetch_open(int n_bytes)
{
    fetch_scene *scn = calloc(1, sizeof(*scn));
    assert_non_null(scn);
    char name[64];
    scn->s = support_open_stage("data");
    memcpy(scn->folder, scn->s->path, sizeof(scn->folder));
    snprintf(name, sizeof(name), "planetoid/%d.bin", n_bytes);
    support_path(scn->path, scn->folder, name);
    snprintf(name, sizeof(name), "planetoid/%d.bin.part", n_bytes);
    support_path(scn->part, scn->folder, name);
    fetch_hash(scn->s->ctx, (size_t)n_bytes, scn->sha256);
    scn->file = (opn_i_data_file){n_bytes == SMALL ? "planetoid/5000.bin"
                                                   : "planetoid/200000.bin",
                                  n_bytes, scn->sha256};
    scn->source = (opn_i_data_source){.dataset = "test",
                                      .origin = "http://127.0.0.1:1",
                                      .file = &scn->file,
                                      .n_files = 1};
    scn->limits = (opn_i_http_limits){.connect_seconds = 60, .stall_seconds = 60};
    support_write_text(fetch_server.log, "");
    return scn;
}

void fetch_close(fetch_scene *scn)
{
    support_close_stage(scn->s);
    free(scn);
}

void fetch_make_folder(const fetch_scene *scn)
{
    char path[SUPPORT_PATH];
    assert_int_equal(
            opn_i_make_folders(scn->s->ctx, support_path(path, scn->folder, "planetoid")),
            OPN_OK);
}

opn_status fetch_from(fetch_scene *scn, const char *mirror)
{
    return opn_i_data_fetch(scn->s->ctx, &scn->source, scn->folder, mirror, &scn->limits,
                            &scn->info);
}

opn_status fetch_as(fetch_scene *scn, const char *behaviour)
{
    snprintf(scn->mirror, sizeof(scn->mirror), "http://127.0.0.1:%d/%s",
             fetch_server.port, behaviour);
    return fetch_from(scn, scn->mirror);
}

opn_status fetch_by_tls(fetch_scene *scn, const char *behaviour)
{
    snprintf(scn->mirror, sizeof(scn->mirror), "https://127.0.0.1:%d/%s",
             fetch_server.tls_port, behaviour);
    return fetch_from(scn, scn->mirror);
}

bool fetch_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

void fetch_expect_whole(const fetch_scene *scn)
{
    support_expect_file(scn->path, fetch_server.data, (size_t)scn->file.n_bytes);
    assert_false(fetch_exists(scn->part));
}

void fetch_leave_part(const fetch_scene *scn, size_t n_bytes)
{
    fetch_make_folder(scn);
    support_write_file(scn->part, fetch_server.data, n_bytes);
}

void fetch_make_mirror(fetch_scene *scn, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    support_path(scn->mirror, scn->s->folder, "mirror");
    assert_int_equal(
            opn_i_make_folders(scn->s->ctx, support_path(path, scn->mirror, "planetoid")),
            OPN_OK);
    support_write_file(support_path(path, scn->mirror, scn->file.path), fetch_server.data,
                       n_bytes);
}

void fetch_limit_files(rlim_t n_bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = n_bytes < limit.rlim_max ? n_bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
