// Compressed blocks of a TIFF file that several threads decode, each with a handle of its own.
#ifdef LG_HAVE_TIFF

#include "io/tiff_job.h"

#include <pthread.h>
#include <tiffio.h>

#define MOST         64                 // threads
#define WORTH_PIXELS ((int64_t)1 << 19) // of a window; with fewer one thread is done as soon

struct lg_tiff_helpers {
    int count;
    lg_read_params params; // nobody but the thread that asked tells how far it is
    lg_tiff_job job[MOST - 1];
};

typedef struct team {
    lg_tiff_job *job;
    lg_tiff_take take;
    int64_t first_row, first_column; // blocks
    size_t rows, columns, count;
    int32_t planes;
    pthread_mutex_t lock; // guards the rest
    size_t next;
    size_t limit; // blocks from this one on are not wanted: this one failed, or it is the end
    lg_status status;
    lg_error error;
} team;

typedef struct worker {
    team *team;
    lg_tiff_job *job;
    bool goes_on;
    lg_thread *thread;
} worker;

// ---- blocks -------------------------------------------------------------------------------------

static int64_t block_width(const lg_tiff_page *page)
{
    return page->tiles ? page->block_width : page->width;
}

// The part of block k that is in the window. Blocks have the order in which one thread decodes them.
static lg_region part_of(const team *t, const lg_tiff_job *j, size_t k)
{
    const int64_t width = block_width(&j->page), height = j->page.block_height;
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

static bool next_block(team *t, size_t *k)
{
    pthread_mutex_lock(&t->lock);
    const bool more = t->next < t->limit;
    *k = t->next;
    t->next += more;
    pthread_mutex_unlock(&t->lock);
    return more;
}

// Blocks in front of one that failed are still decoded.
static void end_block(team *t, size_t k, lg_status status, const lg_error *error)
{
    pthread_mutex_lock(&t->lock);
    if (status && k < t->limit) {
        t->limit = k;
        t->status = status;
        t->error = *error;
    }
    pthread_mutex_unlock(&t->lock);
}

static lg_status tell_part(const team *t, size_t k, int64_t y, lg_error *error)
{
    const lg_tiff_job *j = t->job;
    const double plane = (double)(k / (t->columns * t->rows));
    const double part = (plane + (double)y / (double)j->page.height) / t->planes;
    return lg_read_progress(j->params, (j->layer + part) / j->count, error);
}

static void decode(const worker *w, size_t k)
{
    team *t = w->team;
    lg_error error = {LG_OK, ""};
    const lg_region part = part_of(t, w->job, k);
    const lg_tiff_page page = page_of(t, w->job, k);
    lg_status status = lg_tiff_read_window(w->job->tiff, &page, &part, t->take, w->job, &error);
    if (!status && w->job == t->job)
        status = tell_part(t, k, part.y, &error);
    end_block(t, k, status, &error);
}

static void work(void *priv)
{
    const worker *w = priv;
    if (w->goes_on)
        decode(w, 0);
    for (size_t k; next_block(w->team, &k);)
        decode(w, k);
}

// ---- helpers ------------------------------------------------------------------------------------

static bool is_compressed(const lg_tiff_job *j)
{
    uint16_t scheme = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(j->tiff->handle, TIFFTAG_COMPRESSION, &scheme);
    return scheme != COMPRESSION_NONE;
}

static bool has_several(const lg_tiff_job *j)
{
    const lg_tiff_page *page = &j->page;
    return page->width * page->height >= WORTH_PIXELS &&
           (page->block_height < page->height || block_width(page) < page->width);
}

// The largest block as it is stored: that much libtiff holds.
static size_t largest_block(const lg_tiff_job *j)
{
    TIFF *handle = j->tiff->handle;
    const uint32_t count = j->page.tiles ? TIFFNumberOfTiles(handle) : TIFFNumberOfStrips(handle);
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = LG_MAX(most, TIFFGetStrileByteCount(handle, i));
    return (size_t)most;
}

size_t lg_tiff_job_plan(lg_tiff_job *j, int threads)
{
    const size_t rows = (size_t)j->page.width * (size_t)j->page.samples * 12; // on their way
    const size_t spare = j->params->spare_memory;
    j->threads = 1;
    j->tiff->strip_room = 0;
    if (!is_compressed(j))
        return rows;
    const size_t block = largest_block(j), each = rows + block;
    const size_t strip = lg_tiff_strip_bytes(j->tiff, &j->page);
    if (has_several(j))
        j->threads = LG_MAX((int)LG_MIN((size_t)LG_MIN(threads, MOST) - 1, spare / each) + 1, 1);
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
}

// ---- a window -----------------------------------------------------------------------------------

static void count_blocks(team *t)
{
    const lg_tiff_job *j = t->job;
    const lg_tiff_page *page = &j->page;
    const int64_t width = block_width(page), height = page->block_height;
    const lg_region *w = &j->window;
    t->first_column = w->x / width;
    t->first_row = w->y / height;
    t->columns = (size_t)((w->x + w->width - 1) / width - t->first_column + 1);
    t->rows = (size_t)((w->y + w->height - 1) / height - t->first_row + 1);
    t->planes = page->planes && page->plane < 0 ? page->samples : 1;
    t->count = t->columns * t->rows * (size_t)t->planes;
}

// Who has begun with the first block goes on with it.
static void find_beginner(team *t, worker *workers, int count)
{
    const lg_tiff_page page = page_of(t, t->job, 0);
    const int64_t y = t->job->window.y;
    for (int i = 0; i < count && !t->next; i++) {
        workers[i].goes_on =
            lg_tiff_goes_on(workers[i].job->tiff, &page, y, page.planes ? page.plane : 0);
        t->next += workers[i].goes_on;
    }
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

static lg_status decode_together(team *t, int helpers, lg_error *error)
{
    worker workers[MOST];
    for (int i = 0; i <= helpers; i++)
        workers[i] = (worker){.team = t, .job = i ? &t->job->helpers->job[i - 1] : t->job};
    find_beginner(t, workers, helpers + 1);
    pthread_mutex_init(&t->lock, NULL);
    for (int i = 1; i <= helpers; i++)
        workers[i].thread = lg_thread_start(work, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i <= helpers; i++) {
        if (!workers[i].thread && workers[i].goes_on) // the system gives no more threads
            work(&workers[i]);
        lg_thread_join(&workers[i].thread);
    }
    pthread_mutex_destroy(&t->lock);
    note_found(t->job, helpers);
    return t->status ? lg_fail(error, t->status, "%s", t->error.message) : LG_OK;
}

lg_status lg_tiff_job_decode(lg_tiff_job *j, lg_tiff_take take, lg_error *error)
{
    team t = {.job = j, .take = take};
    int helpers = 0;
    count_blocks(&t);
    t.limit = t.count;
    const int most = (int)LG_MIN((size_t)LG_MAX(j->threads, 1), t.count);
    if (most > 1 && j->window.width * j->window.height >= WORTH_PIXELS)
        helpers = ready_helpers(j, most - 1);
    return helpers ? decode_together(&t, helpers, error)
                   : lg_tiff_read_window(j->tiff, &j->page, &j->window, take, j, error);
}

#endif
