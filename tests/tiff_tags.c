// What TIFF files say beside their samples: which images are layers, what layers are, resolution
// and descriptions on their way through a program.
#include "check.h"
#include "io/metadata.h"
#include "tiff_bytes.h"
#include <lumagraph/io.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LG_HAVE_TIFF

static lg_context *context;
static char source[] = "/tmp/lumagraph-tags-XXXXXX", written[sizeof source + 4];
static uint64_t raw[4096];

static const tiff_layout page = {
    .width = 8, .height = 6, .samples = 1, .bits = 16, .format = 1, .photometric = 1, .extra = -1};

static void save(const tiff_bytes *file)
{
    unlink(source);
    FILE *out = fopen(source, "wb");
    CHECK(out && fwrite(file->data, 1, file->size, out) == file->size && fclose(out) == 0,
          "cannot write %s", source);
}

// Reads the file that was saved; the metadata are the caller's.
static lg_status read_source(int32_t number, lg_image **out, lg_read_info *info, lg_error *error)
{
    const lg_read_params params = {
        .max_pixels = 1 << 20, .max_side = 4096, .page = number, .metadata = true};
    *out = NULL;
    *info = (lg_read_info){0};
    *error = (lg_error){0};
    return lg_image_read(context, source, &params, out, info, error);
}

static tiff_tag text_tag(const char *text)
{
    return (tiff_tag){270, TIFF_ASCII, (uint32_t)strlen(text) + 1, NULL, text};
}

// So many pages; the first one has the tags.
static void save_pages(int count, const tiff_tag *tags, int tag_count)
{
    tiff_bytes file;
    tiff_layout first = page;
    first.tags = tags, first.tag_count = tag_count;
    tiff_start(&file, false, false);
    for (int i = 0; i < count; i++) {
        raw[0] = (uint64_t)i + 1;
        tiff_add(&file, i == 0 ? &first : &page, raw);
    }
    save(&file);
    tiff_free(&file);
}

// ---- what the layers are ------------------------------------------------------------------------

static void check_axes(const char *text, int layers, const char *expected, bool mixed)
{
    const tiff_tag tag = text_tag(text);
    char found[64] = "";
    lg_image *image;
    lg_read_info info;
    lg_error error;
    save_pages(layers, &tag, 1);
    CHECK(read_source(-1, &image, &info, &error) == LG_OK, "%s: %s", text, error.message);
    for (int i = 0; i < LG_LAYER_AXES && info.axes[i].name; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%c%d", info.axes[i].name,
                 info.axes[i].size);
    CHECK(strcmp(found, expected) == 0 && info.mixed == mixed, "%s: %s, mixed %d", text, found,
          info.mixed);
    lg_image_destroy(&image);
    lg_metadata_destroy(&info.metadata);
}

#define OME(attributes)                                                                            \
    "<?xml version=\"1.0\"?><OME xmlns=\"x\"><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" "       \
    "Type=\"uint16\" " attributes "><TiffData/></Pixels></Image></OME>"
#define SIZES "SizeX=\"8\" SizeY=\"6\" "

static void axes(void)
{
    check_axes(OME("DimensionOrder=\"XYCZT\" " SIZES "SizeC=\"2\" SizeZ=\"3\" SizeT=\"1\""), 6,
               "Z3C2", true);
    check_axes(OME("DimensionOrder=\"XYZCT\" " SIZES "SizeC=\"2\" SizeZ=\"3\" SizeT=\"1\""), 6,
               "C2Z3", true);
    check_axes(OME("DimensionOrder=\"XYZCT\" " SIZES "SizeC=\"1\" SizeZ=\"6\" SizeT=\"1\""), 6,
               "Z6", false);
    check_axes(OME("DimensionOrder=\"XYZCT\" " SIZES "SizeC=\"1\" SizeZ=\"1\" SizeT=\"6\""), 6,
               "T6", true);
    // A part of what is described: that channels are among the layers still holds.
    check_axes(OME("DimensionOrder=\"XYZCT\" " SIZES "SizeC=\"2\" SizeZ=\"9\" SizeT=\"1\""), 6, "",
               true);
    check_axes("ImageJ=1.53\nimages=6\nchannels=2\nslices=3\nhyperstack=true\n", 6, "Z3C2", true);
    check_axes("ImageJ=1.53\nimages=6\nslices=6\n", 6, "Z6", false);
    check_axes("ImageJ=1.53\nimages=6\nframes=6\n", 6, "T6", true);
    check_axes("{\"shape\": [2, 3, 6, 8], \"axes\": \"TZYX\"}", 6, "T2Z3", true);
    check_axes("{\"shape\": [6, 6, 8]}", 6, "", false);
    check_axes("a photograph of channels=2", 6, "", false);
    check_axes("<OME <Pixels ", 6, "", false);
    check_axes("<OME <Pixels SizeC=\"99999999999999999999\" SizeT=\"-4\">", 6, "", false);
    check_axes("ImageJ=1.53\nslices=0\nchannels=-3\n", 6, "", false);
    check_axes("{\"shape\": [\"axes\": \"Z", 6, "", false);
}

// Layers that are read: their first samples, which count pages from 1. `axes`: "z,c2" ...
static void check_choice(const char *text, int layers, const char *axes_text, int channel, int time,
                         const char *expected, const char *words)
{
    const tiff_tag tag = text_tag(text);
    char found[64] = "";
    lg_layer_choice choice = {.channel = channel, .time = time};
    const lg_read_params params = {
        .max_pixels = 1 << 20, .max_side = 4096, .page = -1, .metadata = true, .layers = &choice};
    lg_image *image = NULL;
    lg_read_info info = {0};
    lg_error error = {0};
    for (int i = 0; *axes_text; i++) {
        choice.axes[i].name = *axes_text++;
        choice.axes[i].size = (int32_t)strtol(axes_text, (char **)&axes_text, 10);
    }
    save_pages(layers, &tag, 1);
    const lg_status status = lg_image_read(context, source, &params, &image, &info, &error);
    for (int32_t i = 0; image && i < image->shape.layers; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%d",
                 *(const uint16_t *)((const uint8_t *)image->data +
                                     (size_t)i * image->shape.layer_stride));
    for (int i = 0; image && i < LG_LAYER_AXES && info.axes[i].name; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), " %c%d", info.axes[i].name,
                 info.axes[i].size);
    CHECK(expected ? status == LG_OK && strcmp(found, expected) == 0
                   : status == LG_ERROR_ARGUMENT && strstr(error.message, words),
          "%s, channel %d, time %d: '%s' %s", text, channel, time, found, error.message);
    if (image && image->shape.layers < layers) // no description of all of them
        CHECK(info.metadata && info.metadata->shape.layers == layers, "what is described");
    lg_image_destroy(&image);
    lg_metadata_destroy(&info.metadata);
}

static void choices(void)
{
    static const char z3c2[] = "ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n";
    static const char t2z3[] = "{\"shape\": [2, 3, 6, 8], \"axes\": \"TZYX\"}";
    check_choice(z3c2, 6, "", -1, -1, "123456 Z3 C2", NULL);
    check_choice(z3c2, 6, "", 0, -1, "135 Z3", NULL);
    check_choice(z3c2, 6, "", 1, -1, "246 Z3", NULL);
    check_choice(z3c2, 6, "", 2, -1, NULL, "there is no channel 2; there are channels 0 to 1");
    check_choice(z3c2, 6, "", -1, 0, "123456 Z3 C2", NULL);
    check_choice(z3c2, 6, "", -1, 1, NULL, "there is no time 1; there is one time, 0");
    check_choice("", 6, "", -1, 0, NULL, "nothing says that its layers are times");
    check_choice(t2z3, 6, "", -1, 1, "456 Z3", NULL);
    check_choice(z3c2, 6, "C0Z3", 1, -1, "456 Z3", NULL); // the file is wrong
    check_choice("", 6, "T3C2", 1, 2, "6", NULL);
    check_choice("", 6, "T0C2", 0, -1, "135 T3", NULL);
    check_choice("", 6, "", 0, -1, NULL, "--axes");
    check_choice("", 6, "Z4C2", 0, -1, NULL, "have 8 layers, and there are 6");
    check_choice("", 6, "Z0C4", 0, -1, NULL, "a multiple of 4 layers");
    check_choice("", 6, "Z0C0", 0, -1, NULL, "several axes without a size");
}

static void check_pixel_size(const char *text, const double expected[3])
{
    static const uint64_t five[] = {5, 1}, four[] = {4, 1};
    const tiff_tag tags[] = {
        text_tag(text), {282, TIFF_RATIONAL, 1, five, NULL}, {283, TIFF_RATIONAL, 1, four, NULL}};
    lg_image *image;
    lg_read_info info;
    lg_error error;
    save_pages(2, tags, 3);
    CHECK(read_source(-1, &image, &info, &error) == LG_OK, "%s: %s", text, error.message);
    for (int i = 0; i < 3; i++)
        CHECK(info.pixel_size[i] == expected[i], "%s: %g along %d", text, info.pixel_size[i], i);
    lg_image_destroy(&image);
    lg_metadata_destroy(&info.metadata);
}

static void pixel_sizes(void)
{
#define IMAGEJ(lines) "ImageJ=1.53\nimages=2\nslices=2\n" lines
    check_pixel_size(OME("PhysicalSizeX=\"0.2\" PhysicalSizeY=\"0.25\" PhysicalSizeZ=\"1.5\""),
                     (double[]){0.2, 0.25, 1.5});
    check_pixel_size(OME("PhysicalSizeX=\"200\" PhysicalSizeXUnit=\"nm\" PhysicalSizeY=\"2\" "
                         "PhysicalSizeYUnit=\"\xc2\xb5m\" PhysicalSizeZ=\"2\" "
                         "PhysicalSizeZUnit='mm'"),
                     (double[]){200 * 1e-3, 2, 2000});
    check_pixel_size(OME("PhysicalSizeX=\"2\" PhysicalSizeXUnit=\"pixel\" PhysicalSizeY=\"-1\" "
                         "PhysicalSizeZ=\"nan\""),
                     (double[]){0, 0, 0});
    check_pixel_size(OME(SIZES), (double[]){0, 0, 0});
    check_pixel_size(IMAGEJ("unit=um\nspacing=1.5\n"), (double[]){0.2, 0.25, 1.5});
    check_pixel_size(IMAGEJ("unit=micron\n"), (double[]){0.2, 0.25, 0});
    check_pixel_size(IMAGEJ("unit=\xb5m\nspacing=0.3"), (double[]){0.2, 0.25, 0.3});
    check_pixel_size(IMAGEJ("unit=\\u00B5m\nyunit=nm\nspacing=3\nzunit=mm\n"),
                     (double[]){0.2, 0.25 * 1e-3, 3000});
    check_pixel_size(IMAGEJ("spacing=2\n"), (double[]){0, 0, 0}); // of no unit
    check_pixel_size(IMAGEJ("unit=pixel\nspacing=2\n"), (double[]){0, 0, 0});
    check_pixel_size("a photograph at 5 per inch", (double[]){0, 0, 0});
}

// ---- what is written back -----------------------------------------------------------------------

static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = calloc(1, 1 << 20);
    *size = file && data ? fread(data, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return data;
}

// Reads page `number`, writes it as an image of this shape, and hands out the bytes of that file.
static uint8_t *through(int32_t number, bool described, lg_image_params shape, size_t *size)
{
    lg_image *in = NULL, *out = NULL;
    lg_read_info info;
    lg_error error;
    CHECK(read_source(number, &in, &info, &error) == LG_OK, "%s", error.message);
    const lg_write_params params = {.metadata = info.metadata};
    NEED(lg_image_create(context, &shape, &out, &error) == LG_OK &&
             lg_image_write(out, written, &params, &error) == LG_OK,
         "%s", error.message);
    uint8_t *data = load(written, size);
    CHECK(lg_image_keeps_description(out, written, &params) ==
              (!described || tiff_find_text(data, *size, 270)),
          "whether the description stays is known beforehand");
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    lg_metadata_destroy(&info.metadata);
    return data;
}

static const lg_image_params same = {
    .width = 8, .height = 6, .layers = 1, .channels = 1, .type = LG_U16};

static void check_text(const char *text, int layers, int32_t number, lg_image_params shape,
                       const char *expected)
{
    const tiff_tag tag = text_tag(text);
    size_t size;
    save_pages(layers, &tag, 1);
    uint8_t *data = through(number, true, shape, &size);
    const char *found = tiff_find_text(data, size, 270);
    CHECK(expected ? found && strcmp(found, expected) == 0 : !found, "%s: %s", text,
          found ? found : "none");
    free(data);
}

static void descriptions(void)
{
    lg_image_params half = same, stack = same, small = same, color = same, bytes = same;
    half.width = 4, half.height = 3;
    stack.layers = 6;
    small.layers = 6, small.width = 4;
    color.channels = 4, color.alpha = LG_ALPHA_OPAQUE;
    bytes.type = LG_U8;
    check_text("a photograph", 1, -1, half, "a photograph");
    check_text(OME(SIZES "SizeZ=\"1\" PhysicalSizeX=\"0.2\""), 1, -1, same,
               OME(SIZES "SizeZ=\"1\" PhysicalSizeX=\"0.2\""));
    check_text(OME(SIZES "SizeZ=\"1\" PhysicalSizeX=\"0.2\""), 1, -1, half,
               OME("SizeX=\"4\" SizeY=\"3\" SizeZ=\"1\" PhysicalSizeX=\"0.2\""));
    check_text("<OME ><Pixels SignificantBits=\"12\" Type=\"uint16\" SizeX=\"8\" SizeY=\"6\">", 1,
               -1, bytes,
               "<OME ><Pixels SignificantBits=\"8\" Type=\"uint8\" SizeX=\"8\" SizeY=\"6\">");
    check_text(OME(SIZES "SizeC=\"6\""), 6, -1, small, OME("SizeX=\"4\" SizeY=\"6\" SizeC=\"6\""));
    check_text(OME(SIZES "SizeC=\"6\""), 6, 2, same, NULL); // one of six
    check_text(OME(SIZES "SizeC=\"1\""), 1, -1, color, NULL);
    check_text("<OME ><Pixels SizeX=\"8\"><TiffData IFD=\"0\"><UUID FileName=\"a.tif\">u</UUID>"
               "</TiffData></Pixels></OME>",
               1, -1, same,
               "<OME ><Pixels SizeX=\"8\"><TiffData IFD=\"0\"></TiffData></Pixels></OME>");
    check_text("<OME ><Pixels SizeX=\"8\"><UUID FileName=\"a.tif\">u</UUID>"
               "<UUID FileName=\"b.tif\">u</UUID></Pixels></OME>",
               1, -1, same, NULL);
    check_text("ImageJ=1.53\nimages=6\nslices=6\nunit=um\nmin=3.0\nmax=90.0\nspacing=2\n", 6, -1,
               stack, "ImageJ=1.53\nimages=6\nslices=6\nunit=um\nspacing=2\n");
    check_text("ImageJ=1.53\nimages=6\nslices=6\nunit=um\nloop=false\n", 6, 4, same,
               "ImageJ=1.53\nunit=um\n");
    check_text("{\"shape\": [6, 8]}", 1, -1, same, "{\"shape\": [6, 8]}");
    check_text("{\"shape\": [6, 8]}", 1, -1, half, NULL);
}

static void resolutions(void)
{
    static const uint64_t values[][5] = {
        {5, 1, 5, 1, 1}, {300, 1, 300, 1, 2}, {118, 1, 59, 1, 3}, {1, 4, 1, 8, 1}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const uint64_t *v = values[i];
        const tiff_tag tags[] = {{282, TIFF_RATIONAL, 1, v, NULL},
                                 {283, TIFF_RATIONAL, 1, v + 2, NULL},
                                 {296, TIFF_SHORT, 1, v + 4, NULL},
                                 {274, TIFF_SHORT, 1, (const uint64_t[]){6}, NULL}};
        uint64_t x[2] = {0}, y[2] = {0}, unit = 0, turn = 0;
        size_t size;
        save_pages(1, tags, 4);
        uint8_t *data = through(-1, false, same, &size);
        CHECK(tiff_find(data, size, 282, x, 2) == 2 && tiff_find(data, size, 283, y, 2) == 2 &&
                  tiff_find(data, size, 296, &unit, 1) == 1,
              "there is a resolution");
        CHECK(x[0] * v[1] == v[0] * x[1] && y[0] * v[3] == v[2] * y[1] && unit == v[4],
              "%llu/%llu and %llu/%llu, unit %llu", (unsigned long long)x[0],
              (unsigned long long)x[1], (unsigned long long)y[0], (unsigned long long)y[1],
              (unsigned long long)unit);
        CHECK(tiff_find(data, size, 274, &turn, 1) == 1 && turn == 6, "the orientation");
        free(data);
    }
    size_t size;
    uint64_t none[2];
    save_pages(1, NULL, 0);
    uint8_t *data = through(-1, false, same, &size);
    CHECK(tiff_find(data, size, 282, none, 2) == 0, "a resolution is not made up");
    free(data);
}

// ---- which images -------------------------------------------------------------------------------

static bool is(const lg_blob *blob, const char *wanted)
{
    return blob->size == strlen(wanted) && memcmp(blob->data, wanted, blob->size) == 0;
}

static bool holds(const uint8_t *data, size_t size, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(data + i, wanted, length) == 0)
            return true;
    return false;
}

// Bytes come as they stand in the file, whichever order its numbers have; IPTC says that it is numbers.
static void blocks_of_bytes(void)
{
    static const uint64_t profile[] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    static const uint64_t xmp[] = {'<', 'x', 'm', 'p', '/', '>'};
    static const uint64_t iptc[2][2] = {{0x34333231, 0x38373635}, {0x31323334, 0x35363738}};
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        const tiff_tag tags[] = {{700, TIFF_BYTE, 6, xmp, NULL},
                                 {33723, TIFF_LONG, 2, iptc[big_endian], NULL},
                                 {34675, TIFF_BYTE, 8, profile, NULL}};
        tiff_bytes file;
        tiff_layout first = page;
        lg_image *image;
        lg_read_info info;
        lg_error error;
        first.tags = tags, first.tag_count = 3;
        tiff_start(&file, big_endian, false);
        tiff_add(&file, &first, raw);
        save(&file);
        tiff_free(&file);
        CHECK(read_source(-1, &image, &info, &error) == LG_OK, "%s", error.message);
        const lg_metadata *m = info.metadata;
        CHECK(m && is(&m->profile, "abcdefgh"), "the profile, big-endian: %d", big_endian);
        CHECK(m && is(&m->xmp, "<xmp/>"), "XMP, big-endian: %d", big_endian);
        CHECK(m && is(&m->iptc, "12345678"), "IPTC, big-endian: %d", big_endian);
        lg_image_destroy(&image);
        lg_metadata_destroy(&info.metadata);
        size_t size;
        uint8_t *data = through(-1, false, same, &size);
        CHECK(holds(data, size, "<xmp/>") && holds(data, size, "12345678"),
              "not all of them are written, big-endian: %d", big_endian);
        free(data);
    }
}

static void expect_page(int32_t number, double sample, int layers)
{
    lg_image *image;
    lg_read_info info;
    lg_error error;
    CHECK(read_source(number, &image, &info, &error) == LG_OK, "page %d: %s", number,
          error.message);
    CHECK(image && *(const uint16_t *)image->data == sample && image->shape.layers == layers,
          "page %d: %g, %d layers", number, image ? (double)*(const uint16_t *)image->data : -1.0,
          image ? image->shape.layers : 0);
    lg_image_destroy(&image);
    lg_metadata_destroy(&info.metadata);
}

static void expect_refusal(int32_t number, const char *words)
{
    lg_image *image;
    lg_read_info info;
    lg_error error;
    CHECK(read_source(number, &image, &info, &error) != LG_OK && !image &&
              strstr(error.message, words),
          "%s: %s", words, error.message);
    lg_image_destroy(&image);
    lg_metadata_destroy(&info.metadata);
}

// A page that says what kind of image it is, with sample `first`.
static void add(tiff_bytes *file, uint64_t first, uint64_t kind, int photometric, int width)
{
    const tiff_tag tag = {254, TIFF_LONG, 1, &kind, NULL};
    tiff_layout l = page;
    l.tags = &tag, l.tag_count = 1, l.photometric = photometric, l.width = width;
    raw[0] = first;
    tiff_add(file, &l, raw);
}

static void reduced_pages(void)
{
    tiff_bytes file;
    tiff_start(&file, false, false);
    add(&file, 11, 0, 1, 8);
    add(&file, 12, 1, 1, 4); // smaller
    add(&file, 13, 2, 1, 8); // a page
    add(&file, 14, 4, 1, 8); // a mask
    save(&file);
    tiff_free(&file);
    expect_page(-1, 11, 2);
    expect_page(1, 12, 1);
    expect_page(3, 14, 1);
    expect_refusal(4, "no page 4; the file has 4");
    tiff_start(&file, false, false);
    add(&file, 11, 1, 1, 4);
    add(&file, 12, 0, 1, 8);
    save(&file);
    tiff_free(&file);
    expect_refusal(-1, "NewSubfileType 1");
    expect_page(0, 11, 1);
    expect_page(1, 12, 1);
}

// The layout of DNG and NEF: a preview first, the sensor below it.
static void raw_photographs(void)
{
    static const uint64_t version[] = {1, 4, 0, 0};
    tiff_bytes file;
    tiff_layout sensor = page, preview = page;
    sensor.photometric = 32803;
    for (int dng = 0; dng < 2; dng++)
        for (int below = 0; below < 2; below++) {
            tiff_start(&file, false, false);
            raw[0] = 22;
            uint64_t place = below ? tiff_add_apart(&file, &sensor, raw) : 0;
            const tiff_tag tags[] = {{330, TIFF_LONG, 1, &place, NULL},
                                     {50706, TIFF_BYTE, 4, version, NULL}};
            preview.tags = below ? tags : tags + 1;
            preview.tag_count = below + dng;
            raw[0] = 21;
            tiff_add(&file, &preview, raw);
            save(&file);
            tiff_free(&file);
            if (!dng && !below) {
                expect_page(-1, 21, 1);
                continue;
            }
            expect_refusal(-1, "raw converter");
            expect_page(0, 21, 1);
            if (below)
                expect_page(1, 22, 1);
        }
}

// ImageJ's form of stacks above 4 GB: samples without directories.
static void bare_stack(void)
{
    const tiff_tag tag = text_tag("ImageJ=1.53\nimages=4\nslices=4\n");
    tiff_layout l = page;
    tiff_bytes file;
    l.tags = &tag, l.tag_count = 1;
    tiff_start(&file, false, false);
    raw[0] = 31;
    tiff_add(&file, &l, raw);
    save(&file);
    expect_page(-1, 31, 1); // the others are not in the file
    file.data = realloc(file.data, file.size + 4 * 96);
    memset(file.data + file.size, 0, 4 * 96);
    file.size += 4 * 96;
    save(&file);
    tiff_free(&file);
    expect_refusal(-1, "ImageJ states 4 images");
    expect_page(0, 31, 1);
}

int main(void)
{
    lg_error error = {0};
    const lg_context_params params =
        WITH(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 1);
    const int file = mkstemp(source);
    snprintf(written, sizeof written, "%s.tif", source);
    if (file < 0 || close(file) != 0 || lg_context_create(&params, &context, &error) != LG_OK) {
        printf("cannot start: %s\n", error.message);
        return 1;
    }
    axes();
    choices();
    pixel_sizes();
    descriptions();
    resolutions();
    blocks_of_bytes();
    reduced_pages();
    raw_photographs();
    bare_stack();
    unlink(source);
    unlink(written);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("tiff_tags");
}

#else

int main(void)
{
    check_skip("this build has no libtiff");
    return check_finish("tiff_tags");
}

#endif
