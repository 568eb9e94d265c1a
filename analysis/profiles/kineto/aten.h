#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"

namespace benanza::analysis::kineto {

/// Is there an entry for the operator in the tables?
bool is_known(const std::string& name);

/// A PyTorch operator in terms of ONNX, in the order it does it. Empty if it is not
/// known. Problems are left out where shapes or attributes are not recorded.
std::vector<Part> parts_of(const Op& op);

/// The same of a kernel that torch.compile made, by its name; empty if it is none. Shapes are not
/// known, and an operator that the kernel computes twice is in its name once.
std::vector<Part> parts_of_compiled(std::string_view name);

/// Stands for the bias of a product among the operators of a kernel.
inline constexpr std::string_view added_bias = "bias";

/// ONNX operators that the names in such a kernel's may stand for: "gelu" for Gelu and each of its
/// steps. Empty if it is none.
std::set<std::string_view> ops_of_compiled(std::string_view name);

/// Which of the operator's arguments it multiplies with each other; empty if it is no product.
std::vector<std::size_t> factors(const Op& op);

}  // namespace benanza::analysis::kineto
