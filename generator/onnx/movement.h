#pragma once

#include "generator/onnx/lowering.h"
#include "generator/onnx/views.h"

namespace benanza::onnx {

/// A call that moves view `from` of input 0 to view `to` of output `output`; equal extents.
Call copy_call(const View& from, const View& to, int output = 0);

/// A call that moves `elements` in one run, as many as the node moves from input `input`: again and
/// again the first one if the input has fewer.
Call stand_in(const Site& site, std::int64_t elements, int input = 0);

/// The whole of a dense tensor.
View dense_view(const Dims& dims);

}  // namespace benanza::onnx
