// load_graphml_fuzz.c -- any bytes as a GraphML file.

#include "load_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"g.graphml"};
    char path[FUZZ_PATH];
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    fuzz_write_file(names[0], data, size);
    fuzz_load(fuzz_path(path, names[0]));
    return 0;
}
