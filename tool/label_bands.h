// Components of images that are larger than --memory, band by band.
#ifndef LG_TOOL_LABEL_BANDS_H
#define LG_TOOL_LABEL_BANDS_H

#include "file_bands.h"
#include "label_run.h"
#include "team.h"

#include <lumagraph/label_accumulator.h>

// Why an image of this shape is labelled whole, as a clause; NULL: it need not be.
const char *lg_label_whole_because(const lg_session *session, const lg_image_params *shape);

// For lg_session.rereads: levels, shapes and intensities of floats take passes of their own.
bool lg_label_rereads(const lg_session *session, const lg_image_params *shape);

// Finds the levels and components of file->rows, removes those that are not wanted, and writes -o, --colors
// and --overlay; run->table is planned. With --mpi the leader alone has components in the end, and ranks
// that write.
lg_status lg_label_in_bands(lg_session *session, lg_input_file *file, lg_label_job *job,
                            lg_label_run *run, lg_error *error);

// Background that the foreground encloses, with --fill-holes: label_band_holes.c. All rows are added, then
// filled. `foreground` says which samples are none; `scratch`, unless it is NULL, is the folder for
// components beside so many bytes that are held. *out is the caller's also when create fails.
typedef struct lg_band_holes lg_band_holes;
lg_status lg_band_holes_create(const lg_label_params *foreground, const lg_region *region,
                               int32_t layers, const char *scratch, size_t bytes,
                               lg_band_holes **out, lg_error *error);
void lg_band_holes_free(lg_band_holes *holes); // NULL is fine
lg_status lg_band_holes_add(lg_context *context, lg_band_holes *holes, const lg_image *rows,
                            int64_t y, int64_t layer, lg_error *error);
// *out: 255 where the rows are foreground now, else 0.
lg_status lg_band_holes_fill(lg_context *context, lg_band_holes *holes, const lg_image *rows,
                             int64_t y, int64_t layer, lg_image **out, lg_error *error);

// The picture of --overlay: label_band_overlay.c. Bands with their labels, from top to bottom, none higher
// than the first; `colors` has the range of samples other than u8. `end` is behind the last band of a layer.
// The writer stays the caller's.
typedef struct lg_band_overlay lg_band_overlay;
lg_status lg_band_overlay_create(lg_row_writer *writer, const lg_overlay_params *colors,
                                 lg_band_overlay **out, lg_error *error);
void lg_band_overlay_free(lg_band_overlay *overlay); // NULL is fine
lg_status lg_band_overlay_add(lg_context *context, lg_band_overlay *overlay,
                              const lg_labels *labels, const lg_image *band, lg_error *error);
lg_status lg_band_overlay_end(lg_context *context, lg_band_overlay *overlay, lg_error *error);

// The files of -o, --colors and --overlay, which are written from top to bottom: label_band_pictures.c.
typedef struct lg_label_pictures {
    lg_team_writer writer[LG_LABEL_OUTPUTS]; // without rows: not asked for
    lg_band_overlay *overlay;
    const lg_label_run *run;
    lg_team *team;
    lg_overlay_params colors; // of the overlay
    const uint32_t *map;      // what labels are now; NULL: as they are
    uint32_t count;           // of components
    int64_t height;           // of a layer
} lg_label_pictures;

// Why they need the whole image, as a clause; NULL: they do not.
const char *lg_label_pictures_because(const lg_options *options, const lg_image_params *shape);
lg_status lg_label_pictures_open(lg_session *session, lg_input_file *file, lg_label_job *job,
                                 lg_label_run *run, lg_label_pictures *out, lg_error *error);
// Labels of rows from y on as they were found, which are changed, and the rows.
lg_status lg_label_pictures_write(lg_context *context, lg_label_pictures *pictures,
                                  lg_labels *labels, int64_t y, const lg_image *band,
                                  lg_error *error);
lg_status lg_label_pictures_close(lg_session *session, lg_label_pictures *pictures,
                                  lg_error *error);
void lg_label_pictures_discard(lg_label_pictures *pictures);

// Adds the components of the rows of --part to the state of the session.
lg_status lg_label_state(lg_session *session, lg_input_file *file, const lg_label_job *job,
                         lg_label_run *run, lg_error *error);

#endif
