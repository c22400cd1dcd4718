// Rows of several layers that are made together, band by band, wait in a scratch file for a writer that takes
// one layer after the other.
#ifndef LG_TOOL_LAYER_SPOOL_H
#define LG_TOOL_LAYER_SPOOL_H

#include "session.h"

#include <lumagraph/rows.h>

typedef struct lg_layer_spool lg_layer_spool;

// The folder of --scratch, or that of the system.
const char *lg_scratch_folder(const lg_options *options);

// `shape`: of the whole image, which may be as large as the disk has room.
lg_status lg_layer_spool_open(const lg_options *options, const lg_image_params *shape,
                              lg_layer_spool **out, lg_error *error);
// The rows of all layers from row y on.
lg_status lg_layer_spool_put(lg_layer_spool *spool, int64_t y, const lg_image *rows,
                             lg_error *error);
// All rows that were put, to the writer.
lg_status lg_layer_spool_write(lg_layer_spool *spool, lg_context *context, lg_row_writer *writer,
                               lg_error *error);
void lg_layer_spool_close(lg_layer_spool **spool); // a pointer to NULL is fine

#endif
