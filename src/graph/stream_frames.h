// The frames of a stream: what the thread that uses it and the one that computes share.
#ifndef LG_STREAM_FRAMES_H
#define LG_STREAM_FRAMES_H

#include "graph/plan.h"

#include <pthread.h>

typedef enum lg_frame_state {
    LG_FRAME_FREE,
    LG_FRAME_WAITING, // nobody computes it yet
    LG_FRAME_TAKEN,   // it is being sent to a device
    LG_FRAME_BEGUN,
    LG_FRAME_ENDED, // computed or failed; waits to be pulled
} lg_frame_state;

struct lg_frame_turn;

// The place of a frame. `state`, `read` and `status` are guarded by the stream's lock. The rest belongs to
// the thread that computes while the frame is begun, and to the caller's otherwise.
typedef struct lg_stream_slot {
    lg_frame_state state;
    int64_t index, tag;
    lg_image *inputs[LG_MAX_INPUTS];
    bool held; // `done` was not called yet; of the caller's thread
    bool read; // nobody reads the inputs any more
    void (*done)(void *priv);
    void *priv;
    lg_image *outputs[LG_MAX_INPUTS]; // of the stream
    lg_status status;
    lg_error error;
    lg_figure_value *figures;
    size_t figure_count, figure_room;
    lg_stage_profile *stages;
    lg_engine_report engine;
    struct lg_frame_turn *turn; // on a device; NULL: the frame is a run of the plan
} lg_stream_slot;

typedef struct lg_log_line {
    struct lg_log_line *next;
    lg_log_level level;
    char text[]; // with its end
} lg_log_line;

// How several frames are on their way on a device; graph/stream_vulkan.c.
typedef struct lg_turn_calls {
    // Sends a frame. *reads: its inputs are read until it is finished. After an error nothing of the
    // frame is on its way.
    lg_status (*begin)(lg_stream *stream, lg_stream_slot *slot, bool *reads, lg_error *error);
    // Waits for the oldest frame that was sent, and fills its slot. *again: nobody knows what it and those
    // behind it have computed; else an error is what the frame was refused for.
    lg_status (*finish)(lg_stream *stream, lg_stream_slot *slot, bool *again, lg_error *error);
    // Whether `finish` would not wait. It asks the device, and may be wrong where that has an error.
    bool (*arrived)(const lg_stream *stream, const lg_stream_slot *slot);
    // Waits until nothing of a frame is on its way.
    void (*settle)(lg_stream *stream);
    // Before a run of the plan: lets it write to memory that a lost device does not reach.
    lg_status (*leave)(lg_stream *stream, lg_stream_slot *slot, lg_error *error);
    void (*destroy)(lg_stream *stream);
} lg_turn_calls;

struct lg_stream {
    lg_plan *plan;
    int depth;
    bool live;
    int slot_count;
    lg_stream_slot slots[LG_MAX_DEPTH + 1];
    const lg_turn_calls *turns; // NULL: one frame after another
    int steady;        // of the turns: shared memory of the device has its size; 0: not yet
    lg_thread *thread; // NULL: the caller's thread computes
    lg_logger log;     // of the caller
    // ---- of the caller's thread
    int64_t next, dropped;
    bool shown;               // the oldest frame was taken: the caller reads its pixels
    double told;              // when `progress` was called
    lg_figure_value *figures; // of the frame that was pulled
    size_t figure_room;
    lg_stage_profile *stages;
    // ---- guarded by `lock`
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int order[LG_MAX_DEPTH + 1]; // the slots of frames in the order of the frames
    int count;
    int64_t cancelled;       // frames before this one are ended
    int64_t current;         // the frame at work
    double part;             // of it
    bool stop, awaited;      // awaited: the caller does nothing until a frame is computed
    double sent;             // when a frame went to a device
    lg_stream_slot *storing; // a frame whose pixels go to device copies; NULL: there is none
    lg_image *const *stored; // of the caller's outputs
    lg_status store_status;
    lg_error store_error;
    lg_log_line *lines, **last_line;
};

// Part k of an image, itself or one of its planes; NULL behind the last.
lg_image_private *lg_stream_part(const lg_image *image, int k);

// ---- the thread that computes; graph/stream_thread.c ------------------------------------------------

// Computes until no frame waits. Called with the lock, without a thread of the stream's own.
void lg_stream_compute(lg_stream *stream);
void lg_stream_thread(void *stream); // lg_thread_start

// Fills figures, profile and report of a frame after a run of the plan.
lg_status lg_stream_note(lg_stream *stream, lg_stream_slot *slot);

// Turns for a plan on a device; leaves slots and `turns` as they are where it must run frame by frame.
void lg_stream_make_turns(lg_stream *stream);

#endif
