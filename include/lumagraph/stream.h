// lumagraph: streams. A stream runs a plan on frames that follow each other, several of them on their
// way at once: while one is computed, the caller reads and writes others.
#ifndef LUMAGRAPH_STREAM_H
#define LUMAGRAPH_STREAM_H

#include <lumagraph/graph.h>
#include <lumagraph/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: one thread at a time uses a stream. With a depth above 1 the stream computes in a
// thread of its own, which uses the plan and its context while frames are on their way: from
// lg_stream_push until lg_stream_flush, or the pull of the last frame, returns. In between no other
// call may use the plan or its context, but lg_plan_output, and lg_image_create, lg_image_wrap and
// lg_image_destroy for images without a device copy. Several streams may share a context when only
// one of them has frames on their way; streams of different contexts are independent. Figures and
// profiles come with the frames: lg_plan_figures and lg_plan_profile are of lg_plan_run. `log` and
// `progress` of the context are called on the thread that uses the stream, from its calls.
typedef struct lg_stream lg_stream;

#define LG_MAX_DEPTH 8

typedef struct lg_stream_params {
    size_t size; // sizeof(lg_stream_params) of the caller; the defaults set it
    int32_t
        depth; // frames on their way, 1 .. LG_MAX_DEPTH; 1: lg_stream_push computes, without a thread
    bool live; // a full stream drops a frame instead of waiting; see lg_stream_push
} lg_stream_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_stream_params_init(lg_stream_params *params, size_t size);

// The defaults: depth 3, every frame is computed.
static inline lg_stream_params lg_stream_params_default(void)
{
    lg_stream_params params;
    lg_stream_params_init(&params, sizeof params);
    return params;
}

// A frame that was pulled.
typedef struct lg_stream_frame {
    int64_t index;                  // of all frames that were pushed, from 0; -1: there is no frame
    int64_t tag;                    // the caller's, from lg_stream_push
    int64_t dropped;                // frames that the stream has left out so far
    const lg_figure_value *figures; // as of lg_plan_figures; valid until the next pull
    size_t figure_count;
    const lg_stage_profile *stages; // as of lg_plan_profile; valid until the next pull
    size_t stage_count;
    lg_engine_report engine; // as of lg_context_report, of this frame
} lg_stream_frame;

// Makes a stream of a plan. Runs that the plan had before count: figures of the previous run, and
// delayed images, go on from them. The plan must outlive the stream. params NULL: defaults. Errors:
// LG_ERROR_ARGUMENT (depth), LG_ERROR_MEMORY.
LG_API lg_status lg_stream_create(lg_plan *plan, const lg_stream_params *params, lg_stream **out,
                                  lg_error *error);

// Sends a frame on its way: images as lg_plan_run takes them. Frames are computed in the order of
// these calls, with the bits that lg_plan_run gives at that place in a sequence of runs. The inputs
// must stay as they are until `done` is called, once, on the caller's thread, from a later call of
// this stream or from this one. NULL: nothing is called; inputs are free when the frame was pulled.
// When `depth` frames are on their way, push waits until one is computed. With `live` it drops the
// oldest frame that nobody computes yet, as if it had not been pushed. A computed frame keeps its
// place until it is pulled; there are depth + 1 places. Without one push fails with LG_ERROR_LIMIT,
// or with `live` drops the oldest computed frame. This never fails so:
//   push; while (pull without waiting gives a frame) write it;
// Errors, which leave the stream as it was; `done` is not called: LG_ERROR_ARGUMENT (images that do
// not fit the plan), LG_ERROR_LIMIT, LG_ERROR_CANCELLED (by `progress` of the context, as all frames
// on their way are), LG_ERROR_DEVICE (in a forked child).
LG_API lg_status lg_stream_push(lg_stream *stream, lg_image *const *inputs, int64_t tag,
                                void (*done)(void *priv), void *priv, lg_error *error);

// Takes the oldest frame: copies its pixels to `outputs`, images of the shapes of lg_plan_output, and
// fills *frame. They are written on the host and, where they have one, to their device copy, as by
// lg_plan_run. NULL in place of an output, or of `outputs`: these pixels are not
// wanted. Without `wait` a frame that is not computed yet stays. frame->index is -1 when there is no
// frame to take. An error with an index is that of this frame, as lg_plan_run gives it: it has no
// pixels and no figures, and the stream goes on with the next one. Errors with index -1, which take
// nothing: LG_ERROR_ARGUMENT (outputs of another shape, on another context's device, or that overlap
// inputs on their way), LG_ERROR_DEVICE (in a forked child).
LG_API lg_status lg_stream_pull(lg_stream *stream, lg_image *const *outputs, lg_stream_frame *frame,
                                bool wait, lg_error *error);

// Takes the oldest frame as lg_stream_pull does, and copies nothing: *outputs are images of the
// stream, in host memory, one for each output of the plan. They are read only, and gone with the next
// push, pull or take and with the stream. With an error of the frame *outputs is NULL.
// Until then the frame keeps its place. Errors: those of frames; LG_ERROR_DEVICE (in a forked child).
LG_API lg_status lg_stream_take(lg_stream *stream, lg_image *const **outputs,
                                lg_stream_frame *frame, bool wait, lg_error *error);

// Waits until every frame is computed. They can still be pulled. Errors: LG_ERROR_CANCELLED, and
// LG_ERROR_DEVICE in a forked child; those of frames are for lg_stream_pull.
LG_API lg_status lg_stream_flush(lg_stream *stream, lg_error *error);

// Ends frames on their way early, calls `done` for those whose inputs are still held, and sets
// *stream to NULL. The plan can be used as after lg_plan_run: what frames left behind for the next run
// is that of those computed. NULL and a pointer to NULL are fine.
LG_API void lg_stream_destroy(lg_stream **stream);

#ifdef __cplusplus
}
#endif

#endif
