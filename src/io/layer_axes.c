#include "io/layer_axes.h"

#include <string.h>

static int axis_count(const lg_read_info *info)
{
    int count = 0;
    while (count < LG_LAYER_AXES && info->axes[count].name)
        count++;
    return count;
}

static void find_mixed(lg_read_info *info)
{
    info->mixed = false;
    for (int i = 0; i < axis_count(info); i++)
        info->mixed |= info->axes[i].name == 'C' || info->axes[i].name == 'T';
}

void lg_axes_add(lg_read_info *info, char name, int32_t size)
{
    const int count = axis_count(info);
    if (size > 1 && count < LG_LAYER_AXES)
        info->axes[count] = (lg_layer_axis){name, size};
    info->mixed |= size > 1 && (name == 'C' || name == 'T');
}

// The caller's axes in place of the file's. One size may be left open.
static lg_status declare(const lg_layer_choice *choice, int32_t layers, lg_read_info *info,
                         lg_error *error)
{
    int64_t product = 1;
    int32_t open = 0;
    for (int i = 0; i < LG_LAYER_AXES && choice->axes[i].name; i++) {
        open += choice->axes[i].size == 0;
        if (choice->axes[i].size > 0 && product <= INT32_MAX)
            product *= choice->axes[i].size;
    }
    if (open > 1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "several axes without a size; one may be open");
    if (open ? layers % product != 0 : layers != product)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the axes that are stated have %s%lld layers, and there are %d",
                       open ? "a multiple of " : "", (long long)product, layers);
    memset(info->axes, 0, sizeof info->axes);
    for (int i = 0; i < LG_LAYER_AXES && choice->axes[i].name; i++)
        lg_axes_add(info, choice->axes[i].name,
                    choice->axes[i].size ? choice->axes[i].size : (int32_t)(layers / product));
    find_mixed(info);
    return LG_OK;
}

// Where the axes are known, one that is not among them has one layer.
static lg_status check_index(const lg_read_info *info, bool known, char name, const char *word,
                             int32_t index, lg_error *error)
{
    int32_t size = known;
    for (int i = 0; i < axis_count(info); i++)
        if (info->axes[i].name == name)
            size = info->axes[i].size;
    if (index < 0 || index < size)
        return LG_OK;
    if (size == 1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no %s %d; there is one %s, 0", word,
                       index, word);
    if (size)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no %s %d; there are %ss 0 to %d", word,
                       index, word, size - 1);
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "nothing says that its layers are %ss; --axes says what they are, as in "
                   "--axes z,c=2, where each slice has two layers, one for each channel",
                   word);
}

// The index that is wanted along an axis, -1: all of them.
static int32_t wanted(const lg_layer_choice *choice, char name)
{
    return name == 'C' ? choice->channel : name == 'T' ? choice->time : -1;
}

static bool takes(const lg_layer_choice *choice, const lg_read_info *info, int32_t layer)
{
    for (int i = axis_count(info) - 1; i >= 0; i--) {
        const int32_t index = layer % info->axes[i].size, only = wanted(choice, info->axes[i].name);
        if (only >= 0 && only != index)
            return false;
        layer /= info->axes[i].size;
    }
    return true;
}

static void drop_chosen(const lg_layer_choice *choice, lg_read_info *info)
{
    lg_layer_axis left[LG_LAYER_AXES] = {{0}};
    int count = 0;
    for (int i = 0; i < axis_count(info); i++)
        if (wanted(choice, info->axes[i].name) < 0)
            left[count++] = info->axes[i];
    memcpy(info->axes, left, sizeof left);
    find_mixed(info);
}

lg_status lg_layers_choose(const lg_layer_choice *choice, int32_t layers, lg_read_info *info,
                           int32_t *taken, int32_t *count, lg_error *error)
{
    static const lg_layer_choice all = {.channel = -1, .time = -1};
    const lg_layer_choice *c = choice ? choice : &all;
    lg_status status = c->axes[0].name ? declare(c, layers, info, error) : LG_OK;
    const bool known = layers == 1 || info->axes[0].name || c->axes[0].name;
    if (!status)
        status = check_index(info, known, 'C', "channel", c->channel, error);
    if (!status)
        status = check_index(info, known, 'T', "time", c->time, error);
    *count = 0;
    for (int32_t i = 0; i < layers && !status; i++)
        if (takes(c, info, i))
            taken[(*count)++] = i;
    if (!status && (c->channel >= 0 || c->time >= 0))
        drop_chosen(c, info);
    return status;
}

lg_status lg_layers_keep(lg_context *context, const lg_layer_choice *choice, lg_image **image,
                         lg_read_info *info, lg_error *error)
{
    lg_image_params shape = (*image)->shape;
    int32_t count;
    lg_image *kept = NULL;
    if (!choice)
        return LG_OK;
    int32_t *taken = lg_alloc_array((size_t)shape.layers, sizeof *taken);
    if (!taken)
        return lg_fail_memory(error, (size_t)shape.layers * sizeof *taken, "a list of layers");
    lg_status status = lg_layers_choose(choice, shape.layers, info, taken, &count, error);
    if (!status && count < shape.layers) {
        shape.layers = count;
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create(context, &shape, &kept, error);
        const size_t bytes =
            (size_t)shape.width * (size_t)shape.channels * lg_type_size(shape.type);
        for (int32_t i = 0; i < count && !status; i++)
            for (int64_t y = 0; y < shape.height; y++)
                memcpy(lg_image_row(kept, i, y), lg_image_row(*image, taken[i], y), bytes);
    }
    lg_free(taken);
    if (kept) {
        lg_image_destroy(image);
        *image = kept;
    }
    return status;
}
