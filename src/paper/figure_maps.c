// figure_maps.c -- figures with panels of points in the plane.

#include "paper/figure_maps.h"

#include "report/palette.h"
#include "report/svg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    N_STEPS = 64, // colours of the ramp
    // Points of one colour share a path, which keeps the file small but would put the
    // last colour on top of all others. So the points are spread over layers, each of
    // which starts again with the first colour.
    N_LAYERS = 8,
    N_KINDS = N_STEPS + 1, // a kind is a colour; kind 0 is grey
    N_SMALL = N_LAYERS * N_KINDS,
    N_PILES = 2 * N_SMALL, // each is one path: all small points, then all large ones
    BAR_HEIGHT = 7,
    BAR_ABOVE = 7, // between a map and its bar
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
    const uint32_t layer = (uint32_t)i * UINT32_C(2654435761) >> 29;
    return (is_large(panel, i) ? N_SMALL : 0) +
           (kind == 0 ? 0 : (int32_t)layer * N_KINDS + kind);
}

// ---- points --------------------------------------------------------------------------

// Points grouped by pile, in input order: order[begin[b]] … order[begin[b + 1]).
typedef struct piles {
    int32_t *order;             // [n]
    int32_t begin[N_PILES + 2]; // one extra for the counting sort
} piles;

static void sort_points(const opn_i_map_panel *panel, int32_t n, piles *to)
{
    memset(to->begin, 0, sizeof(to->begin));
    for (int32_t i = 0; i < n; i++)
        if (is_drawn(panel, i))
            to->begin[pile_of(panel, i) + 2]++;
    for (int32_t b = 0; b < N_PILES; b++)
        to->begin[b + 2] += to->begin[b + 1];
    for (int32_t i = 0; i < n; i++)
        if (is_drawn(panel, i))
            to->order[to->begin[pile_of(panel, i) + 1]++] = i;
}

// A zero-length line with round caps is a dot.
static void put_pile(opn_i_file_writer *svg,
                     const opn_i_map_panel *panel,
                     const opn_i_box *inside,
                     const piles *from,
                     int32_t b,
                     uint32_t colour)
{
    opn_i_file_writer_printf(svg, "<path");
    opn_i_svg_colour(svg, "stroke", colour);
    opn_i_file_writer_printf(svg, " d=\"");
    for (int32_t o = from->begin[b]; o < from->begin[b + 1]; o++) {
        const float *place = panel->place + 2 * (size_t)from->order[o];
        const double x = fmin(fmax((double)place[0], 0), 1);
        const double y = fmin(fmax((double)place[1], 0), 1);
        opn_i_svg_move(svg, 'M', inside->x + x * inside->width,
                       inside->y + (1 - y) * inside->height);
        opn_i_file_writer_put(svg, "h0", 2);
    }
    opn_i_file_writer_printf(svg, "\"/>\n");
}

static void begin_dots(opn_i_file_writer *svg, double diameter)
{
    opn_i_file_writer_printf(svg, "<g fill=\"none\" stroke-linecap=\"round\"");
    opn_i_svg_attribute(svg, "stroke-width", diameter);
    opn_i_file_writer_printf(svg, ">\n");
}

static void end_dots(opn_i_file_writer *svg)
{
    opn_i_file_writer_printf(svg, "</g>\n");
}

static void put_points(opn_i_file_writer *svg,
                       const opn_i_map_panel *panel,
                       const opn_i_box *plot,
                       int32_t n,
                       const piles *from)
{
    // Sized so that the points would cover much of the plot if they did not cluster:
    // large enough to see a colour, small enough to see a shape.
    const double small = fmin(fmax(0.65 * plot->width / sqrt(n + 1.0), 1.8), 5);
    const double large = 1.5 * small + 2;
    // A white ring, then a dark one: visible on any colour, even if the point itself is
    // dark.
    const double wider[] = {2.4, 1.4, 0};
    const uint32_t ring[] = {opn_i_palette.ink, 0xffffff};
    const double edge = large / 2 + 3;
    const opn_i_box inside = {plot->x + edge, plot->y + edge, plot->width - 2 * edge,
                              plot->height - 2 * edge};
    begin_dots(svg, small);
    for (int32_t b = 0; b < N_SMALL; b++)
        if (from->begin[b] < from->begin[b + 1])
            put_pile(svg, panel, &inside, from, b, colour_of(panel, b % N_KINDS));
    end_dots(svg);
    for (int32_t b = N_SMALL; b < N_PILES; b++) {
        for (int r = 0; r < 3 && from->begin[b] < from->begin[b + 1]; r++) {
            begin_dots(svg, large + wider[r]);
            put_pile(svg, panel, &inside, from, b,
                     r < 2 ? ring[r] : colour_of(panel, b % N_KINDS));
            end_dots(svg);
        }
    }
}

static void
put_bar(opn_i_file_writer *svg, const opn_i_map_panel *panel, const opn_i_box *plot)
{
    const opn_i_box bar = {plot->x + 0.1 * plot->width,
                           plot->y + plot->height + BAR_ABOVE, 0.8 * plot->width,
                           BAR_HEIGHT};
    opn_i_svg_colour_bar(svg, &bar, N_STEPS);
    if (panel->low < panel->high)
        opn_i_svg_ticks_below(svg, &bar, (opn_i_range){panel->low, panel->high});
}

// ---- legend --------------------------------------------------------------------------

static bool shows_groups(const opn_i_map_panel *panel)
{
    return panel->value == NULL && panel->group != NULL && panel->n_groups > 0;
}

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

static void add_groups(const opn_i_map_panel *panel, char letter, opn_i_svg_legend *to)
{
    for (int32_t k = 0; k < panel->n_groups; k++) {
        const opn_i_svg_key key = {.sign = OPN_SIGN_DOT,
                                   .colour = opn_i_group_colour(k),
                                   .name = group_name(panel, k),
                                   .number = k,
                                   .letter = letter};
        opn_i_svg_legend_add(to, &key);
    }
}

// Adds keys for grey and for large points, if there are any.
static void add_special(int32_t n_points,
                        int32_t n_panels,
                        const opn_i_map_panel *panels,
                        opn_i_svg_legend *to)
{
    bool has_large = false;
    bool has_none[2] = {false}; // no class, no value
    for (int32_t p = 0; p < n_panels; p++) {
        for (int32_t i = 0; i < n_points; i++) {
            const bool is_seen = is_drawn(&panels[p], i);
            has_large = has_large || (is_seen && is_large(&panels[p], i));
            if (is_seen && kind_of(&panels[p], i) == 0)
                has_none[panels[p].value != NULL] = true;
        }
    }
    for (int k = 0; k < 2; k++)
        if (has_none[k])
            opn_i_svg_legend_add(
                    to, &(opn_i_svg_key){.sign = OPN_SIGN_DOT,
                                         .colour = opn_i_palette.none,
                                         .name = k == 0 ? "no class" : "no value"});
    if (has_large)
        opn_i_svg_legend_add(to, &(opn_i_svg_key){.sign = OPN_SIGN_LARGE_DOT,
                                                  .colour = 0xffffff,
                                                  .name = "training node"});
}

static void make_legend(int32_t n_points,
                        int32_t n_panels,
                        const opn_i_map_panel *panels,
                        opn_i_svg_legend *to)
{
    int32_t n_lists = 0;
    for (int32_t p = 0; p < n_panels; p++)
        n_lists += first_like(panels, p) == p;
    to->n_reserved = 3;
    for (int32_t p = 0; p < n_panels; p++)
        if (first_like(panels, p) == p)
            add_groups(&panels[p],
                       (char)(n_lists > 1 ? opn_i_svg_letter(n_panels, p) : 0), to);
    to->n_reserved = 0;
    add_special(n_points, n_panels, panels, to);
}

// ---- figure --------------------------------------------------------------------------

static void put_panel(opn_i_file_writer *svg,
                      const opn_i_svg_grid *grid,
                      int32_t p,
                      const opn_i_map_panel *panel,
                      int32_t n_points,
                      piles *sorted)
{
    const opn_i_box plot = opn_i_svg_plot(grid, p);
    opn_i_svg_panel_title(svg, grid, p, panel->title);
    sort_points(panel, n_points, sorted);
    put_points(svg, panel, &plot, n_points, sorted);
    opn_i_svg_outline(svg, &plot, opn_i_palette.rule);
    if (panel->value != NULL)
        put_bar(svg, panel, &plot);
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
    opn_i_file_writer *svg = NULL;
    opn_i_svg_legend legend = {0};
    piles sorted = {0};
    opn_i_svg_grid grid = {.n_panels = n_panels,
                           .n_columns = n_columns,
                           .has_title = title != NULL && title[0] != 0,
                           .below = 8,
                           .aspect = 1};
    make_legend(n_points, n_panels, panels, &legend);
    for (int32_t p = 0; p < n_panels; p++)
        if (panels[p].value != NULL)
            grid.below = BAR_ABOVE + BAR_HEIGHT + OPN_TICKS_BELOW + 8;
    const double width = opn_i_svg_full_width(n_columns, n_panels);
    grid.legend = opn_i_svg_legend_height(&legend, width);
    opn_i_svg_layout(&grid);
    OPN_TRY_NEW(ctx, sorted.order, n_points);
    OPN_TRY(opn_i_svg_open(ctx, path, title, &grid, &svg));
    for (int32_t p = 0; p < n_panels; p++)
        put_panel(svg, &grid, p, &panels[p], n_points, &sorted);
    const opn_i_box box = opn_i_svg_legend_box(&grid);
    opn_i_svg_legend_draw(svg, &legend, &box);
    status = opn_i_svg_close(svg);
cleanup:
    opn_i_release(&ctx->alloc, sorted.order);
    return status;
}
