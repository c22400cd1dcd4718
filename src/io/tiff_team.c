// Blocks of a TIFF file that several threads read and decode, each with a handle of its own.
#ifdef LG_HAVE_TIFF

#include "io/tiff_job.h"

#include <tiffio.h>

#define WORTH_PIXELS ((int64_t)1 << 19) // of a window; with fewer one thread is done as soon
#define LANE_BYTES   ((int64_t)1 << 20)
#define BLOCK_BYTES                                                                                \
    ((int64_t)256 << 10) // of strips that are not compressed, which are several at a time

struct lg_tiff_helpers {
    int count;
    lg_read_params params; // nobody but the thread that asked tells how far it is
    lg_tiff_job job[LG_ROW_LANES - 1];
};

// What lanes share, the first of which is the job itself.
typedef struct team {
    lg_tiff_job *job;
    lg_tiff_take take;
    int64_t first_row, first_column; // blocks
    int64_t width, height;           // of a block
    size_t rows, columns, count;
    int32_t planes;
} team;

// ---- blocks -------------------------------------------------------------------------------------

static bool is_compressed(const lg_tiff_job *j)
{
    uint16_t scheme = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(j->tiff->handle, TIFFTAG_COMPRESSION, &scheme);
    return scheme != COMPRESSION_NONE;
}

static int64_t block_width(const lg_tiff_page *page)
{
    return page->tiles ? page->block_width : page->width;
}

// Strips that are not compressed are put together, or apart, to what is worth a turn of a thread.
static int64_t block_height(const lg_tiff_job *j)
{
    const lg_tiff_page *page = &j->page;
    const int64_t row = page->width * page->bits * (page->planes ? 1 : page->samples) / 8 + 1;
    const int64_t rows = LG_MAX(BLOCK_BYTES / row, 1), strip = page->block_height;
    if (page->tiles || is_compressed(j))
        return strip;
    return rows < strip ? rows : rows / strip * strip;
}

// The part of block k that is in the window. Blocks have the order in which one thread decodes them.
static lg_region part_of(const team *t, const lg_tiff_job *j, size_t k)
{
    const int64_t width = t->width, height = t->height;
    const lg_region *w = &j->window;
    const int64_t x = (t->first_column + (int64_t)(k % t->columns)) * width;
    const int64_t y = (t->first_row + (int64_t)(k / t->columns % t->rows)) * height;
    lg_region r = {LG_MAX(x, w->x), LG_MAX(y, w->y), 0, 0};
    r.width = LG_MIN(x + width, w->x + w->width) - r.x;
    r.height = LG_MIN(y + height, w->y + w->height) - r.y;
    return r;
}

static lg_tiff_page page_of(const team *t, const lg_tiff_job *j, size_t k)
{
    lg_tiff_page page = j->page;
    if (t->planes > 1)
        page.plane = (int32_t)(k / (t->columns * t->rows));
    return page;
}

static lg_status tell_part(const team *t, size_t k, int64_t y, lg_error *error)
{
    const lg_tiff_job *j = t->job;
    const double plane = (double)(k / (t->columns * t->rows));
    const double part = (plane + (double)y / (double)j->page.height) / t->planes;
    return lg_read_progress(j->params, (j->layer + part) / j->count, error);
}

static lg_tiff_job *job_of(const team *t, int lane)
{
    return lane ? &t->job->helpers->job[lane - 1] : t->job;
}

static lg_status decode(void *priv, size_t k, int lane, lg_error *error)
{
    const team *t = priv;
    lg_tiff_job *j = job_of(t, lane);
    const lg_region part = part_of(t, j, k);
    const lg_tiff_page page = page_of(t, j, k);
    const lg_status status = lg_tiff_read_window(j->tiff, &page, &part, t->take, j, error);
    return status || lane ? status : tell_part(t, k, part.y, error);
}

// ---- helpers ------------------------------------------------------------------------------------

static bool has_several(const lg_tiff_job *j)
{
    const lg_tiff_page *page = &j->page;
    return page->width * page->height >= WORTH_PIXELS &&
           (block_height(j) < page->height || block_width(page) < page->width);
}

size_t lg_tiff_job_plan(lg_tiff_job *j, int threads)
{
    const size_t rows = (size_t)j->page.width * (size_t)j->page.samples * 12; // on their way
    const size_t spare = j->params->spare_memory;
    // As it is stored: libtiff holds a strip, and we a tile.
    const size_t block = is_compressed(j) || j->page.tiles ? (size_t)j->tiff->largest : 0;
    const size_t each = rows + block + lg_tiff_rows_bytes(j->tiff, &j->page);
    const size_t strip = lg_tiff_strip_bytes(j->tiff, &j->page);
    j->threads = 1;
    if (has_several(j))
        j->threads =
            LG_MAX((int)LG_MIN((size_t)LG_MIN(threads, LG_ROW_LANES) - 1, spare / each) + 1, 1);
    const size_t used = each * (size_t)(j->threads - 1);
    const size_t left = (spare - used) / (size_t)j->threads;
    j->tiff->strip_room = strip <= left ? strip : 0;
    return used + rows + (j->page.tiles ? 0 : block) + j->tiff->strip_room * (size_t)j->threads;
}

static bool hire(lg_tiff_job *j)
{
    lg_error ignored; // then there are fewer
    struct lg_tiff_helpers *h = j->helpers;
    lg_tiff_job *helper = &h->job[h->count];
    *helper = (lg_tiff_job){.params = &h->params, .page = j->page, .selected = -1};
    if (lg_tiff_open_again(j->tiff, &helper->tiff, &ignored) == LG_OK &&
        lg_tiff_job_make_rows(helper, &ignored) == LG_OK) {
        h->count++;
        return true;
    }
    lg_tiff_job_close(helper);
    return false;
}

// Readies so many helpers, or fewer, for what the job is at; their number.
static int ready_helpers(lg_tiff_job *j, int wanted)
{
    lg_error ignored;
    if (!j->helpers)
        j->helpers = lg_alloc(sizeof *j->helpers);
    struct lg_tiff_helpers *h = j->helpers;
    if (!h)
        return 0;
    h->params = *j->params;
    h->params.progress = NULL;
    while (h->count < wanted && hire(j))
        continue;
    int ready = 0;
    for (; ready < LG_MIN(h->count, wanted); ready++) {
        lg_tiff_job *helper = &h->job[ready];
        if (helper->selected != j->selected &&
            lg_tiff_select(helper->tiff, j->selected, &helper->page, &ignored)) {
            helper->selected = -1;
            break;
        }
        helper->selected = j->selected;
        helper->page.plane = j->page.plane;
        helper->sample = j->sample;
        helper->count = j->count;
        helper->layer = j->layer;
        helper->window = j->window;
        helper->image = j->image;
        helper->into_layer = j->into_layer;
        helper->several = j->several;
        helper->has_no_data = j->has_no_data;
        helper->no_data = j->no_data;
    }
    return ready;
}

void lg_tiff_job_dismiss(lg_tiff_job *j)
{
    for (int i = 0; j->helpers && i < j->helpers->count; i++) {
        j->helpers->job[i].sample = NULL; // the job's
        lg_tiff_job_close(&j->helpers->job[i]);
    }
    lg_free(j->helpers);
    j->helpers = NULL;
    lg_row_team_end(&j->team);
}

// ---- a window -----------------------------------------------------------------------------------

static void count_blocks(team *t)
{
    const lg_tiff_job *j = t->job;
    const lg_tiff_page *page = &j->page;
    const int64_t width = t->width = block_width(page), height = t->height = block_height(j);
    const lg_region *w = &j->window;
    t->first_column = w->x / width;
    t->first_row = w->y / height;
    t->columns = (size_t)((w->x + w->width - 1) / width - t->first_column + 1);
    t->rows = (size_t)((w->y + w->height - 1) / height - t->first_row + 1);
    t->planes = page->planes && page->plane < 0 ? page->samples : 1;
    t->count = t->columns * t->rows * (size_t)t->planes;
}

// The lane that has begun with the first block, and goes on with it; -1: none has.
static int find_beginner(const team *t, int lanes)
{
    const lg_tiff_page page = page_of(t, t->job, 0);
    const int32_t plane = page.planes ? page.plane : 0;
    for (int i = 0; i < lanes; i++)
        if (lg_tiff_goes_on(job_of(t, i)->tiff, &page, t->job->window.y, plane))
            return i;
    return -1;
}

static void note_found(lg_tiff_job *j, int helpers)
{
    for (int i = 0; i < helpers; i++) {
        lg_tiff_job *helper = &j->helpers->job[i];
        j->no_data_found += helper->no_data_found;
        j->rounding.happened |= helper->rounding.happened;
        helper->no_data_found = 0;
    }
}

// Threads that the window is worth: a thread more costs about what a mebibyte costs that is not decoded.
static int worth_threads(const team *t)
{
    const lg_tiff_job *j = t->job;
    const int64_t pixels = j->window.width * j->window.height;
    const int64_t more = pixels * j->page.samples * j->page.bits / 8 / LANE_BYTES;
    const int most = (int)LG_MIN((size_t)LG_MAX(j->threads, 1), t->count);
    return pixels < WORTH_PIXELS ? 1 : is_compressed(j) ? most : (int)LG_MIN(more + 1, most);
}

lg_status lg_tiff_job_decode(lg_tiff_job *j, lg_tiff_take take, lg_error *error)
{
    team t = {.job = j, .take = take};
    count_blocks(&t);
    const int threads = worth_threads(&t);
    const int helpers = threads > 1 ? ready_helpers(j, threads - 1) : 0;
    if (!helpers)
        return lg_tiff_read_window(j->tiff, &j->page, &j->window, take, j, error);
    const lg_row_blocks blocks = {.read = decode,
                                  .priv = &t,
                                  .count = t.count,
                                  .lanes = helpers + 1,
                                  .beginner = find_beginner(&t, helpers + 1)};
    const lg_status status = lg_row_team_read(&j->team, &blocks, error);
    note_found(j, helpers);
    return status;
}

#endif
