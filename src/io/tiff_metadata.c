// The metadata of a TIFF file, tag by tag.
#ifdef LG_HAVE_TIFF

#include "io/metadata.h"
#include "io/tiff.h"

#include <string.h>
#include <tiffio.h>

static lg_status take_bytes(TIFF *handle, uint32_t tag, lg_blob *out, lg_error *error)
{
    uint32_t count = 0;
    void *data = NULL;
    return TIFFGetField(handle, tag, &count, &data) ? lg_blob_copy(out, data, count, error) : LG_OK;
}

// As the bytes stand in the file: whether libtiff counts and swaps them as numbers of 32 bits depends on its
// version and on the type that the file states.
static lg_status take_iptc(const lg_tiff *tiff, const lg_tiff_directory *d, lg_blob *out,
                           lg_error *error)
{
    const uint64_t all = tiff->source.size, left = d->iptc < all ? all - d->iptc : 0;
    const size_t size = (size_t)LG_MIN(d->iptc_size, left);
    if (!d->iptc || !size)
        return LG_OK;
    if (!(out->data = lg_alloc(size)))
        return lg_fail_memory(error, size, "the metadata of a file");
    out->size = lg_tiff_bytes_at(&tiff->source, d->iptc, out->data, size);
    return LG_OK;
}

static void take_resolution(TIFF *handle, lg_metadata *m)
{
    uint16_t unit = RESUNIT_INCH, orientation = 0;
    float x = 0, y = 0;
    if (TIFFGetField(handle, TIFFTAG_ORIENTATION, &orientation) && orientation <= 8)
        m->orientation = orientation;
    if (!TIFFGetField(handle, TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(handle, TIFFTAG_YRESOLUTION, &y) || !(x > 0) || !(y > 0))
        return;
    TIFFGetFieldDefaulted(handle, TIFFTAG_RESOLUTIONUNIT, &unit);
    m->unit = unit == RESUNIT_INCH         ? LG_RESOLUTION_INCH
              : unit == RESUNIT_CENTIMETER ? LG_RESOLUTION_CM
                                           : LG_RESOLUTION_NONE;
    m->x_resolution = (double)x;
    m->y_resolution = (double)y;
}

static lg_status take_all(lg_tiff *tiff, const lg_tiff_directory *d, lg_metadata *m,
                          lg_error *error)
{
    TIFF *handle = tiff->handle;
    lg_status status = take_bytes(handle, TIFFTAG_ICCPROFILE, &m->profile, error);
    if (status == LG_OK)
        status = take_bytes(handle, TIFFTAG_XMLPACKET, &m->xmp, error);
    if (status == LG_OK)
        status = take_iptc(tiff, d, &m->iptc, error);
    if (status == LG_OK)
        take_resolution(handle, m);
    m->georeferenced = d->georeferenced;
    return status;
}

lg_status lg_tiff_metadata(lg_tiff *tiff, int32_t index, const lg_image_params *shape,
                           lg_metadata **out, lg_error *error)
{
    const lg_tiff_directory *own = &tiff->list.directory[index], *first = tiff->list.directory;
    lg_tiff_page page;
    lg_metadata *m = NULL;
    lg_status status = lg_tiff_select(tiff, index, &page, error);
    if (status == LG_OK)
        status = lg_metadata_create(&m, error);
    if (status == LG_OK)
        status = take_all(tiff, own, m, error);
    const lg_tiff_directory *d = own->text ? own : first;
    if (status == LG_OK)
        status = lg_tiff_text(tiff, d->text, d->text_size, &m->description, error);
    if (status == LG_OK) {
        m->shape = *shape;
        if (shape->layers == 1) // one of several pages, or the only one
            m->shape.layers = tiff->list.pages;
        *out = m;
        return LG_OK;
    }
    lg_metadata_destroy(&m);
    return status;
}

#endif
