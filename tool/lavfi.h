// stats --lavfi: figures of planes as they are stored, under the names of ffmpeg's filter signalstats.
#ifndef LG_TOOL_LAVFI_H
#define LG_TOOL_LAVFI_H

#include "session.h"

typedef struct lg_lavfi lg_lavfi;

// NULL: no memory.
lg_lavfi *lg_lavfi_create(void);
void lg_lavfi_destroy(lg_lavfi *lavfi);

// An lg_measure_fn, whose `priv` is an lg_lavfi.
lg_status lg_lavfi_measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error);

// Complains and returns false when the options do not go together.
bool lg_check_lavfi(const lg_options *options);

#endif
