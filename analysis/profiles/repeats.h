#pragma once

#include <span>
#include <vector>

#include "analysis/profiles/profile.h"

namespace benanza::analysis {

/// Returns true if both have the same operators with the same shapes, in the same order.
bool is_same_sequence(std::span<const ProfiledNode> a, std::span<const ProfiledNode> b);

/// Returns true if `nodes` repeat one sequence `count` times. `count` must divide their number.
bool are_equal(std::span<const ProfiledNode> nodes, std::size_t count);

/// Returns the largest number of equal sequences that `nodes` consist of; 1 if nothing repeats.
std::size_t repeats(std::span<const ProfiledNode> nodes);

/// Returns one sequence with the median time of every operator and kernel. The sequences must be
/// the same; if an operator's kernels differ, the last sequence's kernels are used.
std::vector<ProfiledNode> medians(const std::vector<std::vector<ProfiledNode>>& sequences);

/// Sets the time of an operator and its range from those of several runs; at least one.
void set_times(ProfiledNode& node, const std::vector<double>& seconds);

/// Splits `nodes` into `count` equal sequences and returns their medians().
std::vector<ProfiledNode> one_of(std::span<const ProfiledNode> nodes, std::size_t count);

}  // namespace benanza::analysis
