#pragma once

#include <span>
#include <vector>

#include "analysis/profiles/profile.h"

namespace benanza::analysis {

/// The same operators with the same shapes, in the same order.
bool is_same_sequence(std::span<const ProfiledNode> a, std::span<const ProfiledNode> b);

/// True if `nodes` are `count` times one sequence. `count` must divide their number.
bool are_equal(std::span<const ProfiledNode> nodes, std::size_t count);

/// The largest number of equal sequences that `nodes` are; 1 if they are no repetition.
std::size_t repeats(std::span<const ProfiledNode> nodes);

/// One sequence of the times of several: of every operator and kernel the median. The sequences
/// must be the same; kernels of an operator that differ between them are those of the last.
std::vector<ProfiledNode> medians(const std::vector<std::vector<ProfiledNode>>& sequences);

/// `nodes` cut into `count` equal sequences, and their medians().
std::vector<ProfiledNode> one_of(std::span<const ProfiledNode> nodes, std::size_t count);

}  // namespace benanza::analysis
