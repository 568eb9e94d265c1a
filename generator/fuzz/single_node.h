#pragma once

#include <onnx/onnx_pb.h>

#include <random>

namespace benanza::fuzz {

/// Returns a model with one node of a random operator of the onnx package, with inputs of random
/// shapes and attributes of the right types. Mutation rarely reaches such models, and schemas of
/// the package read out of bounds on some of them.
::onnx::ModelProto single_node(std::minstd_rand& random);

}  // namespace benanza::fuzz
