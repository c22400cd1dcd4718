// Files that are measured in bands of rows: images larger than --memory, and regions of images.
#ifndef LG_TOOL_FILE_BANDS_H
#define LG_TOOL_FILE_BANDS_H

#include "band_keep.h"
#include "session.h"

#include <lumagraph/rows.h>

// Bytes that the pixels of an input may take: --memory, or a quarter of the machine's.
size_t lg_memory_ceiling(const lg_options *options);

// Whether an input is measured in bands: the command can, the format as well, and the image is larger
// than the limits of memory and pixels allow, or a region of it is wanted. `context` is that of the
// calling thread. Where it is read whole, scratch files may hold it, and `params` allow as many pixels as
// there are then. LG_ERROR_LIMIT: it takes more memory than there is to be, and neither is possible. What is
// wrong with a file is not found here.
lg_status lg_bands_choose(lg_session *session, lg_context *context, const char *name,
                          lg_read_params *params, bool *in_bands, lg_error *error);

// Why an image is needed whole whose encoder holds it in memory of its own, where no scratch file helps.
extern const char *const lg_written_whole;

// Of one image that memory and scratch files hold: --max-pixels, or else as many as images in bands have.
int64_t lg_scratch_pixels(const lg_options *options);

// The command reads in bands, and keeps to --memory: scratch files hold what is needed whole beyond it.
// false: that failed, which has been said.
bool lg_bands_begin(lg_session *session);
// For a context that is made later.
lg_status lg_limit_memory(const lg_session *session, lg_context *context, lg_error *error);

// Whether an image is over the limits of memory and pixels as a whole.
bool lg_bands_suit(const lg_session *session);
bool lg_bands_needed(const lg_session *session, const lg_image_params *shape);

// Opens the rows of a file and calls `measure` with file->rows; file->image has a shape and no pixels, unless
// `measure` puts a whole image there.
lg_status lg_bands_measure(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                           void *priv, lg_error *error);

// With --mpi: this rank has its part of `height` rows, those of an output, where an input has others.
void lg_bands_share(const lg_options *options, lg_input_file *file, int64_t height);

// Rows of a region. Levels, and the unit of intensities, are of all of them also where a part is measured.
typedef struct lg_part {
    int64_t first, end;
} lg_part;

lg_part lg_bands_all_rows(lg_input_file *file); // what was chosen before, for the next
void lg_bands_part(lg_input_file *file, const lg_part *part);

// Takes rows y .. of the region in a layer; the mask is that of these rows.
typedef lg_status (*lg_band_fn)(lg_context *context, void *priv, int32_t layer, int64_t y,
                                const lg_image *band, const lg_select *select, lg_error *error);
// All bands of all layers of file->rows, in order, from first_row on; with --mpi the ranks agree behind them.
// `extra`: bytes for each pixel of a band that `fn` takes.
// With --resume what `keep` says is kept of each band, unless it is NULL.
lg_status lg_bands_each(lg_session *session, lg_input_file *file, double extra, lg_band_keep *keep,
                        lg_band_fn fn, void *priv, lg_error *error);

// What lg_measure_moments and lg_measure_histogram measure of a whole image, of file->rows.
lg_status lg_bands_moments(lg_session *session, lg_input_file *file,
                           const lg_moments_params *params, lg_moments *out, lg_error *error);
// Histograms of layers, as one.
typedef struct lg_band_histogram {
    lg_histogram all;
    lg_histogram **parts;
    int32_t count;
} lg_band_histogram;

// lg_band_histogram_free is needed also when it fails.
lg_status lg_bands_histogram(lg_session *session, lg_input_file *file,
                             const lg_histogram_params *params, lg_band_histogram *out,
                             lg_error *error);
// Levels of u8 samples, by a method.
lg_status lg_bands_levels(lg_session *session, lg_input_file *file,
                          const lg_threshold_params *params, lg_threshold *out, int count,
                          lg_error *error);
// Histograms of accumulators that were filled, one for each layer or for the stack. Likewise.
lg_status lg_histogram_join(lg_histogram_accumulator *const *at, int32_t entries, bool stack,
                            lg_nan nan, lg_band_histogram *out, lg_error *error);
void lg_band_histogram_free(lg_band_histogram *histogram);

// Adds the accumulators of file->rows to the state of the session instead.
lg_status lg_bands_state_moments(lg_session *session, lg_input_file *file, lg_error *error);
lg_status lg_bands_state_histogram(lg_session *session, lg_input_file *file,
                                   const lg_histogram_params *params, lg_error *error);

#endif
