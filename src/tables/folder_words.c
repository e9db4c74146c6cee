// folder_words.c -- the table of words that readers of a folder know. To know one more,
// add it here and in docs/file-formats.md.

#include "tables/folder_words.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

// Names of columns are in lower case and without separators; the most telling come first.
static const char *const words_of[] = {
        [OPN_MEANS_NODE] = "node nodeid nodename id name",
        [OPN_MEANS_ID] =
                "newid vertex vertexid user userid username paper paperid author "
                "authorid item itemid product productid page pageid account "
                "accountid tx txid transaction transactionid entity entityid "
                "index idx",
        [OPN_MEANS_SOURCE] = "source src from u node1 id1 sourceid srcid fromid fromnode "
                             "sourcenode user1 nodea start head follower citing",
        [OPN_MEANS_TARGET] = "target dst to v node2 id2 targetid dstid toid tonode "
                             "targetnode user2 nodeb end tail followee cited dest "
                             "destination",
        [OPN_MEANS_WEIGHT] = "weight weights w edgeweight",
        [OPN_MEANS_ASIDE] = "time timestamp date datetime year type kind relation label "
                            "class id edgeid index idx",
        [OPN_MEANS_LABEL] = "label labels class",
        [OPN_MEANS_CLASS] = "target targets y category classes classid labelid "
                            "groundtruth",
        [OPN_MEANS_FEATURE] = "feature featureid featurename attribute attributeid attr",
        [OPN_MEANS_VALUE] = "value val values",
        [OPN_MEANS_ROLE] = "role split set fold subset partition",
        [OPN_MEANS_TRAIN] = "trainmask istrain train",
        [OPN_MEANS_VALIDATION] = "valmask validmask validationmask isval isvalid "
                                 "isvalidation val valid validation",
        [OPN_MEANS_CALIBRATION] = "calibrationmask calibmask calmask iscalibration "
                                  "iscalib iscal calibration calib",
        [OPN_MEANS_TEST] = "testmask istest test",
        [OPN_MEANS_PREDICTION] = "predicted vacuity dissonance aleatoric epistemic "
                                 "entropy fused margin energy vacuity~ dissonance~ "
                                 "aleatoric~ epistemic~ entropy~ confidence pknown set "
                                 "decision decidedby",
        [OPN_MEANS_MISSING] = "na n/a nan null ?",
        [OPN_MEANS_TRUE] = "true yes",
        [OPN_MEANS_FALSE] = "false no",
};

// The next character of a word that counts, in lower case; *at is moved behind it.
static int next_letter(const char **at, bool is_name)
{
    while (is_name && **at != 0 && strchr(" _-.", **at) != NULL)
        ++*at;
    const char letter = **at;
    *at += letter != 0;
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter; // in any locale
}

int opn_i_word_rank(const char *word, opn_i_meaning meaning)
{
    const bool is_name = meaning < OPN_MEANS_MISSING;
    int rank = 0;
    for (const char *known = words_of[meaning]; *known != 0; rank++) {
        const size_t n = strcspn(known, " ");
        const char *at = word;
        size_t n_same = 0;
        while (n_same < n && next_letter(&at, is_name) == known[n_same])
            n_same++;
        if (n_same == n && next_letter(&at, is_name) == 0)
            return rank;
        known += n + (known[n] == ' ');
    }
    return -1;
}

bool opn_i_word_means(const char *word, opn_i_meaning meaning)
{
    return opn_i_word_rank(word, meaning) >= 0;
}

int opn_i_node_rank(const char *name, bool is_first)
{
    const int rank = opn_i_word_rank(name, OPN_MEANS_NODE);
    const int id_rank = opn_i_word_rank(name, OPN_MEANS_ID);
    if (rank >= 0)
        return is_first ? -1 : rank;
    return id_rank >= 0 ? OPN_PERHAPS_NODE + id_rank : INT_MAX;
}

bool opn_i_names_node(const char *name)
{
    return opn_i_node_rank(name, false) < INT_MAX;
}

bool opn_i_names_label(const char *name)
{
    return opn_i_word_means(name, OPN_MEANS_LABEL) ||
           opn_i_word_means(name, OPN_MEANS_CLASS);
}

bool opn_i_is_unnamed(const char *name)
{
    static const char unnamed[] = "Unnamed: ";
    return name[0] == 0 || strncmp(name, unnamed, sizeof(unnamed) - 1) == 0;
}

bool opn_i_is_missing(const char *text)
{
    // Python writes None for nothing; "none" may be a value.
    return text[0] == 0 || strcmp(text, "None") == 0 ||
           opn_i_word_means(text, OPN_MEANS_MISSING);
}
