// load_ogb_fuzz.c -- any bytes, cut into the tables of a folder of the Open Graph
// Benchmark.

#include "load_fuzz.h"

#include <sys/stat.h>

static const char *const names[] = {"raw/num-node-list.csv", "raw/edge.csv",
                                    "raw/node-label.csv",    "raw/node-feat.csv",
                                    "split/one/train.csv",   "split/one/valid.csv",
                                    "split/one/test.csv"};
static const char *const folders[] = {"raw", "split", "split/one"};

// Runs before the folder itself is removed.
static void remove_folders(void)
{
    char path[FUZZ_PATH];
    for (size_t f = 0; f < sizeof(names) / sizeof(names[0]); f++)
        (void)unlink(fuzz_path(path, names[f]));
    for (size_t f = sizeof(folders) / sizeof(folders[0]); f-- > 0;)
        (void)rmdir(fuzz_path(path, folders[f]));
}

static void open_folders(void)
{
    char path[FUZZ_PATH];
    static bool is_open;
    if (is_open)
        return;
    is_open = true;
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]); f++)
        fuzz_check(mkdir(fuzz_path(path, folders[f]), 0700) == 0);
    fuzz_check(atexit(remove_folders) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_folders();
    fuzz_write_files(data, size);
    fuzz_load(fuzz_folder);
    return 0;
}
