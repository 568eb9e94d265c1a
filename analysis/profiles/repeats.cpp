#include "analysis/profiles/repeats.h"

#include <algorithm>

#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

bool is_same(const ProfiledNode& a, const ProfiledNode& b) {
  return a.name == b.name && std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                                        b.parts.end(), [](const Part& one, const Part& other) {
                                          return one.op == other.op &&
                                                 one.problem == other.problem &&
                                                 one.output == other.output;
                                        });
}

bool have_same_kernels(const ProfiledNode& a, const ProfiledNode& b) {
  return std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                    [](const ProfiledKernel& one, const ProfiledKernel& other) {
                      return one.name == other.name;
                    });
}

}  // namespace

bool is_same_sequence(std::span<const ProfiledNode> a, std::span<const ProfiledNode> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same);
}

bool are_equal(std::span<const ProfiledNode> nodes, std::size_t count) {
  const std::size_t length = nodes.size() / count;
  return is_same_sequence(nodes.subspan(length), nodes.first(nodes.size() - length));
}

std::size_t repeats(std::span<const ProfiledNode> nodes) {
  for (std::size_t length = 1; length < nodes.size(); ++length) {
    if (nodes.size() % length == 0 && are_equal(nodes, nodes.size() / length)) {
      return nodes.size() / length;
    }
  }
  return 1;
}

std::vector<ProfiledNode> medians(const std::vector<std::vector<ProfiledNode>>& sequences) {
  std::vector<ProfiledNode> nodes = sequences.back();
  std::vector<double> values;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    ProfiledNode& node = nodes[index];
    values.clear();
    for (const auto& sequence : sequences) values.push_back(sequence[index].seconds);
    set_times(node, values);
    const auto median_of = [&](std::size_t kernel, double ProfiledKernel::*member) {
      values.clear();
      for (const auto& sequence : sequences) {
        if (have_same_kernels(sequence[index], node)) {
          values.push_back(sequence[index].kernels[kernel].*member);
        }
      }
      return median(values);
    };
    for (std::size_t kernel = 0; kernel < node.kernels.size(); ++kernel) {
      const double seconds = median_of(kernel, &ProfiledKernel::seconds);
      const double waited = median_of(kernel, &ProfiledKernel::waited_seconds);
      node.kernels[kernel].seconds = seconds;
      node.kernels[kernel].waited_seconds = waited;
    }
  }
  return nodes;
}

void set_times(ProfiledNode& node, const std::vector<double>& seconds) {
  node.seconds = median(seconds);
  node.range.reset();
  if (seconds.size() < 2) return;
  const auto [low, high] = std::ranges::minmax(seconds);
  node.range = Interval{low, high};
}

std::vector<ProfiledNode> one_of(std::span<const ProfiledNode> nodes, std::size_t count) {
  const std::size_t length = nodes.size() / count;
  std::vector<std::vector<ProfiledNode>> sequences;
  for (std::size_t run = 0; run < count; ++run) {
    const auto part = nodes.subspan(run * length, length);
    sequences.emplace_back(part.begin(), part.end());
  }
  return medians(sequences);
}

}  // namespace benanza::analysis
