#include "label_presets.h"

#include <stddef.h>

#define I LG_WHEN_INTENSITY
#define L LG_WHEN_LAYERS
#define V LG_WHEN_VOLUME
#define P LG_WHEN_PLANE

static const lg_label_column own[] = {
    {"label", LG_COLUMN_LABEL},
    {"area", LG_COLUMN_AREA},
    {"x", LG_COLUMN_X},
    {"y", LG_COLUMN_Y},
    {"z", LG_COLUMN_Z, .when = L},
    {"width", LG_COLUMN_WIDTH},
    {"height", LG_COLUMN_HEIGHT},
    {"depth", LG_COLUMN_DEPTH, .when = V},
    {"cx", LG_COLUMN_CX},
    {"cy", LG_COLUMN_CY},
    {"cz", LG_COLUMN_CZ, .when = V},
    {"sum", LG_COLUMN_SUM, .when = I},
    {"mean", LG_COLUMN_MEAN, .when = I},
    {"min", LG_COLUMN_MIN, .when = I},
    {"max", LG_COLUMN_MAX, .when = I},
    {"stddev", LG_COLUMN_STDDEV, .when = I},
    {0},
};

// regionprops_table: axes are rows and columns, or planes, rows and columns; ends of boxes are exclusive.
static const lg_label_column skimage[] = {
    {"label", LG_COLUMN_LABEL},
    {"layer", LG_COLUMN_Z, .when = L | P},
    {"area", LG_COLUMN_AREA},
    {"bbox-0", LG_COLUMN_Y, .when = P},
    {"bbox-1", LG_COLUMN_X, .when = P},
    {"bbox-2", LG_COLUMN_Y, LG_CELL_END, P},
    {"bbox-3", LG_COLUMN_X, LG_CELL_END, P},
    {"bbox-0", LG_COLUMN_Z, .when = V},
    {"bbox-1", LG_COLUMN_Y, .when = V},
    {"bbox-2", LG_COLUMN_X, .when = V},
    {"bbox-3", LG_COLUMN_Z, LG_CELL_END, V},
    {"bbox-4", LG_COLUMN_Y, LG_CELL_END, V},
    {"bbox-5", LG_COLUMN_X, LG_CELL_END, V},
    {"centroid-0", LG_COLUMN_CY, .when = P},
    {"centroid-1", LG_COLUMN_CX, .when = P},
    {"centroid-0", LG_COLUMN_CZ, .when = V},
    {"centroid-1", LG_COLUMN_CY, .when = V},
    {"centroid-2", LG_COLUMN_CX, .when = V},
    {"axis_major_length", LG_COLUMN_MAJOR_AXIS},
    {"axis_minor_length", LG_COLUMN_MINOR_AXIS},
    {"eccentricity", LG_COLUMN_ECCENTRICITY, .when = P},
    {"orientation", LG_COLUMN_ORIENTATION, .when = P},
    {"equivalent_diameter_area", LG_COLUMN_EQUIVALENT_DIAMETER},
    {"extent", LG_COLUMN_EXTENT},
    {"perimeter", LG_COLUMN_PERIMETER, .when = P},
    {"perimeter_crofton", LG_COLUMN_CROFTON_PERIMETER, .when = P},
    {"euler_number", LG_COLUMN_EULER_NUMBER, .when = P},
    {"intensity_mean", LG_COLUMN_MEAN, .when = I},
    {"intensity_min", LG_COLUMN_MIN, .when = I},
    {"intensity_max", LG_COLUMN_MAX, .when = I},
    {"intensity_std", LG_COLUMN_STDDEV, .when = I},
    {"centroid_weighted-0", LG_COLUMN_MY, .when = I | P},
    {"centroid_weighted-1", LG_COLUMN_MX, .when = I | P},
    {"centroid_weighted-0", LG_COLUMN_MZ, .when = I | V},
    {"centroid_weighted-1", LG_COLUMN_MY, .when = I | V},
    {"centroid_weighted-2", LG_COLUMN_MX, .when = I | V},
    {0},
};

static const lg_label_column opencv[] = {
    {"label", LG_COLUMN_LABEL},
    {"CC_STAT_LEFT", LG_COLUMN_X},
    {"CC_STAT_TOP", LG_COLUMN_Y},
    {"CC_STAT_WIDTH", LG_COLUMN_WIDTH},
    {"CC_STAT_HEIGHT", LG_COLUMN_HEIGHT},
    {"CC_STAT_AREA", LG_COLUMN_AREA},
    {"centroid_x", LG_COLUMN_CX},
    {"centroid_y", LG_COLUMN_CY},
    {0},
};

static const lg_label_column imagej[] = {
    {"Label", LG_COLUMN_LABEL},
    {"Slice", LG_COLUMN_Z, LG_CELL_NEXT, L},
    {"Area", LG_COLUMN_AREA},
    {"Mean", LG_COLUMN_MEAN, .when = I},
    {"StdDev", LG_COLUMN_STDDEV_SAMPLE, .when = I},
    {"Min", LG_COLUMN_MIN, .when = I},
    {"Max", LG_COLUMN_MAX, .when = I},
    {"X", LG_COLUMN_CX},
    {"Y", LG_COLUMN_CY},
    {"XM", LG_COLUMN_MX, .when = I},
    {"YM", LG_COLUMN_MY, .when = I},
    {"BX", LG_COLUMN_X},
    {"BY", LG_COLUMN_Y},
    {"Width", LG_COLUMN_WIDTH},
    {"Height", LG_COLUMN_HEIGHT},
    {"IntDen", LG_COLUMN_SUM, .when = I},
    {"RawIntDen", LG_COLUMN_SUM, .when = I},
    {0},
};

// statisticsOfLabelledPixels: ends of boxes are inclusive.
static const lg_label_column clij[] = {
    {"IDENTIFIER", LG_COLUMN_LABEL},
    {"BOUNDING_BOX_X", LG_COLUMN_X},
    {"BOUNDING_BOX_Y", LG_COLUMN_Y},
    {"BOUNDING_BOX_Z", LG_COLUMN_Z},
    {"BOUNDING_BOX_END_X", LG_COLUMN_X, LG_CELL_LAST},
    {"BOUNDING_BOX_END_Y", LG_COLUMN_Y, LG_CELL_LAST},
    {"BOUNDING_BOX_END_Z", LG_COLUMN_Z, LG_CELL_LAST},
    {"BOUNDING_BOX_WIDTH", LG_COLUMN_WIDTH},
    {"BOUNDING_BOX_HEIGHT", LG_COLUMN_HEIGHT},
    {"BOUNDING_BOX_DEPTH", LG_COLUMN_DEPTH},
    {"MINIMUM_INTENSITY", LG_COLUMN_MIN, .when = I},
    {"MAXIMUM_INTENSITY", LG_COLUMN_MAX, .when = I},
    {"MEAN_INTENSITY", LG_COLUMN_MEAN, .when = I},
    {"SUM_INTENSITY", LG_COLUMN_SUM, .when = I},
    {"STANDARD_DEVIATION_INTENSITY", LG_COLUMN_STDDEV, .when = I},
    {"PIXEL_COUNT", LG_COLUMN_AREA},
    {"MASS_CENTER_X", LG_COLUMN_MX, .when = I},
    {"MASS_CENTER_Y", LG_COLUMN_MY, .when = I},
    {"MASS_CENTER_Z", LG_COLUMN_MZ, .when = I},
    {"CENTROID_X", LG_COLUMN_CX},
    {"CENTROID_Y", LG_COLUMN_CY},
    {"CENTROID_Z", LG_COLUMN_CZ},
    {0},
};

static const lg_label_preset presets[] = {
    {"default", own, false, false},  {"skimage", skimage, false, false},
    {"opencv", opencv, false, true}, {"imagej", imagej, true, false},
    {"clij", clij, false, false},
};

const lg_label_preset *lg_label_preset_at(int index)
{
    return index >= 0 && index < (int)(sizeof presets / sizeof presets[0]) ? &presets[index] : NULL;
}

const char *lg_choice_preset(int index)
{
    const lg_label_preset *preset = lg_label_preset_at(index);
    return preset ? preset->name : NULL;
}

bool lg_column_is_position(lg_column column)
{
    return (column >= LG_COLUMN_CX && column <= LG_COLUMN_CZ) ||
           (column >= LG_COLUMN_MX && column <= LG_COLUMN_MZ);
}
