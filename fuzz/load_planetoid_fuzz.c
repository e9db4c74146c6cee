// load_planetoid_fuzz.c -- any bytes, cut into the seven files of a Planetoid graph.

#include "load_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ind.x.graph",     "ind.x.allx", "ind.x.tx",
                                        "ind.x.ally",      "ind.x.ty",   "ind.x.y",
                                        "ind.x.test.index"};
    char prefix[FUZZ_PATH];
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    fuzz_write_files(data, size);
    fuzz_load(fuzz_path(prefix, "ind.x"));
    return 0;
}
