// What became of the parts of bands whose components were taken when they were complete: from it the labels
// of all rows follow, in memory for the components of a band and of those that are open there.
#ifndef LG_LABEL_LINKS_H
#define LG_LABEL_LINKS_H

#include "core/sorted_file.h"

typedef struct lg_label_links lg_label_links;

// A band that was added, or the end. Its parts are those that were open before it, and then its own.
typedef struct lg_label_step {
    int64_t first, end;   // rows, counted through all layers; both 0 at the end
    uint32_t open, count; // parts before it, and its own
    uint32_t kept;        // of both that are open behind it
    uint32_t closed;      // components that were taken in it
    uint64_t taken;       // and before it
} lg_label_step;

// `folder` is where files go; about `memory` bytes are held beside those of a band.
lg_status lg_label_links_create(const char *folder, size_t memory, lg_label_links **out,
                                lg_error *error);
void lg_label_links_destroy(lg_label_links **links); // NULL and a pointer to NULL are fine

// became[part]: which of the kept ones it is, or LG_LABEL_TAKEN minus how many components were taken in front
// of its own in this step.
#define LG_LABEL_TAKEN UINT32_MAX
lg_status lg_label_links_add(lg_label_links *links, const lg_label_step *step,
                             const uint32_t *became, lg_error *error);
// Behind the end: finds the labels. `components` has a record of `size` bytes for each component that was
// taken, by labels; the last 8 bytes say how many were taken before it.
lg_status lg_label_links_resolve(lg_label_links *links, lg_sorted_file *components, size_t size,
                                 lg_error *error);
bool lg_label_links_resolved(const lg_label_links *links);
// The band of rows first .. end - 1; NULL: there is none.
const lg_label_step *lg_label_links_find(const lg_label_links *links, int64_t first, int64_t end);
// The labels of a band's own parts.
lg_status lg_label_links_labels(const lg_label_links *links, const lg_label_step *step,
                                uint32_t *labels, lg_error *error);

#endif
