// Frames of planes that tests make: random codes, with rows that are longer than they need be.
#ifndef LG_PLANE_FRAME_H
#define LG_PLANE_FRAME_H

#include "core/core.h"

typedef struct plane_frame {
    lg_image_params shape;
    lg_planes planes;
    void *data[3];
    size_t row[3];
    int count, width[3], height[3], step[3]; // of a plane; samples of a pixel
} plane_frame;

// Samples of luma to one of chroma.
int plane_across(const lg_planes *planes);
int plane_down(const lg_planes *planes);

plane_frame plane_frame_make(lg_planes planes, int width, int height);
// Every code, also those that no colour has. The shift's bits are 0 and nothing is above the highest.
void plane_frame_fill(plane_frame *frame);
// An image over the frame.
lg_image *plane_frame_wrap(lg_context *context, plane_frame *frame);
void plane_frame_free(plane_frame *frame);

// Luma (0), Cb (1) or Cr (2) without the shift; beyond the edge that at the edge.
double plane_frame_code(const plane_frame *frame, int which, int x, int y);
bool plane_frames_equal(const plane_frame *a, const plane_frame *b);

#endif
