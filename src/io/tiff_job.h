// Reading the pages of a TIFF file that become one image: whole, or a part at a time.
#ifndef LG_TIFF_JOB_H
#define LG_TIFF_JOB_H

#include "io/row_team.h"
#include "io/tiff.h"

typedef struct lg_tiff_job {
    lg_tiff *tiff;
    const lg_read_params *params;
    int32_t *chosen; // directories, one for each layer
    int32_t *sample; // of each layer, where channels are apart; else NULL
    int32_t count, left_out;
    int32_t described; // layers that the description is about
    lg_tiff_page page; // of the layer at work
    int32_t selected;  // directory that libtiff has open, -1: another one
    int32_t layer;
    lg_region window; // that is read
    lg_image *image;  // of its size
    int32_t into_layer;
    int32_t several; // layers from `layer` on that are filled at once
    lg_rounding rounding;
    void *unpacked; // a row of samples of whole bytes
    float *floats;  // a row of what they become
    bool has_no_data;
    double no_data, no_data_stated; // as samples have it, and as the file states it
    uint64_t no_data_found;
    int threads;                     // that decode; 0 is 1
    struct lg_tiff_helpers *helpers; // of the other threads; NULL: not needed yet
    lg_row_team team;
} lg_tiff_job;

// Opens a file, chooses its pages, checks them all. `params` must outlive the job. lg_tiff_job_close is
// needed also when it fails.
lg_status lg_tiff_job_open(lg_tiff_job *job, lg_input *input, const lg_read_params *params,
                           lg_read_info *info, lg_error *error);
// Chooses the directories of the layers, and says what the layers are.
lg_status lg_tiff_job_choose(lg_tiff_job *job, lg_read_info *info, lg_error *error);
lg_image_params lg_tiff_job_shape(const lg_tiff_job *job);
// Reads a window of a layer into layer `into_layer` of an image of the window's size.
lg_status lg_tiff_job_read(lg_tiff_job *job, int32_t layer, const lg_region *window, lg_image *into,
                           int32_t into_layer, lg_error *error);
lg_status lg_tiff_job_metadata(lg_tiff_job *job, lg_read_info *info, lg_error *error);
// What there is to say about the samples that were read. `counted`: each of them once.
void lg_tiff_job_note(const lg_tiff_job *job, bool counted, lg_read_info *info);
void lg_tiff_job_close(lg_tiff_job *job);

// ---- blocks on several threads ------------------------------------------------------------------

// Chooses how many threads decode, of those that there are, and what is decoded whole, within the memory
// that there is to spare. Returns the bytes that decoders hold then.
size_t lg_tiff_job_plan(lg_tiff_job *job, int threads);
// Room for a row on its way to the image.
lg_status lg_tiff_job_make_rows(lg_tiff_job *job, lg_error *error);
// Hands the rows of the job's window to `take`, with the job or a helper of it as `priv`, from several
// threads, as lg_tiff_read_window does. What fails first in the order of the blocks is what is told.
lg_status lg_tiff_job_decode(lg_tiff_job *job, lg_tiff_take take, lg_error *error);
void lg_tiff_job_dismiss(lg_tiff_job *job);

#endif
