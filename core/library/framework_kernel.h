#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// What one of a framework's own kernels computes, in the framework's words: "mul", "mean", "cat";
/// "add mul" of a kernel that torch.compile fused; the kernel's label where its name does not say.
/// Copies and conversions are both "copy". `name`: demangled, of a kernel that
/// is_framework_kernel().
std::string framework_operation(std::string_view name);

}  // namespace benanza
