// figure_maps.c -- figures with panels of points in the plane.

#include "paper/figure_maps.h"

#include "opinion/curves.h"
#include "report/palette.h"
#include "report/plot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    N_STEPS = 64, // colours of the ramp
    // Points of one colour share a path, which keeps the file small but would put the
    // last colour on top of all others. So the points are spread over layers, each of
    // which starts again with the first colour.
    N_LAYERS = 4,
    N_KINDS = N_STEPS + 1, // a kind is a colour; kind 0 is grey
    N_SMALL = N_LAYERS * N_KINDS,
    N_PILES = 2 * N_SMALL, // each is one path: all small points, then all large ones
    BAR_HEIGHT = 7,
    BAR_ABOVE = 7, // between a map and its bar
    SPREAD_HEIGHT = 34,
    CAPTION_HEIGHT = 14,
};

static_assert((int)N_KINDS > (int)OPN_GROUP_COLOURS, "each class colour is a kind");

// ---- colours -------------------------------------------------------------------------

static int32_t kind_of(const opn_i_map_panel *panel, int32_t i)
{
    if (panel->value != NULL) {
        const double value = (double)panel->value[i];
        if (isnan(value))
            return 0;
        const double part = (value - panel->low) / (panel->high - panel->low);
        if (!(panel->low < panel->high) || isnan(part)) // the bounds may be anything
            return 1 + N_STEPS / 2;
        return 1 + (int32_t)fmin(fmax(part * N_STEPS, 0), N_STEPS - 1);
    }
    if (panel->group == NULL || panel->group[i] < 0 || panel->group[i] >= panel->n_groups)
        return 0;
    return 1 + panel->group[i] % OPN_GROUP_COLOURS;
}

static uint32_t colour_of(const opn_i_map_panel *panel, int32_t kind)
{
    if (kind == 0)
        return opn_i_palette.none;
    return panel->value != NULL ? opn_i_ramp_colour((kind - 1.0) / (N_STEPS - 1))
                                : opn_i_group_colour(kind - 1);
}

static bool is_large(const opn_i_map_panel *panel, int32_t i)
{
    return panel->is_large != NULL && panel->is_large[i];
}

static bool is_drawn(const opn_i_map_panel *panel, int32_t i)
{
    return isfinite(panel->place[2 * (size_t)i]) &&
           isfinite(panel->place[2 * (size_t)i + 1]);
}

// Grey points are below all others.
static int32_t pile_of(const opn_i_map_panel *panel, int32_t i)
{
    const int32_t kind = kind_of(panel, i);
    const uint32_t layer = (uint32_t)i * UINT32_C(2654435761) >> 30;
    return (is_large(panel, i) ? N_SMALL : 0) +
           (kind == 0 ? 0 : (int32_t)layer * N_KINDS + kind);
}

// ---- points --------------------------------------------------------------------------

// Points grouped by pile, order[begin[b]] … order[begin[b + 1]), from left to right
// within a pile, since neighbours take few bytes to write.
typedef struct piles {
    int32_t *order;  // [n]
    int32_t *across; // [n] all points that are drawn, from left to right
    int32_t n_across;
    double *at;                 // [n,2] of the pile being drawn
    int32_t begin[N_PILES + 2]; // one extra for the counting sort
} piles;

static double within(float place)
{
    return fmin(fmax((double)place, 0), 1);
}

static void sort_across(const opn_i_map_panel *panel, int32_t n, piles *to)
{
    enum { N_COLUMNS = 1024 };
    int32_t begin[N_COLUMNS + 2] = {0};
    for (int32_t i = 0; i < n; i++)
        if (is_drawn(panel, i))
            begin[(int)(within(panel->place[2 * (size_t)i]) * (N_COLUMNS - 1)) + 2]++;
    for (int32_t c = 0; c < N_COLUMNS; c++)
        begin[c + 2] += begin[c + 1];
    for (int32_t i = 0; i < n; i++)
        if (is_drawn(panel, i)) {
            const double x = within(panel->place[2 * (size_t)i]);
            to->across[begin[(int)(x * (N_COLUMNS - 1)) + 1]++] = i;
        }
    to->n_across = begin[N_COLUMNS];
}

static void sort_points(const opn_i_map_panel *panel, int32_t n, piles *to)
{
    sort_across(panel, n, to);
    memset(to->begin, 0, sizeof(to->begin));
    for (int32_t a = 0; a < to->n_across; a++)
        to->begin[pile_of(panel, to->across[a]) + 2]++;
    for (int32_t b = 0; b < N_PILES; b++)
        to->begin[b + 2] += to->begin[b + 1];
    for (int32_t a = 0; a < to->n_across; a++)
        to->order[to->begin[pile_of(panel, to->across[a]) + 1]++] = to->across[a];
}

static void
put_point(const opn_i_map_panel *panel, const opn_i_box *inside, int32_t i, double at[2])
{
    at[0] = inside->x + within(panel->place[2 * (size_t)i]) * inside->width;
    at[1] = inside->y + (1 - within(panel->place[2 * (size_t)i + 1])) * inside->height;
}

static void put_pile(opn_i_canvas *canvas,
                     const opn_i_map_panel *panel,
                     const opn_i_box *inside,
                     const piles *sorted,
                     int32_t b,
                     uint32_t colour)
{
    const int32_t begin = sorted->begin[b];
    const int32_t n = sorted->begin[b + 1] - begin;
    for (int32_t o = 0; o < n; o++)
        put_point(panel, inside, sorted->order[begin + o], sorted->at + 2 * (size_t)o);
    opn_i_canvas_dots(canvas, colour, n, sorted->at);
}

// The small points, or from pile N_SMALL on the large ones.
static void put_piles(opn_i_canvas *canvas,
                      const opn_i_map_panel *panel,
                      const opn_i_box *inside,
                      const piles *sorted,
                      int32_t first,
                      double diameter)
{
    if (sorted->begin[first] == sorted->begin[first + N_SMALL])
        return;
    opn_i_canvas_begin_dots(canvas, diameter);
    for (int32_t b = first; b < first + N_SMALL; b++)
        put_pile(canvas, panel, inside, sorted, b, colour_of(panel, b % N_KINDS));
    opn_i_canvas_end_dots(canvas);
}

// All points that are marked (or large), in one colour.
static void put_all(opn_i_canvas *canvas,
                    const opn_i_map_panel *panel,
                    const opn_i_box *inside,
                    const piles *sorted,
                    const uint8_t *which,
                    double diameter,
                    uint32_t colour)
{
    int32_t n = 0;
    for (int32_t a = 0; which != NULL && a < sorted->n_across; a++)
        if (which[sorted->across[a]])
            put_point(panel, inside, sorted->across[a], sorted->at + 2 * (size_t)n++);
    if (n == 0)
        return;
    opn_i_canvas_begin_dots(canvas, diameter);
    opn_i_canvas_dots(canvas, colour, n, sorted->at);
    opn_i_canvas_end_dots(canvas);
}

static void put_points(opn_i_canvas *canvas,
                       const opn_i_map_panel *panel,
                       const opn_i_box *plot,
                       int32_t n,
                       const piles *sorted)
{
    // Sized so that the points would cover much of the plot if they did not cluster:
    // large enough to see a colour, small enough to see a shape.
    const double small = fmin(fmax(0.65 * plot->width / sqrt(n + 1.0), 1.8), 5);
    const double large = 1.3 * small + 1.5;
    const double edge = large / 2 + 3;
    const opn_i_box inside = {plot->x + edge, plot->y + edge, plot->width - 2 * edge,
                              plot->height - 2 * edge};
    // A little larger than the points above them: those that lie together get one
    // outline.
    put_all(canvas, panel, &inside, sorted, panel->is_marked, small + 1.9,
            opn_i_palette.ink);
    put_piles(canvas, panel, &inside, sorted, 0, small);
    // A white ring, then a dark one: visible on any colour, even if the point itself is
    // dark.
    put_all(canvas, panel, &inside, sorted, panel->is_large, large + 2,
            opn_i_palette.ink);
    put_all(canvas, panel, &inside, sorted, panel->is_large, large + 1, 0xffffff);
    put_piles(canvas, panel, &inside, sorted, N_SMALL, large);
}

static bool shows_groups(const opn_i_map_panel *panel)
{
    return panel->value == NULL && panel->group != NULL && panel->n_groups > 0;
}

// The number of each group in the middle of its points, if there are few groups.
static void put_numbers(opn_i_canvas *canvas,
                        const opn_i_map_panel *panel,
                        const opn_i_box *plot,
                        const piles *sorted)
{
    enum { MOST = 20 };
    if (!shows_groups(panel) || panel->n_groups > MOST)
        return;
    for (int32_t k = 0; k < panel->n_groups; k++) {
        double sum[2] = {0};
        int32_t n = 0;
        for (int32_t a = 0; a < sorted->n_across; a++) {
            double at[2];
            if (panel->group[sorted->across[a]] != k)
                continue;
            put_point(panel, plot, sorted->across[a], at);
            sum[0] += at[0];
            sum[1] += at[1];
            n++;
        }
        if (n > 0)
            opn_i_plot_number(canvas, k, opn_i_group_colour(k), sum[0] / n, sum[1] / n);
    }
}

// ---- scale ---------------------------------------------------------------------------

static bool shows_spread(const opn_i_map_panel *panel)
{
    return panel->is_marked != NULL && panel->value != NULL && panel->low < panel->high;
}

// Room below a map.
static double room_below(const opn_i_map_panel *panel)
{
    if (panel->value == NULL)
        return 8;
    return BAR_ABOVE + BAR_HEIGHT + OPN_TICKS_BELOW + 8 +
           (shows_spread(panel) ? SPREAD_HEIGHT + CAPTION_HEIGHT : 0);
}

// How the values of marked (bars with an outline) and of other points (filled) spread,
// above the bar that gives their colours; each kind adds up to the same area.
static void put_spread(opn_i_canvas *canvas,
                       const opn_i_map_panel *panel,
                       int32_t n,
                       const opn_i_box *bar)
{
    enum { N_BINS = 40 };
    const opn_i_scale scale = {panel->low, panel->high, N_BINS};
    int32_t count[2][N_BINS];
    double total[2] = {0};
    double most = 0;
    opn_i_histogram(&scale, n, panel->value, 2, panel->is_marked, count[0]);
    for (int k = 0; k < 2; k++) {
        for (int b = 0; b < N_BINS; b++)
            total[k] += count[k][b];
        for (int b = 0; b < N_BINS; b++)
            most = fmax(most, count[k][b] / fmax(total[k], 1));
    }
    for (int k = 0; k < 2 && most > 0; k++) {
        const opn_i_pen pen = {.width = k == 0 ? 0 : 1.2,
                               .stroke = opn_i_palette.ink,
                               .is_filled = k == 0,
                               .fill = opn_i_palette.none};
        opn_i_canvas_begin(canvas, &pen);
        opn_i_canvas_move(canvas, bar->x, bar->y);
        for (int b = 0; b < N_BINS; b++) {
            const double share = count[k][b] / fmax(total[k], 1) / most;
            const double y = bar->y - (SPREAD_HEIGHT - 2) * share;
            opn_i_canvas_line(canvas, bar->x + b * bar->width / N_BINS, y);
            opn_i_canvas_line(canvas, bar->x + (b + 1) * bar->width / N_BINS, y);
        }
        opn_i_canvas_line(canvas, bar->x + bar->width, bar->y);
        if (k == 0)
            opn_i_canvas_join(canvas);
        opn_i_canvas_end(canvas);
    }
}

static void put_scale(opn_i_canvas *canvas,
                      const opn_i_map_panel *panel,
                      const opn_i_box *plot,
                      int32_t n)
{
    const double above = shows_spread(panel) ? SPREAD_HEIGHT + CAPTION_HEIGHT : 0;
    const opn_i_box bar = {plot->x + 0.1 * plot->width,
                           plot->y + plot->height + BAR_ABOVE + above, 0.8 * plot->width,
                           BAR_HEIGHT};
    const opn_i_font font = {
            .size = 10, .room = plot->width, .anchor = OPN_ANCHOR_MIDDLE};
    if (shows_spread(panel)) {
        opn_i_canvas_text(canvas, &font, plot->x + plot->width / 2,
                          plot->y + plot->height + 12, panel->caption);
        put_spread(canvas, panel, n, &bar);
    }
    opn_i_plot_colour_bar(canvas, &bar, N_STEPS);
    if (panel->low < panel->high)
        opn_i_plot_ticks_below(canvas, &bar, (opn_i_range){panel->low, panel->high});
}

// ---- legend --------------------------------------------------------------------------

static const char *group_name(const opn_i_map_panel *panel, int32_t k)
{
    const opn_i_names *names = panel->group_names;
    return names != NULL && k < names->n ? opn_i_names_at(names, k) : NULL;
}

static bool has_same_groups(const opn_i_map_panel *a, const opn_i_map_panel *b)
{
    if (a->n_groups != b->n_groups)
        return false;
    for (int32_t k = 0; a->group_names != b->group_names && k < a->n_groups; k++) {
        const char *in_a = group_name(a, k);
        const char *in_b = group_name(b, k);
        if (in_a == NULL && in_b == NULL)
            break;
        if (in_a == NULL || in_b == NULL || strcmp(in_a, in_b) != 0)
            return false;
    }
    return true;
}

// The first panel with the same groups as panel p; -1 if p shows none.
static int32_t first_like(const opn_i_map_panel *panels, int32_t p)
{
    int32_t first = 0;
    if (!shows_groups(&panels[p]))
        return -1;
    while (!shows_groups(&panels[first]) || !has_same_groups(&panels[first], &panels[p]))
        first++;
    return first;
}

static void add_groups(const opn_i_map_panel *panel, char letter, opn_i_plot_legend *to)
{
    for (int32_t k = 0; k < panel->n_groups; k++) {
        const opn_i_plot_key key = {.sign = OPN_SIGN_NUMBER,
                                    .style = {.colour = opn_i_group_colour(k)},
                                    .name = group_name(panel, k),
                                    .number = k,
                                    .letter = letter};
        opn_i_plot_legend_add(to, &key);
    }
}

// Which points are seen that need a key of their own.
typedef struct special {
    bool no_class, no_value, large;
    const char *marked; // the name of marked ones; NULL: none
} special;

static special
find_special(int32_t n_points, int32_t n_panels, const opn_i_map_panel *panels)
{
    special seen = {0};
    for (int32_t p = 0; p < n_panels; p++) {
        const opn_i_map_panel *panel = &panels[p];
        for (int32_t i = 0; i < n_points; i++) {
            if (!is_drawn(panel, i))
                continue;
            seen.large = seen.large || is_large(panel, i);
            if (panel->is_marked != NULL && panel->is_marked[i])
                seen.marked = panel->marked_name;
            if (kind_of(panel, i) == 0 && panel->value != NULL)
                seen.no_value = true;
            else if (kind_of(panel, i) == 0)
                seen.no_class = true;
        }
    }
    return seen;
}

static void
add_key(opn_i_plot_legend *to, opn_i_plot_sign sign, uint32_t colour, const char *name)
{
    opn_i_plot_legend_add(
            to,
            &(opn_i_plot_key){.sign = sign, .style = {.colour = colour}, .name = name});
}

static void add_special(const special *seen, opn_i_plot_legend *to)
{
    if (seen->no_class)
        add_key(to, OPN_SIGN_DOT, opn_i_palette.none, "no class");
    if (seen->no_value)
        add_key(to, OPN_SIGN_DOT, opn_i_palette.none, "no value");
    if (seen->large)
        add_key(to, OPN_SIGN_LARGE_DOT, 0xffffff, "training node");
    if (seen->marked != NULL)
        add_key(to, OPN_SIGN_HALO, opn_i_ramp_colour(0.5), seen->marked);
}

static void make_legend(int32_t n_points,
                        int32_t n_panels,
                        const opn_i_map_panel *panels,
                        opn_i_plot_legend *to)
{
    int32_t n_lists = 0;
    for (int32_t p = 0; p < n_panels; p++)
        n_lists += first_like(panels, p) == p;
    to->n_reserved = 4;
    for (int32_t p = 0; p < n_panels; p++)
        if (first_like(panels, p) == p)
            add_groups(&panels[p],
                       (char)(n_lists > 1 ? opn_i_plot_letter(n_panels, p) : 0), to);
    to->n_reserved = 0;
    const special seen = find_special(n_points, n_panels, panels);
    add_special(&seen, to);
}

// ---- figure --------------------------------------------------------------------------

static void put_panel(opn_i_canvas *canvas,
                      const opn_i_plot_grid *grid,
                      int32_t p,
                      const opn_i_map_panel *panel,
                      int32_t n_points,
                      piles *sorted)
{
    const opn_i_box plot = opn_i_plot_at(grid, p);
    opn_i_plot_panel_title(canvas, grid, p, panel->title);
    sort_points(panel, n_points, sorted);
    put_points(canvas, panel, &plot, n_points, sorted);
    put_numbers(canvas, panel, &plot, sorted);
    opn_i_canvas_outline(canvas, &plot, opn_i_palette.rule);
    if (panel->value != NULL)
        put_scale(canvas, panel, &plot, n_points);
}

opn_status opn_i_figure_maps(opn_ctx *ctx,
                             const char *path,
                             const char *title,
                             int32_t n_points,
                             int32_t n_panels,
                             const opn_i_map_panel *panels,
                             int32_t n_columns)
{
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    opn_i_plot_legend legend = {0};
    piles sorted = {0};
    opn_i_plot_grid grid = {.n_panels = n_panels,
                            .n_columns = n_columns,
                            .has_title = title != NULL && title[0] != 0,
                            .aspect = 1};
    make_legend(n_points, n_panels, panels, &legend);
    for (int32_t p = 0; p < n_panels; p++)
        grid.below = fmax(grid.below, room_below(&panels[p]));
    const double width = opn_i_plot_full_width(n_columns, n_panels);
    grid.legend = opn_i_plot_legend_height(&legend, width);
    opn_i_plot_layout(&grid);
    OPN_TRY_NEW(ctx, sorted.order, n_points);
    OPN_TRY_NEW(ctx, sorted.across, n_points);
    OPN_TRY_NEW(ctx, sorted.at, 2 * (size_t)n_points);
    OPN_TRY(opn_i_plot_open(ctx, path, title, &grid, &canvas));
    for (int32_t p = 0; p < n_panels; p++)
        put_panel(canvas, &grid, p, &panels[p], n_points, &sorted);
    const opn_i_box box = opn_i_plot_legend_box(&grid);
    opn_i_plot_legend_draw(canvas, &legend, &box);
    status = opn_i_canvas_close(canvas);
cleanup:
    opn_i_release(&ctx->alloc, sorted.order);
    opn_i_release(&ctx->alloc, sorted.across);
    opn_i_release(&ctx->alloc, sorted.at);
    return status;
}
