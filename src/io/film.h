// Films: what readers and the writer of frames share.
#ifndef LG_FILM_H
#define LG_FILM_H

#include "io/io_internal.h"

enum { LG_FILM_PLANES = 4 };

// A plane in memory: samples of one byte, or two in the machine's order with values of `bits` bits.
typedef struct lg_frame_plane {
    int32_t width, height;
    size_t row; // bytes
    uint8_t *data;
} lg_frame_plane;

// The memory of a frame, which ends with the last one who holds it: the film, or an image of its planes.
typedef struct lg_frame_memory {
    int holders;                     // of any thread
    uint8_t *data;                   // ours; NULL: it is lent
    void (*give_back)(void *lender); // of lent memory
    void *lender;
} lg_frame_memory;

lg_frame_memory *lg_frame_memory_hold(lg_frame_memory *memory);
void lg_frame_memory_release(void *memory); // NULL is fine

enum { LG_FRAME_SPARES = 8 };

// The planes of a frame. In memory of ours they lie behind each other, as y4m has them; in memory that is
// lent they lie anywhere, and rows are padded.
typedef struct lg_frame_planes {
    int count;
    size_t sample, bytes; // of all planes, without padding
    lg_frame_plane plane[LG_FILM_PLANES];
    lg_frame_memory *memory; // NULL: there is none yet
    // What lg_frame_renew has made: frames that nobody else holds any more are used again.
    lg_frame_memory *spare[LG_FRAME_SPARES];
} lg_frame_planes;

// Sizes of the planes of a film, without memory.
void lg_frame_shape(const lg_film *film, lg_frame_planes *out);
// Memory of ours that nobody else holds, with any contents. Errors: LG_ERROR_MEMORY.
lg_status lg_frame_renew(lg_frame_planes *planes, lg_error *error);
// Both; the memory is zeroed. Errors: LG_ERROR_MEMORY.
lg_status lg_frame_create(const lg_film *film, lg_frame_planes *out, lg_error *error);
// The planes that `lent` has, with their data and rows, are those of the frame, until `give_back`. Errors:
// LG_ERROR_MEMORY, and it is given back.
lg_status lg_frame_lend(lg_frame_planes *planes, const lg_frame_plane *lent,
                        void (*give_back)(void *lender), void *lender, lg_error *error);
void lg_frame_free(lg_frame_planes *planes);
// Bytes of a row of a plane, without padding.
size_t lg_frame_row(const lg_frame_planes *planes, int plane);

// A frame of planes as an image, and an image as planes; src/io/ycbcr.c. The image has the shape of
// lg_film_shape, the planes those of the film.
void lg_film_shape(const lg_film *film, lg_image_params *out);
void lg_frame_to_image(const lg_film *film, const lg_frame_planes *planes, lg_image *image);
void lg_frame_of_image(const lg_film *film, const lg_image *image, lg_frame_planes *planes);

// How the planes of a film are stored; of one with alpha without it.
lg_planes lg_film_planes(const lg_film *film);

// ---- video files ------------------------------------------------------------------------------------

struct lg_av_source;
typedef struct lg_av lg_av;

// Whether a file begins as video files do, or is called like one; whether a name is a camera's.
bool lg_video_is(const uint8_t *head, size_t size, const char *path);
bool lg_video_is_camera(const char *path);
// The module's functions; `what` cannot be read or written without it. Errors: LG_ERROR_UNSUPPORTED.
lg_status lg_video_module(const char *what, const lg_av **out, lg_error *error);

// The film of these frames, if it is a video file or a camera; its name.
struct lg_av_source *lg_frames_video(const lg_frames *frames);
const char *lg_frames_path(const lg_frames *frames);
bool lg_frames_states_matrix(const lg_frames *frames); // the caller did

// The planes of the frame that was read last as an image, which stays the caller's to take.
lg_status lg_frames_copy_image(const lg_frames *frames, lg_image **out, lg_error *error);

// Those of the frame that was read last; NULL: it has none.
const lg_frame_planes *lg_frames_stored(const lg_frames *frames);

// ---- y4m ----------------------------------------------------------------------------------------

bool lg_y4m_is(const uint8_t *head, size_t size);
// The header of the file, with the defaults of `film` for what it leaves open.
lg_status lg_y4m_read_header(lg_input *input, lg_film *film, lg_error *error);
// The line in front of a frame; *more is false at the end of the file.
lg_status lg_y4m_read_frame_header(lg_input *input, bool *more, lg_error *error);
void lg_y4m_write_header(FILE *stream, const lg_film *film);

// ---- raw frames ---------------------------------------------------------------------------------

typedef struct lg_raw_format {
    const char *name;
    int8_t planes;   // of lg_film; 0: packed
    int8_t channels; // of packed samples
    int8_t bits, shift;
    lg_chroma chroma;
    bool paired;      // Cb and Cr alternate in one plane
    bool cr_first;    // Cr in front of Cb
    uint8_t order[4]; // of packed samples: where red, green, blue and alpha stand
} lg_raw_format;

// What `raw` and `colors` of lg_frames_params say.
lg_status lg_raw_parse(const char *text, lg_film *film, const lg_raw_format **format,
                       lg_error *error);
// `fixed`: the range was stated.
lg_status lg_film_parse_colors(const char *text, lg_film *film, bool *fixed, lg_error *error);
// A frame of planes; *more is false at the end of the file.
lg_status lg_raw_read_planes(lg_input *input, const lg_raw_format *format, lg_frame_planes *planes,
                             bool *more, lg_error *error);
lg_status lg_raw_read_image(lg_input *input, const lg_raw_format *format, lg_image *image,
                            bool *more, lg_error *error);

#endif
