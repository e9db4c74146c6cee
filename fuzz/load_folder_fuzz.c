// load_folder_fuzz.c -- any bytes, cut into the tables of a folder.

#include "load_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"edges.csv",  "features.csv", "labels.csv",
                                        "split.csv",  "classes.csv",  "features.json",
                                        "target.csv", "nodes.csv"};
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    fuzz_write_files(data, size);
    fuzz_load(fuzz_folder);
    return 0;
}
