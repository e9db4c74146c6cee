// repulsion.c -- repulsive forces between points in a plane.

#include "embed/repulsion.h"

// Points of a group, which is a cell some levels above the leaves, traverse the tree
// together: larger groups traverse it less often but meet more cells. What they meet is
// buffered until there is no room for another leaf.
enum { LEAF = 16, LEVELS_A_GROUP = 2, GROUP = LEAF << LEVELS_A_GROUP };
enum { CROWD_ROOM = 1024, MAX_LEVELS = 31, GROUPS_A_CHUNK = 4 };

// Buffer of the points and cells met.
typedef struct crowd {
    opn_real x[CROWD_ROOM], y[CROWD_ROOM], n[CROWD_ROOM];
    int32_t size;
} crowd;

void opn_i_tree_deinit(const opn_alloc *alloc, opn_i_tree *tree)
{
    opn_i_release(alloc, tree->order);
    opn_i_release(alloc, tree->x);
    opn_i_release(alloc, tree->y);
    opn_i_release(alloc, tree->cell);
    opn_i_release(alloc, tree->sum);
    *tree = (opn_i_tree){0};
}

opn_status opn_i_tree_init(opn_ctx *ctx, int32_t n_points, opn_i_tree *out)
{
    opn_status status = OPN_OK;
    opn_i_tree tree = {.n_points = n_points};
    while (((int64_t)LEAF << tree.n_levels) < n_points)
        tree.n_levels++;
    OPN_TRY_NEW(ctx, tree.order, n_points);
    OPN_TRY_NEW(ctx, tree.x, n_points);
    OPN_TRY_NEW(ctx, tree.y, n_points);
    OPN_TRY_NEW(ctx, tree.cell, (size_t)2 << tree.n_levels);
    OPN_TRY_NEW(ctx, tree.sum, (size_t)1 << tree.n_levels);
    for (int32_t i = 0; i < n_points; i++)
        tree.order[i] = i;
    *out = tree;
    tree = (opn_i_tree){0};
cleanup:
    opn_i_tree_deinit(&ctx->alloc, &tree);
    return status;
}

// Index of the first point of a cell, given its number within its level.
static int32_t place_of(const opn_i_tree *tree, int level, int32_t number)
{
    return (int32_t)((int64_t)tree->n_points * number >> level);
}

// ---- sorting -------------------------------------------------------------------------

static bool comes_before(const opn_real *coordinate, int32_t i, int32_t j)
{
    const opn_real a = coordinate[2 * (size_t)i];
    const opn_real b = coordinate[2 * (size_t)j];
    return a < b || (a == b && i < j);
}

// Partitions [low, high) so that the points before `middle` come first (quickselect).
static void part(const opn_real *coordinate,
                 int32_t *order,
                 int32_t low,
                 int32_t high,
                 int32_t middle)
{
    high--;
    while (low < high) {
        const int32_t pivot = order[low + (high - low) / 2];
        int32_t a = low;
        int32_t b = high;
        while (a <= b) {
            while (comes_before(coordinate, order[a], pivot))
                a++;
            while (comes_before(coordinate, pivot, order[b]))
                b--;
            if (a <= b) {
                const int32_t moved = order[a];
                order[a++] = order[b];
                order[b--] = moved;
            }
        }
        if (middle <= b)
            high = b;
        else if (middle >= a)
            low = a;
        else
            return;
    }
}

static void
part_cell(const opn_real *position, opn_i_tree *tree, int level, int32_t number)
{
    const int32_t first = place_of(tree, level, number);
    const int32_t last = place_of(tree, level, number + 1);
    opn_real low[2];
    opn_real high[2];
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = high[axis] = position[2 * (size_t)tree->order[first] + (size_t)axis];
        for (int32_t at = first + 1; at < last; at++) {
            const opn_real here = position[2 * (size_t)tree->order[at] + (size_t)axis];
            low[axis] = here < low[axis] ? here : low[axis];
            high[axis] = here > high[axis] ? here : high[axis];
        }
    }
    const int longer = high[1] - low[1] > high[0] - low[0];
    part(position + longer, tree->order, first, last,
         place_of(tree, level + 1, 2 * number + 1));
}

void opn_i_tree_sort(int n_threads, const opn_real *position, opn_i_tree *tree)
{
    (void)n_threads; // unused when built without OpenMP
    for (int level = 0; level < tree->n_levels; level++) {
        const int32_t n_cells = (int32_t)1 << level;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int32_t number = 0; number < n_cells; number++)
            part_cell(position, tree, level, number);
    }
}

// ---- cells ---------------------------------------------------------------------------

static opn_real lesser(opn_real a, opn_real b)
{
    return a < b ? a : b;
}

static opn_real greater(opn_real a, opn_real b)
{
    return a > b ? a : b;
}

static void measure_sides(opn_i_cell *cell)
{
    const opn_real longer =
            greater(cell->high_x - cell->low_x, cell->high_y - cell->low_y);
    cell->longer_square = longer * longer;
}

static opn_i_cell
leaf_of(const opn_real *position, const opn_i_tree *tree, int32_t first, int32_t last)
{
    opn_real sum_x = 0;
    opn_real sum_y = 0;
    opn_i_cell cell = {.n = (opn_real)(last - first)};
    for (int32_t at = first; at < last; at++) {
        const size_t i = (size_t)tree->order[at];
        const opn_real x = tree->x[at] = position[2 * i];
        const opn_real y = tree->y[at] = position[2 * i + 1];
        cell.low_x = at == first ? x : lesser(x, cell.low_x);
        cell.high_x = at == first ? x : greater(x, cell.high_x);
        cell.low_y = at == first ? y : lesser(y, cell.low_y);
        cell.high_y = at == first ? y : greater(y, cell.high_y);
        sum_x += x;
        sum_y += y;
    }
    cell.x = sum_x / cell.n;
    cell.y = sum_y / cell.n;
    measure_sides(&cell);
    return cell;
}

static opn_i_cell union_of(const opn_i_cell *a, const opn_i_cell *b)
{
    opn_i_cell cell = {.low_x = lesser(a->low_x, b->low_x),
                       .high_x = greater(a->high_x, b->high_x),
                       .low_y = lesser(a->low_y, b->low_y),
                       .high_y = greater(a->high_y, b->high_y),
                       .n = a->n + b->n};
    cell.x = (a->n * a->x + b->n * b->x) / cell.n;
    cell.y = (a->n * a->y + b->n * b->y) / cell.n;
    measure_sides(&cell);
    return cell;
}

static void measure_cells(const opn_real *position, opn_i_tree *tree, int n_threads)
{
    const int32_t n_leaves = (int32_t)1 << tree->n_levels;
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t l = 0; l < n_leaves; l++)
        tree->cell[n_leaves - 1 + l] =
                leaf_of(position, tree, place_of(tree, tree->n_levels, l),
                        place_of(tree, tree->n_levels, l + 1));
    for (int32_t c = n_leaves - 2; c >= 0; c--)
        tree->cell[c] = union_of(&tree->cell[2 * c + 1], &tree->cell[2 * c + 2]);
}

// ---- forces --------------------------------------------------------------------------

// Adds the forces of the buffer on the points [first, last), and empties the buffer.
static void push_group(const opn_k_embedding_table *kernels,
                       const opn_i_tree *tree,
                       int32_t first,
                       int32_t last,
                       crowd *met,
                       opn_k_push *push)
{
    while (met->size % OPN_LANES != 0) {
        met->x[met->size] = met->y[met->size] = 0;
        met->n[met->size++] = 0;
    }
    const opn_k_crowd all = {met->x, met->y, met->n, met->size};
    kernels->repel(&all, last - first, tree->x + first, tree->y + first, push);
    met->size = 0;
}

static void meet_points(const opn_i_tree *tree, int32_t leaf, crowd *met)
{
    const int32_t last = place_of(tree, tree->n_levels, leaf + 1);
    for (int32_t at = place_of(tree, tree->n_levels, leaf); at < last; at++) {
        met->x[met->size] = tree->x[at];
        met->y[met->size] = tree->y[at];
        met->n[met->size++] = 1;
    }
}

// Whether the cell can be treated as one point, as seen from anywhere in the box. Never
// true for a cell that shares points with the box: if it contains the box, its longer
// side is at least 0.7 of any distance within, and otherwise its mean is in the box.
static bool is_far(const opn_i_cell *box, const opn_i_cell *cell, opn_real theta_square)
{
    const opn_real off_x =
            greater(greater(box->low_x - cell->x, cell->x - box->high_x), 0);
    const opn_real off_y =
            greater(greater(box->low_y - cell->y, cell->y - box->high_y), 0);
    return cell->longer_square < theta_square * (off_x * off_x + off_y * off_y);
}

// Computes the forces on a group, a cell of that level; returns the sum of its q.
static double repel_group(const opn_k_embedding_table *kernels,
                          const opn_i_tree *tree,
                          int level,
                          int32_t group,
                          opn_real theta_square,
                          opn_real *force)
{
    const int32_t n_inner = ((int32_t)1 << tree->n_levels) - 1;
    const int32_t first = place_of(tree, level, group);
    const int32_t last = place_of(tree, level, group + 1);
    const opn_i_cell *box = &tree->cell[((int32_t)1 << level) - 1 + group];
    opn_k_push push[GROUP] = {{0}};
    int32_t waiting[MAX_LEVELS + 1] = {0}; // starts with the root
    int n_waiting = 1;
    double sum = 0.0;
    crowd met;
    met.size = 0;
    while (n_waiting > 0) {
        const int32_t c = waiting[--n_waiting];
        const opn_i_cell *cell = &tree->cell[c];
        if (met.size > CROWD_ROOM - LEAF)
            push_group(kernels, tree, first, last, &met, push);
        if (is_far(box, cell, theta_square)) {
            met.x[met.size] = cell->x;
            met.y[met.size] = cell->y;
            met.n[met.size++] = cell->n;
        } else if (c >= n_inner) {
            meet_points(tree, c - n_inner, &met);
        } else {
            waiting[n_waiting++] = 2 * c + 2;
            waiting[n_waiting++] = 2 * c + 1;
        }
    }
    push_group(kernels, tree, first, last, &met, push);
    for (int32_t at = first; at < last; at++) {
        const size_t i = (size_t)tree->order[at];
        force[2 * i] = (opn_real)push[at - first].x;
        force[2 * i + 1] = (opn_real)push[at - first].y;
        sum += push[at - first].sum - 1.0; // minus the point itself
    }
    return sum;
}

double opn_i_repel(const opn_i_exec *exec,
                   const opn_real *position,
                   double theta,
                   opn_i_tree *tree,
                   opn_real *force)
{
    const int n_threads = exec->n_threads;
    const opn_k_embedding_table *kernels = exec->kernels->embedding;
    const int level =
            tree->n_levels < LEVELS_A_GROUP ? 0 : tree->n_levels - LEVELS_A_GROUP;
    const int32_t n_groups = (int32_t)1 << level;
    double sum = 0.0;
    if (tree->n_points == 0)
        return 0.0;
    measure_cells(position, tree, n_threads);
#pragma omp parallel for schedule(dynamic, GROUPS_A_CHUNK) \
        num_threads(n_threads) if (n_threads > 1)
    for (int32_t g = 0; g < n_groups; g++)
        tree->sum[g] =
                repel_group(kernels, tree, level, g, (opn_real)(theta * theta), force);
    for (int32_t g = 0; g < n_groups; g++)
        sum += tree->sum[g];
    return sum;
}
