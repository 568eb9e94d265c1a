#pragma once

#include <string>
#include <string_view>

/// What ONNX Runtime calls operators in its profiles.
namespace benanza::analysis::onnxruntime {

/// Returns whether the text ended so, and more was before it: then without the ending.
bool remove_suffix(std::string& text, std::string_view suffix);

/// The model's node or tensor: ONNX Runtime names the results of its optimisers after their first
/// node ("fused conv1", "fc/MatMulAddFusion") or, in its blocked layout, after the last tensor they
/// compute ("r_nchwc").
std::string origin_of(std::string name);

/// Of a convolution that ONNX Runtime puts in the place of one elementwise layer in its blocked
/// layout, the tensor that this layer computes ("r_bn_nchwc" does the normalization of "r");
/// otherwise empty. A model's tensor may end so, too: origin_of() goes first.
std::string replaced_tensor(const std::string& name);

/// True if the name says that more than the layer it names is done: its activation, or the sum
/// after a product.
bool does_next(std::string_view name);
/// True if the name says that this ends in its activation.
bool does_activation(std::string_view name);

/// The ONNX operator: "Conv" for "FusedConv".
std::string onnx_op(std::string op);

}  // namespace benanza::analysis::onnxruntime
