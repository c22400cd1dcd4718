// Which of the images of a TIFF file become layers, and what the layers are.
#ifdef LG_HAVE_TIFF

#include "io/description.h"
#include "io/layer_axes.h"
#include "io/tiff_job.h"

#include <string.h>
#include <tiffio.h>

// ---- which images -------------------------------------------------------------------------------

static lg_status refuse_previews(const lg_tiff_list *list, lg_error *error)
{
    const int last = list->count - 1;
    if (list->raw)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       LG_RAW_PHOTOGRAPH "; --page raw reads the samples of the sensor as they are "
                                         "stored, --page N (0 to %d) any of its images, previews "
                                         "as well",
                       last);
    if (list->directory[0].reduced)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "its first image says that it is a smaller version of another one "
                       "(NewSubfileType 1), as previews are; --page N (0 to %d) reads one of them",
                       last);
    return LG_OK;
}

// The largest image of a camera's sensor; of several of its size the first.
static lg_status find_raw(lg_tiff *tiff, int32_t *page, lg_error *error)
{
    const lg_tiff_list *list = &tiff->list;
    int64_t most = 0;
    for (int32_t i = 0; i < list->count; i++) {
        uint32_t width = 0, height = 0;
        if (!list->directory[i].sensor || list->directory[i].reduced)
            continue;
        lg_tiff_forget_message(tiff);
        if (!TIFFSetSubDirectory(tiff->handle, list->directory[i].offset))
            continue;
        TIFFGetField(tiff->handle, TIFFTAG_IMAGEWIDTH, &width);
        TIFFGetField(tiff->handle, TIFFTAG_IMAGELENGTH, &height);
        if ((int64_t)width * height > most) {
            most = (int64_t)width * height;
            *page = i;
        }
    }
    return most
               ? LG_OK
               : lg_fail(error, LG_ERROR_ARGUMENT,
                         "none of its images is of a camera's sensor; --page N (0 to %d) reads one",
                         list->count - 1);
}

// All pages but smaller versions and masks of others, or the one that is asked for.
static lg_status choose_pages(lg_tiff_job *j, lg_error *error)
{
    const lg_tiff_list *list = &j->tiff->list;
    int32_t page = j->params->page;
    if (page >= list->count)
        return lg_fail_page(error, page, list->count);
    lg_status status = page == LG_PAGE_RAW ? find_raw(j->tiff, &page, error)
                       : page < 0          ? refuse_previews(list, error)
                                           : LG_OK;
    if (status != LG_OK)
        return status;
    j->chosen = lg_alloc_array((size_t)list->pages, sizeof *j->chosen);
    if (!j->chosen)
        return lg_fail_memory(error, (size_t)list->pages * sizeof *j->chosen, "a list of pages");
    for (int32_t i = 0; i < list->pages && page < 0; i++)
        if (i == 0 || (!list->directory[i].reduced && !list->directory[i].mask))
            j->chosen[j->count++] = i;
    j->left_out = page < 0 ? list->pages - j->count : 0;
    if (page >= 0)
        j->chosen[j->count++] = page;
    return LG_OK;
}

// ---- what the file says beside the samples ------------------------------------------------------

// ImageJ writes stacks above 4 GB as one page with the others behind its samples.
static lg_status check_stack(const lg_tiff_job *j, int64_t images, lg_error *error)
{
    const lg_tiff_page *p = &j->page;
    const double bytes = (double)p->width * (double)p->height * p->samples * p->bits / 8;
    if (j->params->page != -1 || images <= j->tiff->list.pages ||
        bytes * (double)images > (double)j->tiff->source.size)
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "ImageJ states %lld images and the file has %d pages: the others have no "
                   "directories; save it as OME-TIFF, or read the first with --page 0",
                   (long long)images, j->tiff->list.pages);
}

// Pixels per unit of ImageJ's, whatever the file says that the unit is.
static void read_pixel_size(const lg_tiff_job *j, const char *text, lg_read_info *info)
{
    float x = 0, y = 0;
    TIFFGetField(j->tiff->handle, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(j->tiff->handle, TIFFTAG_YRESOLUTION, &y);
    lg_description_pixel_size(text, (double)x, (double)y, info->pixel_size);
}

static lg_status read_description(const lg_tiff_job *j, lg_read_info *info, lg_error *error)
{
    const lg_tiff_directory *first = &j->tiff->list.directory[0];
    char *text;
    int64_t images;
    const lg_status status = lg_tiff_text(j->tiff, first->text, first->text_size, &text, error);
    if (!text)
        return status;
    lg_description_read(text, j->page.samples, j->count, info, &images);
    read_pixel_size(j, text, info);
    lg_free(text);
    return check_stack(j, images, error);
}

// ---- pages --------------------------------------------------------------------------------------

static bool same_measure(const lg_tiff_page *a, const lg_tiff_page *b)
{
    return a->width == b->width && a->height == b->height && a->type == b->type &&
           a->foreign == b->foreign && a->samples == b->samples && a->channels == b->channels &&
           a->alpha == b->alpha && a->white_is_zero == b->white_is_zero && a->cmyk == b->cmyk &&
           a->lab == b->lab && a->palette == b->palette && (a->palette || a->bits == b->bits);
}

// Looks at every page before anything is allocated for their samples.
static lg_status check_pages(lg_tiff_job *j, lg_error *error)
{
    lg_tiff_page page;
    const int32_t layers = LG_MAX(j->count, j->page.apart ? j->page.samples : 1);
    lg_status status = lg_tiff_select(j->tiff, j->chosen[0], &j->page, error);
    if (status == LG_OK)
        status = lg_read_check(j->params, j->page.width, j->page.height, layers, error);
    if (status == LG_OK)
        status = lg_tiff_check_blocks(j->tiff, &j->page, error);
    for (int32_t i = 1; i < j->count && status == LG_OK; i++) {
        if (j->chosen[i] == j->chosen[i - 1])
            continue;
        status = lg_tiff_select(j->tiff, j->chosen[i], &page, error);
        if (status == LG_OK && !same_measure(&page, &j->page))
            return lg_fail(error, LG_ERROR_UNSUPPORTED,
                           "its %d pages differ in size or type; --page N reads one of them (from "
                           "0)",
                           j->count);
        if (status == LG_OK)
            status = lg_tiff_check_blocks(j->tiff, &page, error);
    }
    return status;
}

// ---- layers -------------------------------------------------------------------------------------

// Each page becomes a layer for each of its channels.
static lg_status spread_channels(lg_tiff_job *j, lg_read_info *info, lg_error *error)
{
    const int32_t samples = j->page.samples, pages = j->count;
    if ((int64_t)pages * samples > LG_MAX_LAYERS)
        return lg_fail(error, LG_ERROR_LIMIT, "%d pages of %d channels; %d layers can be measured",
                       pages, samples, LG_MAX_LAYERS);
    const size_t layers = (size_t)pages * (size_t)samples;
    int32_t *chosen = lg_alloc_array(layers, sizeof *chosen);
    j->sample = lg_alloc_array(layers, sizeof *j->sample);
    if (!chosen || !j->sample) {
        lg_free(chosen);
        return lg_fail_memory(error, layers * sizeof *chosen, "a list of layers");
    }
    for (size_t i = 0; i < layers; i++) {
        chosen[i] = j->chosen[i / (size_t)samples];
        j->sample[i] = (int32_t)(i % (size_t)samples);
    }
    lg_free(j->chosen);
    j->chosen = chosen;
    j->count = (int32_t)layers;
    if (!info->axes[0].name)
        lg_axes_add(info, 'P', pages);
    lg_axes_add(info, 'C', samples);
    return LG_OK;
}

// Leaves out what the caller does not want.
static lg_status choose_layers(lg_tiff_job *j, lg_read_info *info, lg_error *error)
{
    int32_t count;
    if (!j->params->layers || (j->params->page != -1 && !j->page.apart))
        return LG_OK;
    int32_t *taken = lg_alloc_array((size_t)j->count, sizeof *taken);
    if (!taken)
        return lg_fail_memory(error, (size_t)j->count * sizeof *taken, "a list of layers");
    const lg_status status =
        lg_layers_choose(j->params->layers, j->count, info, taken, &count, error);
    for (int32_t i = 0; i < count && !status; i++) {
        j->chosen[i] = j->chosen[taken[i]];
        if (j->sample)
            j->sample[i] = j->sample[taken[i]];
    }
    j->count = status ? j->count : count;
    lg_free(taken);
    return status;
}

lg_status lg_tiff_job_choose(lg_tiff_job *j, lg_read_info *info, lg_error *error)
{
    lg_status status = choose_pages(j, error);
    if (status == LG_OK)
        status = lg_tiff_select(j->tiff, j->chosen[0], &j->page, error);
    if (status == LG_OK)
        status = read_description(j, info, error);
    j->described = j->count;
    if (status == LG_OK && j->page.apart)
        status = spread_channels(j, info, error);
    if (status == LG_OK)
        status = choose_layers(j, info, error);
    return status == LG_OK ? check_pages(j, error) : status;
}

#endif
