// Labels, colours and outlines of components that were found in bands, written from top to bottom.
#include "label_bands.h"

#include <math.h>
#include <string.h>

static const char *asked_for(const lg_options *options, int which)
{
    return which == LG_LABEL_COLORS    ? options->colors
           : which == LG_LABEL_OVERLAY ? options->overlay
                                       : options->output;
}

const char *lg_label_pictures_because(const lg_options *options, const lg_image_params *shape)
{
    const lg_write_params exact = {.exact = true};
    if (shape->layers > 1 && options->team)
        return "ranks do not share files of several layers";
    if (options->overlay && options->team && shape->type != LG_U8)
        return "--overlay stretches the range of the whole image";
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++) {
        const char *asked = asked_for(options, i);
        if (!asked || !*asked)
            continue;
        lg_outputs at = lg_outputs_at(asked);
        const bool folder = at.folder || asked[strlen(asked) - 1] == '/';
        // Into a folder go names that the number of labels decides.
        const bool can = !folder && (shape->layers > 1 ? lg_row_writer_can_layers
                                                       : lg_row_writer_can)(at.asked, &exact);
        lg_outputs_free(&at);
        if (!can)
            return lg_written_whole;
    }
    return NULL;
}

static lg_status open_one(const lg_input_file *file, int which, const char *path,
                          const char *options, lg_label_pictures *out, lg_error *error)
{
    const int32_t width = (int32_t)file->region.width, height = (int32_t)file->region.height;
    const int32_t layers = file->image->shape.layers;
    const lg_write_params params = {.options = *options ? options : NULL,
                                    .metadata = file->info.metadata};
    const lg_image_params colors = {.width = width,
                                    .height = height,
                                    .layers = layers,
                                    .channels = 4,
                                    .type = LG_U8,
                                    .alpha = LG_ALPHA_OPAQUE};
    return which == LG_LABEL_LABELS
               ? lg_row_writer_open_label_layers(path, width, height, layers, out->count, &params,
                                                 &out->writer[which].rows, error)
               : lg_row_writer_open(path, &colors, &params, &out->writer[which].rows, error);
}

// Samples other than u8 are stretched over the range of all rows: one more pass.
static lg_status find_colors(lg_session *session, lg_input_file *file, lg_overlay_params *out,
                             lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    lg_moments_params params = lg_moments_params_default();
    lg_moments channel[LG_MAX_CHANNELS];
    *out = session->options->overlay_colors;
    if (s->type == LG_U8)
        return LG_OK;
    params.stack = s->layers > 1;
    const lg_status status = lg_bands_moments(session, file, &params, channel, error);
    if (status)
        return status;
    out->low = INFINITY;
    out->high = -INFINITY;
    for (int c = 0; c < (s->channels == 4 ? 3 : 1); c++) {
        out->low = fmin(out->low, channel[c].min); // NaN where nothing is finite
        out->high = fmax(out->high, channel[c].max);
    }
    return LG_OK;
}

lg_status lg_label_pictures_open(lg_session *session, lg_input_file *file, lg_label_job *job,
                                 lg_label_run *run, lg_label_pictures *out, lg_error *error)
{
    lg_status status = LG_OK;
    if (session->options->overlay && file->info.cmyk)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--overlay draws over grey and RGB, and this is CMYK");
    if (session->options->overlay)
        status = find_colors(session, file, &out->colors, error);
    out->height = file->region.height;
    for (int i = 0; i < LG_LABEL_OUTPUTS && !status; i++) {
        lg_outputs *output = &job->outputs[i];
        char *path = run->path[i];
        if (!output->asked)
            continue;
        status = lg_outputs_name(output, file,
                                 lg_label_extension(i, file->image->shape.layers > 1, out->count),
                                 path, PATH_MAX, error);
        const bool leads = lg_team_leads(session->options);
        if (!status && leads)
            status = lg_session_check_output(session, path, error);
        if (!status && leads)
            status = open_one(file, i, path, output->options, out, error);
        status = lg_team_share(session->options->team, &out->writer[i], i, file, status, error);
        if (!status && i == LG_LABEL_OVERLAY)
            status =
                lg_band_overlay_create(out->writer[i].rows, &out->colors, &out->overlay, error);
        if (status)
            lg_blame(error, "output", path);
    }
    return status;
}

static void renumber(lg_labels *labels, const uint32_t *map, uint32_t count)
{
    for (int32_t y = 0; y < labels->height; y++) {
        uint32_t *row = labels->data + (size_t)y * (labels->row_stride / sizeof *row);
        for (int32_t x = 0; x < labels->width; x++)
            row[x] = map[row[x]];
    }
    labels->count = count;
}

static lg_status write_colors(lg_context *context, lg_row_writer *writer, lg_labels *labels,
                              lg_error *error)
{
    lg_image *picture = NULL;
    lg_status status = lg_labels_colors(context, labels, &picture, error);
    if (!status)
        status = lg_row_writer_write(writer, picture, error);
    lg_image_destroy(&picture);
    return status;
}

static lg_status at_row(lg_label_pictures *p, int64_t y, lg_error *error)
{
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (p->writer[i].rows && lg_team_at(&p->writer[i], y, error))
            return lg_blame(error, "output", p->run->path[i]);
    return LG_OK;
}

static lg_status wrote(lg_label_pictures *p, int64_t end, lg_error *error)
{
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (p->writer[i].rows && lg_team_wrote(p->team, &p->writer[i], end, error))
            return lg_blame(error, "output", p->run->path[i]);
    return LG_OK;
}

lg_status lg_label_pictures_write(lg_context *context, lg_label_pictures *p, lg_labels *labels,
                                  int64_t y, const lg_image *band, lg_error *error)
{
    lg_status status = at_row(p, y, error);
    lg_row_writer *const plain = p->writer[LG_LABEL_LABELS].rows;
    lg_row_writer *const colors = p->writer[LG_LABEL_COLORS].rows;
    if (status)
        return status;
    if (p->map)
        renumber(labels, p->map, p->count);
    if (plain && lg_row_writer_write_labels(plain, labels, error))
        return lg_blame(error, "output", p->run->path[LG_LABEL_LABELS]);
    if (colors)
        status = write_colors(context, colors, labels, error);
    if (status)
        return lg_blame(error, "output", p->run->path[LG_LABEL_COLORS]);
    if (p->overlay && lg_band_overlay_add(context, p->overlay, labels, band, error))
        return lg_blame(error, "output", p->run->path[LG_LABEL_OVERLAY]);
    const bool last = y + band->shape.height == p->height; // of a layer
    if (p->overlay && last && lg_band_overlay_end(context, p->overlay, error))
        return lg_blame(error, "output", p->run->path[LG_LABEL_OVERLAY]);
    return wrote(p, y + band->shape.height, error);
}

lg_status lg_label_pictures_close(lg_session *session, lg_label_pictures *p, lg_error *error)
{
    lg_team *team = session->options->team;
    if (p->overlay && lg_band_overlay_end(session->context, p->overlay, error))
        return lg_blame(error, "output", p->run->path[LG_LABEL_OVERLAY]);
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (p->writer[i].rows && lg_team_close(team, &p->writer[i], LG_OK, error))
            return lg_blame(error, "output", p->run->path[i]);
    return LG_OK;
}

void lg_label_pictures_discard(lg_label_pictures *p)
{
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        lg_team_discard(&p->writer[i]);
    lg_band_overlay_free(p->overlay);
    p->overlay = NULL;
}
