#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::nvidia {

/// Whether a kernel computes on Tensor Cores, from its name alone. Empty where the name does not
/// tell: an architecture in the name ("sm90_") proves nothing.
std::optional<bool> uses_tensor_cores(std::string_view kernel_name);

/// Of all kernels of a call: true if one does, false if none does, empty if that is not known.
std::optional<bool> any_uses_tensor_cores(const std::vector<std::string>& kernel_names);

}  // namespace benanza::nvidia
