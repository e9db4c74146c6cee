// table_writer.c -- folders of CSV files.

#include "support/table_writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const table_names[N_TABLES] = {"edges", "features", "labels", "split",
                                           "classes"};

const tables tables_sample = {
        "source,target,weight\nann,bob,2\nbob,cid,1\n",
        "node,feature,value\nann,red,1\nbob,blue,3\ncid,blue,1\n",
        "node,label\nann,no\nbob,yes\ncid,\n",
        "node,role\nann,train\nbob,validation\n",
        "class\nno\nyes\n",
};

const char *table_text(const tables *from, size_t t)
{
    const char *const texts[N_TABLES] = {from->edges, from->features, from->labels,
                                         from->split, from->classes};
    return texts[t];
}

char *table_path(char path[SUPPORT_PATH],
                 const char *folder,
                 const char *name,
                 const char *suffix)
{
    char file[64];
    snprintf(file, sizeof(file), "%s%s", name, suffix);
    return support_path(path, folder, file);
}

size_t tables_write(const char *folder, const tables *from, const char *suffix)
{
    size_t n_bytes = 0;
    char path[SUPPORT_PATH];
    for (size_t t = 0; t < N_TABLES; t++) {
        const char *text = table_text(from, t);
        table_path(path, folder, table_names[t], suffix);
        if (text == NULL) {
            unlink(path);
            continue;
        }
        support_write_text(path, text);
        n_bytes += strlen(text);
    }
    return n_bytes;
}
