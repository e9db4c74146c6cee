// load_edge_list_fuzz.c -- any bytes, cut into a list of edges and the tables beside it.

#include "load_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"g.ungraph.txt", "g_labels.txt", "g.features.txt",
                                        "g-nodes.csv"};
    char path[FUZZ_PATH];
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    fuzz_write_files(data, size);
    fuzz_load(fuzz_path(path, names[0]));
    return 0;
}
