#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace benanza {

/// Two lists of calls, each in its order, as one list that fits to kernels in their order: which
/// call of both lists made which kernel. Calls and kernels are numbers of what they are called.
/// Found is the merge whose pairs of kernel and call come most often, by turns of counting pairs
/// and merging anew; where two are as good, the first list goes first.
/// Returns, for each kernel, whether its call is of the second list. Empty where the numbers do not
/// add up, where no merge is without pairs that `may_be` refuses, or where the lists are too long
/// (their product above 2^28).
std::optional<std::vector<bool>> merged(
    const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
    const std::vector<std::uint32_t>& second,
    const std::function<bool(std::uint32_t kernel, std::uint32_t call)>& may_be);

}  // namespace benanza
