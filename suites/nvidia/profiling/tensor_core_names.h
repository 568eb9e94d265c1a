#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::nvidia {

/// Returns whether a kernel uses Tensor Cores, judging by its name alone. Empty if the name does
/// not show it: an architecture in the name ("sm90_") proves nothing.
std::optional<bool> uses_tensor_cores(std::string_view kernel_name);

/// For all kernels of a call: true if one does, false if none does, else empty.
std::optional<bool> any_uses_tensor_cores(const std::vector<std::string>& kernel_names);

}  // namespace benanza::nvidia
