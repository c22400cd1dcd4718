// The entries of the table (io/vips/vips_module.h), and what they are given.
#ifndef LG_VIPS_FORMATS_H
#define LG_VIPS_FORMATS_H

#include "io/vips/vips_module.h"

extern const lg_vips_host *lg_vips_library;

lg_status lg_vips_start(lg_error *error);
lg_status lg_vips_load(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error);
lg_status lg_vips_save(const lg_image *image, const char *suffix, const lg_metadata *metadata,
                       FILE *stream, lg_error *error);
void lg_vips_stop(void);

#endif
