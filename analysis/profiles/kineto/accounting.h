#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {

/// The precision of tensors of PyTorch's type "float", "c10::Half" or "c10::BFloat16"; nullopt for
/// others, of which keys say nothing.
std::optional<Precision> precision_of_type(std::string_view type);

/// The same for the number of a type in an argument (c10/core/ScalarType.h).
std::optional<Precision> precision_of_number(std::int64_t type);

/// Takes the problems from `parts` and says why, if the call has an argument that the entry neither
/// read nor declares to have no effect, or tensors whose types no key has. The other parts get the
/// tensors' precision, unless they state their own.
void account_for(const Call& call, const Entry& entry, std::vector<Part>& parts);

/// The conversion of the first argument to the type that another one states; empty if that states
/// none or the tensor's own.
std::vector<Part> conversion_before(const Call& call, std::size_t type);

/// `parts` behind that conversion, at the type that is stated; without problems if no key has it.
std::vector<Part> converted(const Call& call, std::size_t type, std::vector<Part> parts);

}  // namespace benanza::analysis::kineto
