// load_npz_fuzz.c -- any bytes as an archive of a graph, with labels beside it for a lone
// matrix.

#include "load_fuzz.h"
#include "mend_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"graph.npz", "labels.txt"};
    static const uint8_t labels[] = "no\nyes\n\nyes\n";
    char path[FUZZ_PATH];
    fuzz_open_folder(names, 2);
    fuzz_write_file(names[1], labels, sizeof(labels) - 1);
    fuzz_write_file(names[0], data, size);
    fuzz_load(fuzz_path(path, names[0]));

    uint8_t *mended = malloc(size + 1);
    fuzz_check(mended != NULL);
    if (size > 0)
        memcpy(mended, data, size);
    mend_checksums(mended, size);
    if (size > 0 && memcmp(mended, data, size) != 0) {
        fuzz_write_file(names[0], mended, size);
        fuzz_load(path);
    }
    free(mended);
    return 0;
}
