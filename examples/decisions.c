// decisions.c -- decisions from the probabilities of anybody's model: calibrated, as sets
// of classes that hold the true one in nine of ten cases, and as a threshold that keeps
// its promise.
//
// Here they are drawn, from a model that is right more often than it says. Build with:
// cc decisions.c $(pkg-config --cflags --libs opine)

#include <opine/opine.h>
#include <stdio.h>

enum { ITEMS = 2000, CLASSES = 3, LABELLED = 1000 };

static double probability[ITEMS * CLASSES], calibrated[ITEMS * CLASSES];
static double score[ITEMS * CLASSES], doubt[ITEMS];
static int32_t truth[ITEMS], known[ITEMS];
static uint8_t member[ITEMS * CLASSES], right[LABELLED];

static double draw(void) // in [0, 1), the same in every run
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

// Says p for a class that is the right one with a probability of only 1/3 + 0.9 (p -
// 1/3).
static void draw_items(void)
{
    for (int i = 0; i < ITEMS; i++) {
        const int first = (int)(CLASSES * draw());
        const double p = 1.0 / CLASSES + (1.0 - 1.0 / CLASSES) * draw();
        const int is_right = draw() < 1.0 - (1.0 - p) * (1.0 - p);
        for (int k = 0; k < CLASSES; k++)
            probability[i * CLASSES + k] = k == first ? p : (1.0 - p) / (CLASSES - 1);
        truth[i] = is_right ? first : (first + 1 + (int)(2 * draw())) % CLASSES;
        known[i] = i < LABELLED ? truth[i] : -1; // the others are to be decided
    }
}

// One minus the largest calibrated probability, and whether its class is the right one.
static void find_doubts(void)
{
    for (int i = 0; i < ITEMS; i++) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            best = calibrated[i * CLASSES + k] > calibrated[i * CLASSES + best] ? k
                                                                                : best;
        doubt[i] = 1.0 - calibrated[i * CLASSES + best];
        if (i < LABELLED)
            right[i] = best == truth[i];
    }
}

static void print_decisions(const opn_probability_quality *before,
                            const opn_probability_quality *after,
                            const opn_set_quality *sets,
                            const opn_control *control)
{
    int n_accepted = 0;
    for (int i = LABELLED; i < ITEMS; i++)
        n_accepted += doubt[i] <= control->threshold;
    printf("calibration error  %.0f %% before, %.0f %% after\n", 100.0 * before->ece,
           100.0 * after->ece);
    printf("sets               %.0f %% hold the true class, %.1f classes each\n",
           100.0 * sets->n_covered / sets->n, sets->mean_size);
    printf("accepted           %d of %d, promised 90 %% right\n", n_accepted,
           ITEMS - LABELLED);
}

int main(void)
{
    const opn_set_options options = {.kind = OPN_SET_LAC};
    const opn_numbers p = opn_f64(probability), q = opn_f64(calibrated);
    opn_ctx *ctx = NULL;
    opn_calibrator calibrator;
    opn_probability_quality before, after;
    opn_set_quality sets;
    opn_control control;
    double threshold[CLASSES];
    draw_items();
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 1;
    if (opn_calibrator_fit(ctx, OPN_CALIBRATION_TEMPERATURE, ITEMS, CLASSES, p,
                           opn_f64(NULL), known, &calibrator) != OPN_OK ||
        opn_calibrator_apply(ctx, &calibrator, ITEMS, CLASSES, p, opn_f64(NULL),
                             opn_into_f64(calibrated)) != OPN_OK ||
        opn_probability_measure(ctx, ITEMS, CLASSES, p, truth, 15, &before) != OPN_OK ||
        opn_probability_measure(ctx, ITEMS, CLASSES, q, truth, 15, &after) != OPN_OK ||
        opn_set_score(ctx, &options, ITEMS, CLASSES, q, opn_into_f64(score)) != OPN_OK ||
        opn_set_calibrate(ctx, ITEMS, CLASSES, opn_f64(score), known, 0.9, 0,
                          threshold) != OPN_OK ||
        opn_set_members(ctx, ITEMS, CLASSES, opn_f64(score), threshold, member) !=
                OPN_OK ||
        opn_set_measure(ctx, ITEMS, CLASSES, member, truth, NULL, NULL, &sets) !=
                OPN_OK) {
        fprintf(stderr, "decisions: %s\n", opn_ctx_error(ctx));
        return 1;
    }
    find_doubts();
    if (opn_control_accuracy(ctx, LABELLED, opn_f64(doubt), right, LABELLED,
                             opn_f64(doubt), 0.9, 0.9, &control) != OPN_OK) {
        fprintf(stderr, "decisions: %s\n", opn_ctx_error(ctx));
        return 1;
    }
    print_decisions(&before, &after, &sets, &control);
    opn_ctx_free(ctx);
    return 0;
}
