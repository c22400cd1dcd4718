// Polygons, masks and turned rectangles, and the boxes that they consist of.
#include "py_core.h"

#include <stdlib.h>

// ---- taking ---------------------------------------------------------------------------------------

// (points, a buffer of x and y; lengths of the rings; whether windings count)
bool core_polygon_take(PyObject *object, core_polygon *out)
{
    PyObject *points, *lengths;
    int non_zero;
    *out = (core_polygon){.view = {.obj = NULL}};
    if (!PyArg_ParseTuple(object, "OO!p", &points, &PyTuple_Type, &lengths, &non_zero))
        return false;
    const Py_ssize_t rings = PyTuple_Size(lengths);
    size_t all = 0;
    out->ring = calloc((size_t)rings + 1, sizeof *out->ring);
    if (!out->ring)
        return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < rings; i++)
        all += out->ring[i] = PyLong_AsSize_t(PyTuple_GetItem(lengths, i));
    if (PyErr_Occurred() || PyObject_GetBuffer(points, &out->view, PyBUF_SIMPLE)) {
        core_polygon_drop(out);
        return false;
    }
    if ((size_t)out->view.len != all * 2 * sizeof(double)) {
        core_polygon_drop(out);
        PyErr_SetString(PyExc_ValueError, "the points are not those of the rings");
        return false;
    }
    out->polygon = (lg_area_polygon){.points = out->view.buf,
                                     .ring = out->ring,
                                     .rings = (size_t)rings,
                                     .winding = non_zero ? LG_AREA_NON_ZERO : LG_AREA_EVEN_ODD};
    return true;
}

void core_polygon_drop(core_polygon *polygon)
{
    if (polygon->view.obj)
        PyBuffer_Release(&polygon->view);
    free(polygon->ring);
    polygon->ring = NULL;
}

// (x, y, width, height, angle)
bool core_rectangle_take(PyObject *object, lg_area_rectangle *out)
{
    return PyArg_ParseTuple(object, "ddddd", &out->x, &out->y, &out->width, &out->height,
                            &out->angle);
}

PyObject *core_cover_tuple(const lg_area_cover *c)
{
    return Py_BuildValue("(nLLL)", (Py_ssize_t)c->boxes, (long long)c->pixels,
                         (long long)c->missing, (long long)c->extra);
}

// ---- boxes ----------------------------------------------------------------------------------------

static lg_status mask_runs(core_context *c, const core_image *image, int32_t **bounds,
                           size_t *count, lg_error *error)
{
    lg_image *mask = NULL;
    lg_status status = core_image_wrap(c, image, &mask, error);
    if (!status)
        status =
            lg_area_mask_runs(mask, image->shape.width, image->shape.height, bounds, count, error);
    core_image_drop(&mask);
    return status;
}

// shape_boxes(context, polygon | mask | rectangle, width, height, most) -> (bounds, cover)
static PyObject *shape_boxes(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    PyObject *shape;
    long long width, height;
    int most;
    lg_area_rectangle rectangle;
    core_polygon polygon = {.view = {.obj = NULL}};
    if (!PyArg_ParseTuple(args, "O!OLLi", state->context, &c, &shape, &width, &height, &most))
        return NULL;
    const bool is_mask = Py_IS_TYPE(shape, state->image);
    const bool is_rectangle = !is_mask && PyTuple_Size(shape) == 5;
    if (is_rectangle ? !core_rectangle_take(shape, &rectangle)
                     : !is_mask && !core_polygon_take(shape, &polygon))
        return NULL;
    int32_t *bounds = NULL;
    lg_area_cover cover = {0};
    PyObject *bytes = NULL;
    if (core_begin(c)) {
        lg_error error = {LG_OK, ""};
        lg_status status;
        if (is_mask)
            status = mask_runs(c, (core_image *)shape, &bounds, &cover.boxes, &error);
        else if (is_rectangle)
            status =
                lg_area_rectangle_boxes(&rectangle, width, height, most, &bounds, &cover, &error);
        else
            status = lg_area_polygon_runs(&polygon.polygon, width, height, &bounds, &cover.boxes,
                                          &error);
        if (core_end(c, status, &error))
            bytes = PyByteArray_FromStringAndSize((const char *)bounds,
                                                  (Py_ssize_t)(cover.boxes * 4 * sizeof *bounds));
    }
    lg_area_runs_free(&bounds);
    core_polygon_drop(&polygon);
    return bytes ? Py_BuildValue("(NN)", bytes, core_cover_tuple(&cover)) : NULL;
}

PyMethodDef core_shape_methods[] = {
    {"shape_boxes", shape_boxes, METH_VARARGS, "The boxes that a shape consists of."},
    {NULL, NULL, 0, NULL},
};
