#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace benanza {

/// Merges two ordered lists of calls into one that matches the ordered list of kernels. Kernels and
/// calls are given by numbers that stand for their names. The search alternates between counting
/// pairs of kernel and call and merging anew, to find the merge whose pairs occur most often; in a
/// tie the first list goes first.
/// Returns, for each kernel, whether its call is from the second list. Empty if the counts do not
/// add up, if every merge has a pair that `may_be` rejects, or if the lists are too long (their
/// product above 2^28).
std::optional<std::vector<bool>> merged(
    const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
    const std::vector<std::uint32_t>& second,
    const std::function<bool(std::uint32_t kernel, std::uint32_t call)>& may_be);

}  // namespace benanza
