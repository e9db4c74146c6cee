// plot_grid.c -- panels of a figure in a grid, with their titles.

#include "report/palette.h"
#include "report/plot.h"

enum {
    MARGIN = 6,  // around the figure
    GAP = 16,    // between panels
    TITLE = 24,  // height of the figure's title
    HEADING = 20 // height of a panel's title
};

// ---- layout --------------------------------------------------------------------------

static int32_t columns_for(int32_t n_columns, int32_t n_panels)
{
    enum { MAX_COLUMNS = 4 }; // more would leave no room for text
    int32_t n = n_columns < MAX_COLUMNS ? n_columns : MAX_COLUMNS;
    n = n < n_panels ? n : n_panels;
    return n > 1 ? n : 1;
}

double opn_i_plot_full_width(int32_t n_columns, int32_t n_panels)
{
    return (columns_for(n_columns, n_panels) == 1 ? 360 : 640) - 2 * MARGIN;
}

static int32_t rows_of(const opn_i_plot_grid *grid)
{
    return grid->n_panels / grid->n_columns + (grid->n_panels % grid->n_columns > 0);
}

void opn_i_plot_layout(opn_i_plot_grid *grid)
{
    const double inside = opn_i_plot_full_width(grid->n_columns, grid->n_panels);
    grid->n_columns = columns_for(grid->n_columns, grid->n_panels);
    grid->cell_width = (inside - GAP * (grid->n_columns - 1)) / grid->n_columns;
    const double plot_width = grid->cell_width - grid->left - grid->right;
    grid->cell_height = HEADING + plot_width * grid->aspect + grid->below;
    grid->top = MARGIN + (grid->has_title ? TITLE : 0);
    grid->width = inside + 2 * MARGIN;
    grid->height = grid->top + grid->cell_height * rows_of(grid) + grid->legend + MARGIN;
}

opn_i_box opn_i_plot_at(const opn_i_plot_grid *grid, int32_t p)
{
    const int32_t column = p % grid->n_columns;
    const int32_t row = p / grid->n_columns;
    return (opn_i_box){
            .x = MARGIN + column * (grid->cell_width + GAP) + grid->left,
            .y = grid->top + row * grid->cell_height + HEADING,
            .width = grid->cell_width - grid->left - grid->right,
            .height = grid->cell_height - HEADING - grid->below,
    };
}

opn_i_box opn_i_plot_legend_box(const opn_i_plot_grid *grid)
{
    return (opn_i_box){MARGIN, grid->top + grid->cell_height * rows_of(grid),
                       grid->width - 2 * MARGIN, grid->legend};
}

opn_status opn_i_plot_open(opn_ctx *ctx,
                           const char *path,
                           const char *title,
                           const opn_i_plot_grid *grid,
                           opn_i_canvas **out)
{
    opn_status status = OPN_OK;
    const opn_i_font font = {.size = 14,
                             .room = grid->width - 2 * MARGIN,
                             .anchor = OPN_ANCHOR_MIDDLE,
                             .is_bold = true};
    OPN_TRY(opn_i_canvas_open(ctx, path, title, grid->width, grid->height, out));
    if (grid->has_title)
        opn_i_canvas_text(*out, &font, grid->width / 2, MARGIN + 12, title);
cleanup:
    return status;
}

// ---- titles --------------------------------------------------------------------------

char opn_i_plot_letter(int32_t n_panels, int32_t p)
{
    return (char)(n_panels > 1 && n_panels <= 26 ? 'a' + p : 0);
}

void opn_i_plot_panel_title(opn_i_canvas *canvas,
                            const opn_i_plot_grid *grid,
                            int32_t p,
                            const char *title)
{
    const opn_i_box plot = opn_i_plot_at(grid, p);
    const char letter[] = {'(', opn_i_plot_letter(grid->n_panels, p), ')', 0};
    const bool has_letter = letter[1] != 0;
    const double indent = has_letter ? 24 : 0;
    const opn_i_font bold = {.size = 12, .room = 40, .is_bold = true};
    const opn_i_font font = {.size = 12, .room = plot.width + grid->right - indent};
    if (has_letter)
        opn_i_canvas_text(canvas, &bold, plot.x, plot.y - 7, letter);
    opn_i_canvas_text(canvas, &font, plot.x + indent, plot.y - 7, title);
}
