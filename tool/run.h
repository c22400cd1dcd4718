// What the parts of `lumagraph run` share.
#ifndef LG_TOOL_RUN_H
#define LG_TOOL_RUN_H

#include "outputs.h"
#include "preview.h"

#include <limits.h>

typedef struct lg_run {
    const lg_options *options;
    lg_graph *graph;
    int type; // of the outputs, lg_type; -1: as without --type
    size_t input_count, output_count;
    lg_node ends[LG_MAX_INPUTS];     // nodes of the outputs, before --channels
    lg_image *inputs[LG_MAX_INPUTS]; // the first changes from file to file
    // Further inputs that are films: their frames go in step with the first input's.
    const char *film_names[LG_MAX_INPUTS]; // NULL: it is an image
    struct lg_run_film *films[LG_MAX_INPUTS];
    lg_outputs outputs[LG_MAX_INPUTS];   // asked is NULL where nothing is written
    lg_plan *plan;                       // for `shape`; used again for the next file of that shape
    lg_plan *shared[LG_MAX_DEVICES];     // the same for several devices; NULL: not made
    lg_image_params shape;               // of the first input
    lg_planes planes;                    // what shape.planes points to
    lg_planes stored;                    // how outputs of planes are stored
    const char *whole_because;           // a file that was to be read in bands is not; or NULL
    bool in_bands;                       // so the plan is made, and there are no images
    bool too_large;                      // for --memory, as a whole
    lg_image_params made[LG_MAX_INPUTS]; // shapes of the outputs
    lg_image *images[LG_MAX_INPUTS];     // of the outputs
    char *written[LG_MAX_INPUTS];        // their files, NULL where there is none
    lg_output *point_file;               // of --points, NULL: none
    lg_preview preview;
    bool points_begun;
    size_t point_count;       // of the input at work
    bool by_layer;            // the plan is for one layer
    lg_figure_value *figures; // of all layers, one after another
    size_t figure_count;      // of a layer
    lg_stage_profile *stages;
    double
        *ceilings; // bytes per second of a plain copy, of stages that --profile measured; or NULL
    size_t stage_count;
    struct lg_run_behind *behind; // inputs whose outputs are on their way into files; NULL: none
    struct lg_run_stream *stream; // frames on their way; NULL: none
} lg_run;

// The graph of PIPELINE or --graph with its inputs and outputs; failures are printed, and an exit
// status comes back.
int lg_run_build(lg_run *run);

// With --auto-orient: the image of a file is turned upright, and its metadata say so.
lg_status lg_run_orient(lg_session *session, lg_input_file *file, lg_error *error);

// Where filters make pixels larger or smaller, the metadata of a file say so behind this; once for each file.
void lg_run_scale_metadata(const lg_run *run, lg_session *session, lg_input_file *file);

// The frames of further inputs that are films: those of the number of the first input's frame.
lg_status lg_run_step_films(lg_run *run, lg_session *session, const lg_input_file *file,
                            lg_error *error);
void lg_run_close_films(lg_run *run);

// With --region or --mask: checks that the outputs can keep pixels of the input, and tells the plan which
// pixels its figures see. Behind a run, lg_run_restore puts the input's pixels back outside.
bool lg_run_selects(const lg_run *run);
lg_status lg_run_select(const lg_run *run, lg_session *session, const lg_input_file *file,
                        lg_error *error);
lg_status lg_run_restore(const lg_run *run, lg_session *session, const lg_input_file *file,
                         lg_error *error);

// Whether each layer of the outputs follows from one layer of the input, so that an image which is too large
// may be taken layer by layer.
bool lg_run_splits_layers(const lg_run *run);
// Adds what a run of layer z measured and took to what those before it did.
lg_status lg_run_add_layer(lg_run *run, lg_session *session, int32_t z, lg_error *error);
// Runs a plan for one layer on each layer of the input: `by_layer`.
lg_status lg_run_all_layers(lg_run *run, lg_session *session, const lg_input_file *file,
                            lg_error *error);

// --points: the file, the points of an input in it, and its end, which gives the exit status.
lg_status lg_run_open_points(lg_run *run, lg_error *error);
lg_status lg_run_write_points(lg_run *run, lg_session *session, const lg_input_file *file,
                              lg_error *error);
int lg_run_close_points(lg_run *run, const lg_session *session, int status);

// ---- frames (run_stream.c) ------------------------------------------------------------------------

// Whether a frame is computed by a stream.
bool lg_run_streams(const lg_run *run, const lg_input_file *file);
// Takes the image of a frame and sends it on its way; writes those that are computed. An error may be of an
// earlier frame; those behind it are dropped.
lg_status lg_run_send(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error);
// Writes all frames that are on their way, and ends the stream.
lg_status lg_run_drain(lg_run *run, lg_session *session, lg_error *error);
// Drops them.
void lg_run_stop(lg_run *run);

// ---- several at a time (run_behind.c) -----------------------------------------------------------------

// Whether the outputs of a file are written by a thread.
bool lg_run_goes_behind(const lg_run *run, const lg_input_file *file);
// Begins to write the images of the run, and takes them; reports are made when they are written.
lg_status lg_run_write_behind(lg_run *run, lg_session *session, lg_input_file *file,
                              lg_error *error);
// Waits for all of them, and reports. As lg_session.settle; `priv` is the run.
void lg_run_settle(lg_session *session, void *priv);

// The extension of output i where it gets the name of the file; NULL: that of the file.
const char *lg_run_extension(const lg_run *run, const lg_input_file *file, size_t i);
// The name of output i for a file, which it may be written to, and how. `room`: LG_OPTIONS_ROOM bytes.
lg_status lg_run_name_output(lg_run *run, lg_session *session, const lg_input_file *file, size_t i,
                             char path[PATH_MAX], char *room, lg_write_params *params,
                             lg_error *error);
// Says what would help where a format does not hold an image.
void lg_run_explain_refusal(const lg_run *run, const lg_image *image, lg_status status,
                            lg_error *error);

// ---- bands (run_bands.c) --------------------------------------------------------------------------

// Whether images are to be computed in bands where they could be held whole as well: one image, which goes
// from file to file.
bool lg_run_prefers_bands(const lg_run *run);
// NULL: the file, whose rows are open, is computed in bands. Otherwise why not: it cannot be, or it is not
// too large, and is done sooner, or more safely, as a whole.
const char *lg_run_needs_whole(const lg_run *run, const lg_session *session,
                               const lg_input_file *file);
// Reads, computes and writes a file in bands of rows.
lg_status lg_run_in_bands(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error);
// Reads the image as a whole instead; of one that is too large it says why, and refuses what takes more than
// --memory.
lg_status lg_run_read_whole(const lg_run *run, lg_session *session, lg_input_file *file,
                            const char *why, lg_error *error);

// ---- several devices (run_devices.c) ----------------------------------------------------------------

// Whether the devices of --device share the rows of an image; else the session's reason says why the first
// one computes it.
bool lg_run_is_shared(const lg_run *run, lg_session *session);
// The images of the run, which are in memory; and rows that are read and written.
lg_status lg_run_share(lg_run *run, lg_session *session, lg_error *error);
lg_status lg_run_share_bands(lg_run *run, lg_session *session, lg_image *const *inputs,
                             const lg_bands_params *params, lg_error *error);
void lg_run_drop_shared(lg_run *run);

// Notes what an output does not keep of the input's metadata.
void lg_run_note_kept(lg_session *session, const lg_input_file *file, const lg_image_params *shape,
                      const char *path, const lg_write_params *params);

// Whether an output is the input's planes, bit for bit.
bool lg_run_copies(const lg_run *run, const lg_input_file *file);
// What comes behind a run: outputs and the report.
lg_status lg_run_finish(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error);

// ---- behind a run -----------------------------------------------------------------------------------

// Takes the figures of the plan's last run; with --profile those of the fastest of a few more.
lg_status lg_run_profile(lg_run *run, lg_session *session, lg_error *error);

// Adds the figures of --figure to the graph; `last`: the image of those that name none.
lg_status lg_run_add_figures(lg_run *run, lg_node last, lg_error *error);
// Reads the figures of the plan's last run, and prints them.
// `layer`: of --stack and of single layers 0.
lg_status lg_run_read_figures(lg_run *run, int32_t layer, lg_error *error);
void lg_run_figures_json(lg_json *json, const lg_run *run);
void lg_run_figures_text(FILE *out, const lg_run *run);

void lg_run_report(lg_session *session, const lg_input_file *file, const lg_run *run);
// A line about a film that is complete.
void lg_run_report_film(lg_session *session, const lg_input_file *file, const char *path,
                        int64_t frames);
void lg_run_explain(lg_session *session, const lg_input_file *file, const lg_run *run);

#endif
