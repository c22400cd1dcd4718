// Films that tests write: kinds of y4m, and random frames of them.
#ifndef LG_CLIPS_H
#define LG_CLIPS_H

#include <lumagraph/io.h>

typedef struct clip_kind {
    const char *tag;
    int planes, bits, across, down; // luma samples to one of chroma
    double left, top;               // place of the first sample of chroma, in samples of luma
} clip_kind;

#define CLIP_KINDS 15
extern const clip_kind clip_kinds[CLIP_KINDS];

int plane_width(const clip_kind *k, int plane, int width);
int plane_height(const clip_kind *k, int plane, int height);
size_t frame_bytes(const clip_kind *k, int width, int height);
// Every code, also those that no colour has; with more than 8 bits nothing above the highest.
void random_frame(const clip_kind *k, uint8_t *out, size_t bytes);

const void *plane_row(const lg_image *plane, int y);
double image_at(const lg_image *image, int x, int y, int c);

lg_context *clip_context(void); // of the CPU, one thread, no files between runs
// False: there is none. A frame that cannot be read is a failure of the test.
bool next_frame(lg_frames *frames);

lg_chroma clip_chroma(const clip_kind *k);
lg_siting clip_siting(const clip_kind *k);

#endif
