// corpus_main.c -- runs a fuzz target over the files of the folders given, without
// libFuzzer: what was found once must not come back.

#include "fuzz_target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The input gets a block of exactly its size, so that the sanitizers see a read past it.
static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1);
    const int is_read =
            file != NULL && data != NULL && fread(data, 1, size, file) == size;
    if (is_read)
        LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
    free(data);
    if (file != NULL)
        fclose(file);
    return is_read;
}

// Files run, or -1 when one could not be read.
static int run_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        fprintf(stderr, "%s: cannot be opened: %s\n", folder, strerror(errno));
        return -1;
    }
    int n_files = 0;
    for (struct dirent *entry; n_files >= 0 && (entry = readdir(entries)) != NULL;) {
        char path[4096];
        struct stat about;
        const int n = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &about) != 0)
            n_files = -1;
        else if (S_ISREG(about.st_mode))
            n_files = run_file(path, (size_t)about.st_size) ? n_files + 1 : -1;
    }
    closedir(entries);
    return n_files;
}

int main(int n_args, char **args)
{
    for (int i = 1; i < n_args; i++) {
        const int n_files = run_folder(args[i]);
        printf("%s: %d files\n", args[i], n_files);
        // An empty folder would be a test that cannot fail.
        if (n_files < 1)
            return EXIT_FAILURE;
    }
    return n_args > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
