#include "version.h"

#include <lumagraph/lumagraph.h>
#include <string.h>

#ifdef LG_HAVE_TIFF
#include <tiffio.h>
#endif
#ifdef LG_HAVE_JANSSON
#include <jansson.h>
#endif

static const char *tiff_version(void)
{
#ifdef LG_HAVE_TIFF
    static const char front[] = "LIBTIFF, Version ";
    const char *text = TIFFGetVersion();
    return strncmp(text, front, sizeof front - 1) == 0 ? text + sizeof front - 1 : text;
#else
    return "not in this build";
#endif
}

static const char *jansson_version(void)
{
#ifdef LG_HAVE_JANSSON
    return JANSSON_VERSION;
#else
    return "not in this build";
#endif
}

void lg_print_version(FILE *out)
{
#ifdef LG_HAVE_VULKAN
    const char *vulkan = "yes; `lumagraph devices` lists GPUs";
#else
    const char *vulkan = "not in this build";
#endif
#ifdef LG_HAVE_VIPS
    const char *vips = "a module; PNG, JPEG, WebP, GIF, HEIF";
#else
    const char *vips = "not in this build";
#endif
#ifdef LG_HAVE_AV
    const char *av = "a module; video files, cameras";
#else
    const char *av = "not in this build";
#endif
#ifdef LG_HAVE_ARCHIVE
    const char *archive = "a module; members of tar and zip files";
#else
    const char *archive = "not in this build";
#endif
#if defined LG_HAVE_OPENMPI && defined LG_HAVE_MPICH
    const char *mpi = "modules; Open MPI, MPICH";
#elif defined LG_HAVE_OPENMPI
    const char *mpi = "a module; Open MPI";
#elif defined LG_HAVE_MPICH
    const char *mpi = "a module; MPICH";
#else
    const char *mpi = "not in this build";
#endif
    const char *tiff = tiff_version();
    fprintf(out, "lumagraph %s\n", lg_version());
    fprintf(out, "Vulkan:  %s\n", vulkan);
    fprintf(out, "libvips: %s\n", vips);
    fprintf(out, "libtiff: %.*s\n", (int)strcspn(tiff, "\n"), tiff);
    fprintf(out, "jansson: %s\n", jansson_version());
    fprintf(out, "FFmpeg:  %s\n", av);
    fprintf(out, "libarchive: %s\n", archive);
    fprintf(out, "MPI:     %s\n", mpi);
    fputs("built in: PNM, PAM, PFM, NPY, .cube, .acv, y4m, raw frames\n", out);
}
