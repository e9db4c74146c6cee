// load_idx_fuzz.c -- any bytes, cut into the images and labels of a training and of a
// test set.

#include "load_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {
            "train-images-idx3-ubyte", "train-labels-idx1-ubyte",
            "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
    char path[FUZZ_PATH];
    fuzz_open_folder(names, sizeof(names) / sizeof(names[0]));
    fuzz_write_files(data, size);
    fuzz_load(fuzz_path(path, names[0]));
    return 0;
}
