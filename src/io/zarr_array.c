// What the metadata of Zarr 2 and OME-Zarr say: types, axes, levels.
#include "io/zarr.h"

#ifdef LG_HAVE_JANSSON

#include "io/layer_axes.h"
#include "io/tile_codec.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES  ((size_t)4 << 20) // of metadata
#define CHUNK_BYTES ((int64_t)1 << 30)

static lg_status fail(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_DATA, "damaged Zarr: %s", what);
}

// ---- texts ----------------------------------------------------------------------------------------

#define LONG_DIGITS 18 // a number of more may be none that jansson holds

// Such a fill value, of unsigned integers of 64 bits, becomes a text, for which there is room.
static size_t quote_fill(char *text, size_t size)
{
    static const char key[] = "\"fill_value\"";
    char *at = strstr(text, key);
    if (!at)
        return size;
    at += sizeof key - 1;
    at += strspn(at, " \t\r\n:");
    const size_t digits = strspn(at, "0123456789");
    if (digits <= LONG_DIGITS)
        return size;
    memmove(at + digits + 2, at + digits, size - (size_t)(at + digits - text));
    memmove(at + 1, at, digits);
    at[0] = at[digits + 1] = '"';
    return size + 2;
}

static lg_status parse(const char *name, char *text, size_t size, json_t **out, lg_error *error)
{
    json_error_t why;
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!*out && strstr(why.text, "too big"))
        *out = json_loadb(text, quote_fill(text, size), JSON_REJECT_DUPLICATES, &why);
    if (*out && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
    }
    return *out ? LG_OK : lg_fail(error, LG_ERROR_DATA, "damaged Zarr: %s is no JSON object", name);
}

static lg_status parse_input(lg_input *input, const char *name, json_t **out, lg_error *error)
{
    if (input->size < 0 || input->size > (int64_t)TEXT_BYTES)
        return lg_fail(error, LG_ERROR_DATA, "damaged Zarr: %s has more than 4 MiB", name);
    char *text = lg_alloc((size_t)input->size + 3); // for quote_fill()
    if (!text)
        return lg_fail_memory(error, (size_t)input->size, "metadata");
    const size_t size = lg_input_read(input, text, (size_t)input->size);
    const lg_status status = input->failure ? lg_input_short(input, "the metadata", error)
                                            : parse(name, text, size, out, error);
    lg_free(text);
    return status;
}

// *out NULL: there is no such file.
static lg_status parse_file(int folder, const char *name, json_t **out, lg_error *error)
{
    *out = NULL;
    lg_input *input = lg_alloc(sizeof *input);
    if (!input)
        return lg_fail_memory(error, sizeof *input, "a read buffer");
    lg_status status = lg_zarr_open_file(folder, name, &input->fd, &input->size, error);
    if (!status && input->fd >= 0) {
        input->owned = true;
        status = parse_input(input, name, out, error);
        lg_input_close(input);
    }
    lg_free(input);
    return status;
}

// ---- arrays ---------------------------------------------------------------------------------------

static lg_status read_type(const json_t *array, lg_zarr_source *s, lg_error *error)
{
    static const struct {
        const char *name;
        size_t size;
        lg_type type;
        lg_foreign foreign;
    } types[] = {{"u1", 1, LG_U8, LG_FOREIGN_NONE},  {"u2", 2, LG_U16, LG_FOREIGN_NONE},
                 {"f2", 2, LG_F16, LG_FOREIGN_NONE}, {"f4", 4, LG_F32, LG_FOREIGN_NONE},
                 {"b1", 1, LG_U8, LG_FOREIGN_NONE},  {"i1", 1, LG_F32, LG_FOREIGN_I8},
                 {"i2", 2, LG_F32, LG_FOREIGN_I16},  {"i4", 4, LG_F32, LG_FOREIGN_I32},
                 {"i8", 8, LG_F32, LG_FOREIGN_I64},  {"u4", 4, LG_F32, LG_FOREIGN_U32},
                 {"u8", 8, LG_F32, LG_FOREIGN_U64},  {"f8", 8, LG_F32, LG_FOREIGN_F64}};
    const char *name = json_string_value(json_object_get(array, "dtype"));
    for (size_t i = 0; name && strchr("<>|", *name) && i < LG_COUNT(types); i++)
        if (*name && strcmp(name + 1, types[i].name) == 0) {
            s->shape.type = types[i].type;
            s->foreign = types[i].foreign;
            s->sample = types[i].size;
            s->swap = s->sample > 1 && (*name == '>') == lg_host_is_little();
            return LG_OK;
        }
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "Zarr of type %.20s; integers and floats of up to 64 bits can be read",
                   name ? name : "that is no number");
}

static lg_status read_compressor(const json_t *array, lg_zarr_source *s, lg_error *error)
{
    const json_t *packed = json_object_get(array, "compressor");
    const json_t *filters = json_object_get(array, "filters");
    const char *order = json_string_value(json_object_get(array, "order"));
    const char *name = json_string_value(json_object_get(packed, "id"));
    if (filters && !json_is_null(filters) && json_array_size(filters) > 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "Zarr with filters cannot be read");
    if (order && strcmp(order, "C") != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "Zarr in the order of Fortran cannot be read; zarr-python stores it anew "
                       "with order='C'");
    if (!packed || json_is_null(packed))
        return LG_OK;
    if (!name || (strcmp(name, "zlib") != 0 && strcmp(name, "zstd") != 0))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "Zarr with the compressor %.20s is not read; zlib, zstd and none are: store "
                       "it again with zarr-python, compressor=None",
                       name ? name : "without a name");
    s->packed = true;
    return lg_tile_codec_scheme(name, &s->scheme, error);
}

// ---- the fill value -------------------------------------------------------------------------------

static bool real_of(const json_t *value, double *out)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    *out = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    if (!text)
        return json_is_number(value) || json_is_boolean(value);
    if (strcmp(text, "NaN") == 0)
        *out = NAN;
    else if (strcmp(text, "Infinity") == 0)
        *out = INFINITY;
    else if (strcmp(text, "-Infinity") == 0)
        *out = -INFINITY;
    else
        *out = (double)strtoull(text, &end, 10); // quote_fill()
    return !end || (!*end && end - text > LONG_DIGITS);
}

static bool put_float(double real, lg_zarr_source *s)
{
    const float single = (float)real;
    const uint16_t half = lg_float_to_half(single);
    const bool fits = s->sample == 8   ? true
                      : s->sample == 4 ? isfinite(single) != 0
                                       : (half & 0x7c00) != 0x7c00;
    if (s->sample == 8)
        memcpy(s->fill, &real, 8);
    else if (s->sample == 4)
        memcpy(s->fill, &single, 4);
    else
        memcpy(s->fill, &half, 2);
    return fits || !isfinite(real);
}

static bool put_integer(const json_t *value, double real, bool negative, lg_zarr_source *s)
{
    const int bits = 8 * (int)s->sample;
    const char *text = json_string_value(value);
    uint64_t whole = 0;
    errno = 0;
    if (text && *text >= '0' && *text <= '9')
        whole = strtoull(text, NULL, 10);
    else if (json_is_integer(value))
        whole = (uint64_t)json_integer_value(value);
    else if (real == floor(real) && fabs(real) < 0x1p53)
        whole = (uint64_t)(int64_t)real;
    else
        return false;
    memcpy(s->fill, (const uint8_t *)&whole + (lg_host_is_little() ? 0 : 8 - s->sample), s->sample);
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    if (negative)
        return !text && (int64_t)whole <= most && (int64_t)whole >= -most - 1;
    return errno == 0 && (text || real >= 0) && whole <= UINT64_MAX >> (64 - bits);
}

// As a sample of the array, in the order of the host.
static lg_status read_fill(const json_t *array, lg_zarr_source *s, lg_error *error)
{
    const json_t *value = json_object_get(array, "fill_value");
    const bool floats = s->shape.type == LG_F16 || s->foreign == LG_FOREIGN_F64 ||
                        (s->shape.type == LG_F32 && s->foreign == LG_FOREIGN_NONE);
    const bool negative = s->foreign >= LG_FOREIGN_I8 && s->foreign <= LG_FOREIGN_I64;
    double real = 0;
    if (!value || json_is_null(value))
        return LG_OK;
    if (real_of(value, &real) &&
        (floats ? put_float(real, s) : put_integer(value, real, negative, s)))
        return LG_OK;
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    const lg_status status =
        lg_fail(error, LG_ERROR_DATA, "damaged Zarr: the fill value %.60s does not fit type %.20s",
                text ? text : "", json_string_value(json_object_get(array, "dtype")));
    free(text);
    return status;
}

static lg_status read_sizes(const json_t *array, lg_zarr_source *s, lg_error *error)
{
    const json_t *shape = json_object_get(array, "shape"),
                 *chunks = json_object_get(array, "chunks");
    const char *separator = json_string_value(json_object_get(array, "dimension_separator"));
    const size_t count = json_array_size(shape);
    int64_t samples = 1;
    if (count != json_array_size(chunks) || count == 0)
        return fail(error, "shape and chunks do not fit");
    if (count < 2 || count > LG_ZARR_DIMS)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "Zarr of %zu axes; 2 to %d can be read", count,
                       LG_ZARR_DIMS);
    for (int i = (int)count - 1; i >= 0; i--) {
        lg_zarr_dim *d = &s->dim[i];
        d->size = json_integer_value(json_array_get(shape, (size_t)i));
        d->chunk = json_integer_value(json_array_get(chunks, (size_t)i));
        d->inner = samples;
        if (d->size < 1 || d->chunk < 1 || d->size > (int64_t)1 << 40)
            return fail(error, "an axis or a chunk without samples");
        if (d->chunk > CHUNK_BYTES / (samples * (int64_t)s->sample))
            return lg_fail(error, LG_ERROR_LIMIT, "chunks of Zarr of more than %lld bytes",
                           (long long)CHUNK_BYTES);
        samples *= d->chunk;
    }
    s->count = (int)count;
    s->chunk_bytes = (size_t)samples * s->sample;
    s->separator = separator && *separator == '/' ? '/' : '.';
    return LG_OK;
}

// ---- axes -----------------------------------------------------------------------------------------

static double unit_of(const char *name)
{
    static const struct {
        const char *name;
        double micrometers;
    } units[] = {{"micrometer", 1},   {"nanometer", 1e-3}, {"millimeter", 1e3},
                 {"centimeter", 1e4}, {"meter", 1e6},      {"angstrom", 1e-4}};
    for (size_t i = 0; name && i < LG_COUNT(units); i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].micrometers;
    return 0;
}

// In reports of all kinds.
static bool is_printable(char letter)
{
    return letter > ' ' && letter < 127;
}

// Until 0.3 of OME-Zarr axes had no names, or were names alone. false: these are not those of the array.
static bool read_names(const json_t *scales, const json_t *dataset, lg_zarr_source *s)
{
    static const char old[] = "tczyx";
    const json_t *axes = json_object_get(scales, "axes");
    const json_t *scale = json_object_get(
        json_array_get(json_object_get(dataset, "coordinateTransformations"), 0), "scale");
    if (axes ? json_array_size(axes) != (size_t)s->count : s->count != 5)
        return false;
    for (int i = 0; i < s->count; i++) {
        const json_t *axis = json_array_get(axes, (size_t)i);
        const char *name =
            json_string_value(json_is_string(axis) ? axis : json_object_get(axis, "name"));
        const double unit = unit_of(json_string_value(json_object_get(axis, "unit")));
        const char letter = name ? *name : axes ? '?' : old[i];
        const double step = json_number_value(json_array_get(scale, (size_t)i)) * unit;
        s->dim[i].name = (char)(letter >= 'a' && letter <= 'z'    ? letter - 'a' + 'A'
                                : letter && !is_printable(letter) ? '?'
                                                                  : letter);
        s->dim[i].step = step > 0 && step < 1e15 ? step : 0;
    }
    return s->dim[s->count - 2].name == 'Y' && s->dim[s->count - 1].name == 'X';
}

// As of NPY: the last of three or four axes may be channels.
static void guess_axes(lg_zarr_source *s)
{
    const bool color = (s->count == 3 || s->count == 4) && s->dim[s->count - 1].size <= 4;
    for (int i = 0; i < s->count; i++)
        s->dim[i].name = 0;
    s->color = color ? s->count - 1 : -1;
    s->y = s->count - 2 - color;
    s->x = s->count - 1 - color;
    s->channels = color ? (int32_t)s->dim[s->color].size : 1;
    s->shape.alpha = LG_ALPHA_STRAIGHT;
}

static void take_axes(const json_t *attributes, lg_zarr_source *s)
{
    const json_t *own = json_object_get(attributes, "lumagraph");
    const char *alpha = json_string_value(json_object_get(own, "alpha"));
    const json_int_t channels = json_integer_value(json_object_get(own, "channels"));
    s->y = s->count - 2;
    s->x = s->count - 1;
    s->color = -1;
    s->channels = 1;
    for (int i = 0; i < s->count - 2; i++)
        if (s->dim[i].name == 'C' && channels > 1 && channels <= 4 &&
            s->dim[i].size % channels == 0) {
            s->color = i;
            s->channels = (int32_t)channels;
        }
    s->shape.alpha = !alpha                                ? LG_ALPHA_NONE
                     : strcmp(alpha, "straight") == 0      ? LG_ALPHA_STRAIGHT
                     : strcmp(alpha, "premultiplied") == 0 ? LG_ALPHA_PREMULTIPLIED
                                                           : LG_ALPHA_NONE;
}

static lg_status take_shape(lg_zarr_source *s, const lg_read_params *params, lg_read_info *info,
                            lg_error *error)
{
    int64_t layers = 1;
    for (int i = s->count - 1; i >= 0; i--) {
        const int64_t some = i == s->color ? s->dim[i].size / s->channels : s->dim[i].size;
        if (i == s->y || i == s->x || some == 1)
            continue;
        if (some > INT32_MAX / layers)
            return lg_fail(error, LG_ERROR_LIMIT, "Zarr of too many layers");
        s->dim[i].stride = layers;
        layers *= some;
    }
    const lg_status status =
        lg_read_check(params, s->dim[s->x].size, s->dim[s->y].size, layers, error);
    if (status)
        return status;
    for (int i = 0; i < s->count; i++)
        if (s->dim[i].stride && s->dim[i].name)
            lg_axes_add(info, s->dim[i].name,
                        (int32_t)(i == s->color ? s->dim[i].size / s->channels : s->dim[i].size));
    info->pixel_size[0] = s->dim[s->x].step;
    info->pixel_size[1] = s->dim[s->y].step;
    for (int i = 0; i < s->count; i++)
        if (s->dim[i].name == 'Z')
            info->pixel_size[2] = s->dim[i].step;
    s->shape.width = (int32_t)s->dim[s->x].size;
    s->shape.height = (int32_t)s->dim[s->y].size;
    s->shape.layers = (int32_t)layers;
    s->shape.channels = s->channels == 3 ? 4 : s->channels;
    if (s->channels == 1 || s->channels == 3)
        s->shape.alpha = s->channels == 3 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
    snprintf(info->format, sizeof info->format, "zarr");
    return LG_OK;
}

// ---- folders --------------------------------------------------------------------------------------

static lg_status read_array(const json_t *array, const json_t *attributes, const json_t *dataset,
                            const lg_read_params *params, lg_zarr_source *s, lg_read_info *info,
                            lg_error *error)
{
    lg_status status = read_type(array, s, error);
    if (!status)
        status = read_compressor(array, s, error);
    if (!status)
        status = read_sizes(array, s, error);
    if (!status)
        status = read_fill(array, s, error);
    if (status)
        return status;
    if (dataset &&
        read_names(json_array_get(json_object_get(attributes, "multiscales"), 0), dataset, s))
        take_axes(attributes, s);
    else
        guess_axes(s);
    return take_shape(s, params, info, error);
}

static const json_t *find_dataset(const json_t *attributes, const char *name)
{
    const json_t *sets =
        json_object_get(json_array_get(json_object_get(attributes, "multiscales"), 0), "datasets");
    for (size_t i = 0; i < json_array_size(sets); i++) {
        const json_t *one = json_array_get(sets, i);
        const char *path = json_string_value(json_object_get(one, "path"));
        if (path && (!name || strcmp(path, name) == 0))
            return one;
    }
    return NULL;
}

// One level: its array is below the folder that has the attributes.
static lg_status find_level(lg_input *input, const char *path, const json_t *attributes,
                            const lg_read_params *params, lg_zarr_source *s, lg_read_info *info,
                            lg_error *error)
{
    const json_t *dataset = find_dataset(attributes, NULL);
    const char *name = json_string_value(json_object_get(dataset, "path"));
    json_t *array = NULL;
    if (!dataset)
        return lg_zarr_fail_group(path, error);
    if (!*name || *name == '/' || strstr(name, ".."))
        return fail(error, "the path of a level leads elsewhere");
    lg_status status = lg_zarr_folder_open(input->folder_fd, name, path, &s->folder, error);
    if (!status)
        status = parse_file(s->folder.fd, ".zarray", &array, error);
    if (!status)
        status = array ? read_array(array, attributes, dataset, params, s, info, error)
                       : fail(error, "its first level is not there");
    json_decref(array);
    return status;
}

// The attributes of the group that an array is in, and what the array is called there.
static lg_status read_above(const char *path, json_t **out, char name[LG_ZARR_PATH],
                            lg_error *error)
{
    char *real = realpath(path, NULL);
    if (!real)
        return lg_fail_read(error, errno);
    char above[LG_ZARR_PATH];
    const char *slash = strrchr(real, '/');
    const size_t length = slash ? (size_t)(slash - real) : 0;
    if (length + sizeof "/.zattrs" > sizeof above) {
        free(real);
        return fail(error, "a name is too long");
    }
    snprintf(above, sizeof above, "%.*s/.zattrs", (int)length, real);
    snprintf(name, LG_ZARR_PATH, "%s", slash ? slash + 1 : real);
    free(real);
    return parse_file(AT_FDCWD, above, out, error);
}

// An array by its own name: what is above it may say what its axes are.
static lg_status find_array(lg_input *input, const char *path, const json_t *array,
                            const lg_read_params *params, lg_zarr_source *s, lg_read_info *info,
                            lg_error *error)
{
    char name[LG_ZARR_PATH] = "";
    json_t *attributes = NULL;
    lg_status status = lg_zarr_folder_open(input->folder_fd, "", path, &s->folder, error);
    if (!status)
        status = read_above(path, &attributes, name, error);
    if (!status)
        status =
            read_array(array, attributes, find_dataset(attributes, name), params, s, info, error);
    json_decref(attributes);
    return status;
}

lg_status lg_zarr_find(lg_input *input, const char *path, const lg_read_params *params,
                       lg_zarr_source *out, lg_read_info *info, lg_error *error)
{
    json_t *text = NULL;
    *out = (lg_zarr_source){.separator = '.'};
    lg_status status = parse_input(input, "its metadata", &text, error);
    if (!status && json_integer_value(json_object_get(text, "zarr_format")) == 3)
        status = lg_fail(error, LG_ERROR_UNSUPPORTED,
                         "Zarr 3 cannot be read; zarr-python stores it anew as Zarr 2");
    if (!status)
        status = (json_object_get(text, "shape") ? find_array : find_level)(
            input, path, text, params, out, info, error);
    json_decref(text);
    return status;
}

#else

lg_status lg_zarr_find(lg_input *input, const char *path, const lg_read_params *params,
                       lg_zarr_source *out, lg_read_info *info, lg_error *error)
{
    (void)input, (void)path, (void)params, (void)out, (void)info;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "this build reads no Zarr, whose metadata is JSON; build with libjansson");
}

#endif
