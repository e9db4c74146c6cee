// data_sources.c -- the files of the published datasets, and where their authors host
// them.

#include "data/data_sources.h"

#include <string.h>

#define PLANETOID "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data"
#define GNN_BENCHMARK \
    "https://raw.githubusercontent.com/shchur/gnn-benchmark/master/data/npz"
// The authors of MNIST no longer host it; this is where PyTorch has it.
#define MNIST "https://ossci-datasets.s3.amazonaws.com/mnist"
#define FASHION_MNIST                                                         \
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/" \
    "data/fashion"

#define N_ROWS(table) (sizeof(table) / sizeof((table)[0]))

// Finding .allx or .graph counts as having a Planetoid dataset, so these two come last.
static const opn_i_data_file cora_files[] = {
        {"planetoid/ind.cora.test.index", 5000,
         "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
        {"planetoid/ind.cora.x", 22119,
         "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
        {"planetoid/ind.cora.y", 4054,
         "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
        {"planetoid/ind.cora.tx", 148025,
         "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
        {"planetoid/ind.cora.ty", 28135,
         "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
        {"planetoid/ind.cora.ally", 47959,
         "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
        {"planetoid/ind.cora.allx", 257305,
         "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
        {"planetoid/ind.cora.graph", 59847,
         "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
};

static const opn_i_data_file citeseer_files[] = {
        {"planetoid/ind.citeseer.test.index", 5000,
         "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
        {"planetoid/ind.citeseer.x", 31087,
         "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
        {"planetoid/ind.citeseer.y", 3014,
         "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
        {"planetoid/ind.citeseer.tx", 260321,
         "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
        {"planetoid/ind.citeseer.ty", 24135,
         "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
        {"planetoid/ind.citeseer.ally", 55623,
         "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
        {"planetoid/ind.citeseer.allx", 595021,
         "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
        {"planetoid/ind.citeseer.graph", 61987,
         "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
};

static const opn_i_data_file pubmed_files[] = {
        {"planetoid/ind.pubmed.test.index", 6000,
         "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
        {"planetoid/ind.pubmed.x", 23172,
         "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"},
        {"planetoid/ind.pubmed.y", 854,
         "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"},
        {"planetoid/ind.pubmed.tx", 405505,
         "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
        {"planetoid/ind.pubmed.ty", 12135,
         "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
        {"planetoid/ind.pubmed.ally", 224739,
         "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
        {"planetoid/ind.pubmed.allx", 7578385,
         "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"},
        {"planetoid/ind.pubmed.graph", 471808,
         "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
};

static const opn_i_data_file photo_files[] = {
        {"gnn-benchmark/amazon_electronics_photo.npz", 17113960,
         "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a"},
};

static const opn_i_data_file computers_files[] = {
        {"gnn-benchmark/amazon_electronics_computers.npz", 31921488,
         "736ba1d9fd85eac2da83a5ad25c463f04b0031a6ca01563f90a7099d9e8ffb2c"},
};

static const opn_i_data_file physics_files[] = {
        {"gnn-benchmark/ms_academic_phy.npz", 16374005,
         "e4d68468eba5fb8f6b280ffd406bd53e6e4295ba1dd2967d6fe99b978e4b3375"},
};

// Finding the training images counts as having a set of images, so these come last.
static const opn_i_data_file mnist_files[] = {
        {"images/mnist/train-labels-idx1-ubyte.gz", 28881,
         "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
        {"images/mnist/t10k-images-idx3-ubyte.gz", 1648877,
         "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
        {"images/mnist/t10k-labels-idx1-ubyte.gz", 4542,
         "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
        {"images/mnist/train-images-idx3-ubyte.gz", 9912422,
         "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
};

static const opn_i_data_file mnist_repacked[] = {
        {"images/mnist/train-labels-idx1-ubyte.gz", 28857,
         "1787548bbe0bff1ec2ecdc0ef292b02df999e2d1a6002d27500982c652b17203"},
        {"images/mnist/t10k-images-idx3-ubyte.gz", 1616508,
         "1a1a05eab793c14bb050b398624a11b0ffd1a2953baed553b1b9bd079e2a20be"},
        {"images/mnist/t10k-labels-idx1-ubyte.gz", 4517,
         "b91679a0acfe4ba0e50a2437a903084cba1f5f92592b016a25a7dfd00455798b"},
        {"images/mnist/train-images-idx3-ubyte.gz", 9719438,
         "0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971"},
};

static const opn_i_data_file fashion_mnist_files[] = {
        {"images/fashion-mnist/train-labels-idx1-ubyte.gz", 29515,
         "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
        {"images/fashion-mnist/t10k-images-idx3-ubyte.gz", 4422102,
         "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
        {"images/fashion-mnist/t10k-labels-idx1-ubyte.gz", 5148,
         "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
        {"images/fashion-mnist/train-images-idx3-ubyte.gz", 26421880,
         "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
};

static const opn_i_data_file fashion_mnist_repacked[] = {
        {"images/fashion-mnist/train-labels-idx1-ubyte.gz", 29491,
         "0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056"},
        {"images/fashion-mnist/t10k-images-idx3-ubyte.gz", 4422079,
         "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa"},
        {"images/fashion-mnist/t10k-labels-idx1-ubyte.gz", 5125,
         "8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05"},
        {"images/fashion-mnist/train-images-idx3-ubyte.gz", 26421856,
         "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7"},
};

static const opn_i_data_source sources[] = {
        {"cora", PLANETOID, cora_files, NULL, N_ROWS(cora_files)},
        {"citeseer", PLANETOID, citeseer_files, NULL, N_ROWS(citeseer_files)},
        {"pubmed", PLANETOID, pubmed_files, NULL, N_ROWS(pubmed_files)},
        {"photo", GNN_BENCHMARK, photo_files, NULL, N_ROWS(photo_files)},
        {"computers", GNN_BENCHMARK, computers_files, NULL, N_ROWS(computers_files)},
        {"physics", GNN_BENCHMARK, physics_files, NULL, N_ROWS(physics_files)},
        {"mnist", MNIST, mnist_files, mnist_repacked, N_ROWS(mnist_files)},
        {"fashion-mnist", FASHION_MNIST, fashion_mnist_files, fashion_mnist_repacked,
         N_ROWS(fashion_mnist_files)},
};

const opn_i_data_source *opn_i_data_source_of(const char *dataset)
{
    for (size_t s = 0; s < N_ROWS(sources); s++)
        if (strcmp(sources[s].dataset, dataset) == 0)
            return &sources[s];
    return NULL;
}

size_t opn_dataset_n_files(const opn_dataset *dataset)
{
    OPN_RETURN_IF_NULL(dataset, 0);
    const opn_i_data_source *source = opn_i_data_source_of(dataset->name);
    return source == NULL ? 0 : source->n_files;
}

void opn_dataset_file_at(const opn_dataset *dataset, size_t i, opn_dataset_file *out)
{
    if (dataset == NULL)
        return;
    if (out == NULL)
        return;
    const opn_i_data_source *source = opn_i_data_source_of(dataset->name);
    *out = (opn_dataset_file){0};
    if (source == NULL || i >= source->n_files)
        return;
    const opn_i_data_file *file = &source->file[i];
    *out = (opn_dataset_file){.path = file->path,
                              .n_bytes = file->n_bytes,
                              .sha256 = file->sha256,
                              .origin = source->origin};
}
