// --preview: results on the terminal.
#ifndef LG_TOOL_PREVIEW_H
#define LG_TOOL_PREVIEW_H

#include "session.h"

typedef struct lg_preview {
    int rows; // of the picture before, which is drawn over; 0: none
    double drawn;
} lg_preview;

// Complains and returns false where there is no terminal to draw on.
bool lg_preview_check(const lg_options *options);
// Draws the first layer. Frames that come sooner than a terminal can draw are left out.
void lg_preview_draw(lg_preview *preview, lg_session *session, const lg_image *image);

#endif
