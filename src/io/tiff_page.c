// What a directory of a TIFF file holds: how samples are stored, what they mean, what becomes of
// them. What cannot be measured as it is stored is refused here, with what to do.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <string.h>
#include <tiffio.h>

// Tags and values that older headers lack.
enum { LIBTIFF_CFA = 32803, LIBTIFF_LINEAR_RAW = 34892, SGI_IMAGE_DEPTH = 32997 };

static uint16_t short_field(TIFF *handle, uint32_t tag, uint16_t absent)
{
    uint16_t value = absent;
    return TIFFGetFieldDefaulted(handle, tag, &value) ? value : absent;
}

static lg_status refuse(lg_error *error, const char *what, const char *advice)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s; %s", what, advice);
}

// ---- compression --------------------------------------------------------------------------------

static lg_status check_codec(TIFF *handle, lg_error *error)
{
    const uint16_t scheme = short_field(handle, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    const TIFFCodec *codec = TIFFFindCODEC(scheme);
    char what[100];
    if (scheme == COMPRESSION_OJPEG)
        return refuse(error, "old-style JPEG compression, whose samples decoders disagree about",
                      "write it anew with JPEG (7), deflate or LZW");
    if (scheme == COMPRESSION_SGILOG || scheme == COMPRESSION_SGILOG24)
        return refuse(error, "LogLuv colours", "write them as float RGB first");
    if (codec && TIFFIsCODECConfigured(scheme))
        return LG_OK;
    snprintf(what, sizeof what, "compression %d (%.40s), which this libtiff does not decode",
             scheme, codec ? codec->name : "of no known name");
    return refuse(error, what, "write the file anew with deflate or LZW");
}

// ---- sample types -------------------------------------------------------------------------------

static lg_status fail_bits(const lg_tiff_page *page, lg_error *error)
{
    static const char *const kinds[] = {"unsigned", "signed", "floating-point"};
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "%s samples of %d bits; integers of 1 to 32 and 64 bits and floats of 16, 24, "
                   "32 and 64 bits can be read",
                   kinds[page->number], page->bits);
}

static bool known_bits(const lg_tiff_page *page)
{
    const int bits = page->bits;
    if (page->number == LG_TIFF_FLOAT)
        return bits == 16 || bits == 24 || bits == 32 || bits == 64;
    return bits == 64 || (bits >= 1 && bits <= 32);
}

static void plan_unsigned(lg_tiff_page *page)
{
    page->type = page->bits <= 8 ? LG_U8 : page->bits <= 16 ? LG_U16 : LG_F32;
    if (page->type == LG_F32)
        page->foreign = page->bits <= 32 ? LG_FOREIGN_U32 : LG_FOREIGN_U64;
}

static void plan_signed(lg_tiff_page *page)
{
    page->type = LG_F32;
    page->foreign = page->bits <= 8    ? LG_FOREIGN_I8
                    : page->bits <= 16 ? LG_FOREIGN_I16
                    : page->bits <= 32 ? LG_FOREIGN_I32
                                       : LG_FOREIGN_I64;
}

static void plan_float(lg_tiff_page *page)
{
    page->type = page->bits == 16 ? LG_F16 : LG_F32;
    page->foreign = page->bits == 64 ? LG_FOREIGN_F64 : LG_FOREIGN_NONE;
}

static lg_status plan_type(TIFF *handle, lg_tiff_page *page, lg_error *error)
{
    const uint16_t format = short_field(handle, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    page->bits = short_field(handle, TIFFTAG_BITSPERSAMPLE, 1);
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return refuse(error, "complex samples", "take their magnitude or real part first");
    page->number = format == SAMPLEFORMAT_INT      ? LG_TIFF_INT
                   : format == SAMPLEFORMAT_IEEEFP ? LG_TIFF_FLOAT
                                                   : LG_TIFF_UINT;
    if (!known_bits(page))
        return fail_bits(page, error);
    if (page->number == LG_TIFF_UINT)
        plan_unsigned(page);
    else if (page->number == LG_TIFF_INT)
        plan_signed(page);
    else
        plan_float(page);
    return LG_OK;
}

// ---- colours ------------------------------------------------------------------------------------

// Old writers have 8 bits in the entries, others v * 257; what is neither needs 16 bits.
static lg_type palette_type(const lg_tiff_page *page)
{
    const size_t entries = (size_t)1 << page->bits;
    bool low = true, even = true;
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < entries; i++) {
            low &= page->colors[c][i] < 256;
            even &= page->colors[c][i] % 257 == 0;
        }
    return low || even ? LG_U8 : LG_U16;
}

static lg_status plan_palette(TIFF *handle, lg_tiff_page *page, lg_error *error)
{
    if (page->samples != 1 || page->number != LG_TIFF_UINT || page->bits > 16)
        return refuse(error, "a palette for several channels, or for other than 1 to 16 bits",
                      "write it as RGB first");
    if (!TIFFGetField(handle, TIFFTAG_COLORMAP, &page->colors[0], &page->colors[1],
                      &page->colors[2]))
        return lg_fail(error, LG_ERROR_DATA, "damaged: a palette image without a palette");
    page->palette = true;
    page->type = palette_type(page);
    page->channels = 3;
    return LG_OK;
}

static lg_status plan_lab(lg_tiff_page *page, bool signed_ab, lg_error *error)
{
    page->lab = true;
    page->signed_ab = signed_ab && page->number == LG_TIFF_UINT && page->samples >= 3;
    if (page->signed_ab && page->bits != 8 && page->bits != 16)
        return refuse(error, "CIE L*a*b* of other than 8 or 16 bits", "write it as RGB first");
    if (page->signed_ab)
        page->type = LG_F32;
    return LG_OK;
}

// libtiff hands out RGB where JPEG keeps YCbCr; nothing else subsamples as JPEG does.
static lg_status plan_ycbcr(TIFF *handle, const lg_tiff_page *page, lg_error *error)
{
    if (short_field(handle, TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG &&
        !page->planes && page->samples == 3 &&
        TIFFSetField(handle, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
        return LG_OK;
    return refuse(error, "YCbCr samples that are not JPEG's", "write the file as RGB first");
}

// Colours that a pixel has, beside extra samples.
static int plan_meaning(TIFF *handle, lg_tiff_page *page, uint16_t meaning, lg_status *status,
                        lg_error *error)
{
    switch (meaning) {
    case PHOTOMETRIC_MINISWHITE:
        page->white_is_zero = true;
        return 1;
    case PHOTOMETRIC_RGB:
    case LIBTIFF_LINEAR_RAW:
        return page->samples >= 3 ? 3 : 1;
    case PHOTOMETRIC_PALETTE:
        *status = plan_palette(handle, page, error);
        return 1;
    case PHOTOMETRIC_SEPARATED:
        page->cmyk =
            page->samples == 4 && short_field(handle, TIFFTAG_INKSET, INKSET_CMYK) == INKSET_CMYK;
        return LG_MIN(page->samples, 4);
    case PHOTOMETRIC_YCBCR:
        *status = plan_ycbcr(handle, page, error);
        return 3;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
        *status = plan_lab(page, meaning == PHOTOMETRIC_CIELAB, error);
        return page->samples >= 3 ? 3 : 1;
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
        *status = refuse(error, "LogLuv colours", "write them as float RGB first");
        return 1;
    default:
        return 1;
    }
}

// What the last of two or four channels is.
static lg_alpha find_alpha(TIFF *handle, const lg_tiff_page *page, int colors)
{
    uint16_t count = 0, *kinds = NULL;
    if (page->channels == 3)
        return LG_ALPHA_OPAQUE;
    if (page->samples == colors || page->samples == 1 ||
        !TIFFGetFieldDefaulted(handle, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count == 0)
        return LG_ALPHA_NONE;
    const uint16_t last = kinds[count - 1];
    return last == EXTRASAMPLE_ASSOCALPHA   ? LG_ALPHA_PREMULTIPLIED
           : last == EXTRASAMPLE_UNASSALPHA ? LG_ALPHA_STRAIGHT
                                            : LG_ALPHA_NONE;
}

static lg_status plan_colors(TIFF *handle, lg_tiff_page *page, lg_error *error)
{
    uint16_t meaning;
    if (!TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &meaning))
        meaning = page->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    page->apart = page->samples > LG_MAX_CHANNELS;
    page->channels = 1;
    if (page->apart)
        return LG_OK;
    lg_status status = LG_OK;
    page->channels = page->samples;
    const int colors = plan_meaning(handle, page, meaning, &status, error);
    if (status == LG_OK)
        page->alpha = find_alpha(handle, page, colors);
    return status;
}

// ---- layout -------------------------------------------------------------------------------------

static lg_status plan_blocks(TIFF *handle, lg_tiff_page *page, lg_error *error)
{
    uint32_t width = 0, height = 0, rows = UINT32_MAX, depth = 1;
    TIFFGetField(handle, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(handle, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(handle, SGI_IMAGE_DEPTH, &depth);
    page->width = width;
    page->height = height;
    page->planes =
        short_field(handle, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE &&
        page->samples > 1;
    page->tiles = TIFFIsTiled(handle);
    if (depth > 1)
        return refuse(error, "a volume in one image (ImageDepth)", "write its slices as pages");
    if (page->tiles) {
        TIFFGetField(handle, TIFFTAG_TILEWIDTH, &width);
        TIFFGetField(handle, TIFFTAG_TILELENGTH, &height);
    } else {
        TIFFGetFieldDefaulted(handle, TIFFTAG_ROWSPERSTRIP, &rows);
        height = (uint32_t)LG_MIN(rows, (uint32_t)height);
    }
    page->block_width = width;
    page->block_height = height;
    if (page->width < 1 || page->height < 1 || width < 1 || height < 1)
        return lg_fail(error, LG_ERROR_DATA, "declares %lld x %lld pixels in blocks of %u x %u",
                       (long long)page->width, (long long)page->height, width, height);
    return LG_OK;
}

lg_status lg_tiff_select(lg_tiff *tiff, int32_t index, lg_tiff_page *out, lg_error *error)
{
    TIFF *handle = tiff->handle;
    lg_tiff_page page = {0};
    lg_tiff_forget_message(tiff);
    tiff->strip_index = 0;
    tiff->selected = index;
    tiff->places_count = 0;
    if (!TIFFSetSubDirectory(handle, tiff->list.directory[index].offset))
        return lg_tiff_fail(tiff, "damaged", error);
    lg_status status = check_codec(handle, error);
    page.samples = short_field(handle, TIFFTAG_SAMPLESPERPIXEL, 1);
    page.plane = -1;
    if (status == LG_OK && page.samples < 1)
        status = lg_fail(error, LG_ERROR_DATA, "damaged: its pixels have no samples");
    if (status == LG_OK)
        status = plan_blocks(handle, &page, error);
    if (status == LG_OK)
        status = plan_type(handle, &page, error);
    if (status == LG_OK)
        status = plan_colors(handle, &page, error);
    if (status == LG_OK)
        *out = page;
    return status;
}

#endif
