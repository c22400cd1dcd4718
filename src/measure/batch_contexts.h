// Inside a batch, for what measures one image with it.
#ifndef LG_BATCH_CONTEXTS_H
#define LG_BATCH_CONTEXTS_H

#include <lumagraph/batch_images.h>

int lg_batch_count(const lg_batch *batch);
lg_context *lg_batch_context(const lg_batch *batch, int index);
bool lg_batch_is_idle(const lg_batch *batch); // no job, and no result that was not dropped

#endif
