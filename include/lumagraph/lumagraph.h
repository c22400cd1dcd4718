// lumagraph: measures and filters images on any GPU and on the CPU, with the same numbers on both.
#ifndef LUMAGRAPH_H
#define LUMAGRAPH_H

#include <lumagraph/areasum.h>
#include <lumagraph/bands.h>
#include <lumagraph/batch.h>
#include <lumagraph/batch_images.h>
#include <lumagraph/common.h>
#include <lumagraph/components.h>
#include <lumagraph/context.h>
#include <lumagraph/filter.h>
#include <lumagraph/graph.h>
#include <lumagraph/image.h>
#include <lumagraph/label_accumulator.h>
#include <lumagraph/label_parts.h>
#include <lumagraph/measure.h>
#include <lumagraph/share.h>
#include <lumagraph/state.h>
#include <lumagraph/stream.h>

#endif
