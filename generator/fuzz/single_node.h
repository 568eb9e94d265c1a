#pragma once

#include <onnx/onnx_pb.h>

#include <random>

namespace benanza::fuzz {

/// Returns a model with one node of a random operator of the onnx package, with inputs of random
/// shapes and attributes of the right types. Mutation rarely reaches such models, on some of which
/// the package's schemas read out of bounds.
::onnx::ModelProto single_node(std::minstd_rand& random);

}  // namespace benanza::fuzz
