#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <random>

namespace benanza::fuzz {

/// Changes one thing in a model so that it stays a model: a value, a name, an element of a list, or
/// a node's operator, with the inputs and attributes that its schema requires.
void mutate(::onnx::ModelProto& model, std::minstd_rand& random);

/// Adds an attribute of the given type with a random value.
void add_attribute(::onnx::NodeProto& node, const ::onnx::OpSchema::Attribute& description,
                   std::minstd_rand& random);

/// Returns a model with one node of a random operator of the onnx package, with inputs of random
/// shapes and attributes of the right types. Mutation rarely reaches such models, on some of which
/// the package's schemas read out of bounds.
::onnx::ModelProto single_node(std::minstd_rand& random);

}  // namespace benanza::fuzz
