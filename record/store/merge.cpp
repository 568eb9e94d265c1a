#include "record/store/merge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace benanza {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 28;
constexpr int most_turns = 8;
constexpr float impossible = -std::numeric_limits<float>::infinity();

/// A score for each pair of kernel and call.
class Scores {
 public:
  Scores(std::size_t kernels, std::size_t calls) : calls_(calls), values_(kernels * calls) {}
  float& at(std::uint32_t kernel, std::uint32_t call) { return values_[kernel * calls_ + call]; }
  float at(std::uint32_t kernel, std::uint32_t call) const {
    return values_[kernel * calls_ + call];
  }

 private:
  std::size_t calls_;
  std::vector<float> values_;
};

std::size_t extent(const std::vector<std::uint32_t>& list) {
  return list.empty() ? 0 : std::size_t{*std::max_element(list.begin(), list.end())} + 1;
}

class Merge {
 public:
  Merge(const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
        const std::vector<std::uint32_t>& second)
      : kernels_(kernels),
        first_(first),
        second_(second),
        from_second_((first.size() + 1) * (second.size() + 1)) {}

  /// Empty if every merge has an impossible pair.
  std::optional<std::vector<bool>> best(const Scores& scores) {
    const std::size_t columns = second_.size() + 1;
    std::vector<float> row(columns, impossible);
    for (std::size_t i = 0; i <= first_.size(); ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (i + j == 0) {
          row[0] = 0;
          continue;
        }
        const std::uint32_t kernel = kernels_[i + j - 1];
        // row[j] is still that of the previous i, with one call of the first list less.
        const float down = i == 0 ? impossible : row[j] + scores.at(kernel, first_[i - 1]);
        const float right = j == 0 ? impossible : row[j - 1] + scores.at(kernel, second_[j - 1]);
        // Prefer the second list in a tie: the path is traced backwards, so the first list's call
        // comes first.
        from_second_[i * columns + j] = right >= down;
        row[j] = std::max(down, right);
      }
    }
    if (row.back() == impossible) return std::nullopt;
    std::vector<bool> result(kernels_.size());
    for (std::size_t i = first_.size(), j = second_.size(); i + j > 0;) {
      const bool is_second = i == 0 || (j > 0 && from_second_[i * columns + j]);
      result[i + j - 1] = is_second;
      is_second ? --j : --i;
    }
    return result;
  }

 private:
  const std::vector<std::uint32_t>& kernels_;
  const std::vector<std::uint32_t>& first_;
  const std::vector<std::uint32_t>& second_;
  std::vector<bool> from_second_;
};

}  // namespace

std::optional<std::vector<bool>> merged(
    const std::vector<std::uint32_t>& kernels, const std::vector<std::uint32_t>& first,
    const std::vector<std::uint32_t>& second,
    const std::function<bool(std::uint32_t kernel, std::uint32_t call)>& may_be) {
  if (first.size() + second.size() != kernels.size()) return std::nullopt;
  if ((first.size() + 1) > most_cells / (second.size() + 1)) return std::nullopt;
  const std::size_t kernel_count = extent(kernels);
  const std::size_t call_count = std::max(extent(first), extent(second));
  Scores scores(kernel_count, call_count);
  std::vector<float> kernel_totals(kernel_count);
  std::vector<float> call_totals(call_count);
  for (const std::uint32_t kernel : kernels) ++kernel_totals[kernel];
  for (const std::uint32_t call : first) ++call_totals[call];
  for (const std::uint32_t call : second) ++call_totals[call];
  // Initially, a kernel and a call that occur equally often are assumed to be a pair.
  for (std::uint32_t kernel = 0; kernel < kernel_count; ++kernel) {
    for (std::uint32_t call = 0; call < call_count; ++call) {
      const float ratio = kernel_totals[kernel] / std::max(call_totals[call], 1.0F);
      scores.at(kernel, call) =
          may_be(kernel, call) ? -std::abs(std::log(std::max(ratio, 1e-6F))) : impossible;
    }
  }
  Merge merge(kernels, first, second);
  std::optional<std::vector<bool>> result;
  for (int turn = 0; turn < most_turns; ++turn) {
    auto next = merge.best(scores);
    if (!next || next == result) return next;
    result = std::move(next);
    Scores pairs(kernel_count, call_count);
    for (std::size_t at = 0, i = 0, j = 0; at < kernels.size(); ++at) {
      ++pairs.at(kernels[at], (*result)[at] ? second[j++] : first[i++]);
    }
    for (std::uint32_t kernel = 0; kernel < kernel_count; ++kernel) {
      for (std::uint32_t call = 0; call < call_count; ++call) {
        float& score = scores.at(kernel, call);
        if (score == impossible) continue;
        constexpr float doubt = 0.1F;
        score = std::log((pairs.at(kernel, call) + doubt) / (call_totals[call] + 1));
      }
    }
  }
  return result;
}

}  // namespace benanza
