#pragma once

#include <onnx/onnx_pb.h>

#include <random>

namespace benanza::fuzz {

/// A model of one node of an operator that the onnx package describes, with inputs of any shapes
/// and attributes of the right types: what mutation hardly ever reaches, and where schemas of the
/// package read past the end.
::onnx::ModelProto single_node(std::minstd_rand& random);

}  // namespace benanza::fuzz
