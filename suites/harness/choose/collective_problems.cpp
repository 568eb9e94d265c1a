#include "suites/harness/choose/collective_problems.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/problem/problem.h"
#include "suites/harness/own_flags.h"

namespace benanza::harness {
namespace {

constexpr std::int64_t element_size = 4;
/// Libraries are slower for odd sizes.
constexpr std::int64_t line_size = 64;

/// The all-reduces of DeepBench's training set, in elements (baidu-research/DeepBench@da81ba7). The
/// published sheets have 16,777,216 instead of 16,777,217.
constexpr std::int64_t deepbench_elements[] = {100'000,    3'097'600,  4'194'304, 6'553'600,
                                               16'777'217, 38'360'000, 64'500'000};

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view wanted) {
  throw Error(std::string(flag) + '=' + std::string(text) + ": give " + std::string(wanted));
}

std::int64_t bytes_of(std::string_view flag, std::string_view text) {
  const auto value = text::bytes(text);
  if (!value || *value < 1) refuse(flag, text, "bytes, e.g. 256, 64K or 512M");
  return *value;
}

std::vector<std::int64_t> ranks_of(std::string_view text) {
  std::vector<std::int64_t> all;
  for (const std::string_view part : text::split(text, ',')) {
    const auto value = text::number<std::int64_t>(part);
    if (!value || *value < 2) refuse("--ranks", text, "numbers from 2, e.g. 2,4,8");
    all.push_back(*value);
  }
  return all;
}

std::set<std::int64_t> elements_of(CollectiveKind kind, const CollectiveOptions& options) {
  std::set<std::int64_t> all;
  const auto first =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(options.min_bytes)));
  for (std::int64_t bytes = std::max(first, element_size); bytes <= options.max_bytes; bytes *= 2) {
    all.insert(bytes / element_size);
    for (std::int64_t step = 1; step < options.steps; ++step) {
      const double exponent = static_cast<double>(step) / static_cast<double>(options.steps);
      const std::int64_t between =
          std::llround(static_cast<double>(bytes) * std::exp2(exponent) / line_size) * line_size;
      if (between > bytes && between < 2 * bytes && between <= options.max_bytes) {
        all.insert(between / element_size);
      }
    }
  }
  if (kind != CollectiveKind::all_reduce) return all;
  for (const std::int64_t elements : deepbench_elements) {
    const std::int64_t bytes = elements * element_size;
    if (bytes >= options.min_bytes && bytes <= options.max_bytes) all.insert(elements);
  }
  return all;
}

}  // namespace

CollectiveOptions take_collective_options(int& argc, char** argv) {
  CollectiveOptions options;
  take_flags(argc, argv, [&](std::string_view argument) {
    if (const auto ranks = flag_value(argument, "--ranks")) {
      options.ranks = ranks_of(*ranks);
    } else if (const auto steps = flag_value(argument, "--steps")) {
      const auto value = text::number<std::int64_t>(*steps);
      if (!value || *value < 1 || *value > 64) refuse("--steps", *steps, "a number from 1 to 64");
      options.steps = *value;
    } else if (const auto least = flag_value(argument, "--min-bytes")) {
      options.min_bytes = bytes_of("--min-bytes", *least);
    } else if (const auto most = flag_value(argument, "--max-bytes")) {
      options.max_bytes = bytes_of("--max-bytes", *most);
    } else {
      return false;
    }
    return true;
  });
  return options;
}

std::vector<BackendFlag> collective_flags() {
  return {{"--ranks", "N,...", "how many take part (default: all)"},
          {"--min-bytes", "BYTES",
           "smallest size: of the largest tensor of a rank, in fp32 (default: 256)"},
          {"--max-bytes", "BYTES", "largest size, e.g. 64M (default: 512M)"},
          {"--steps", "N", "sizes from one power of two to the next (default: 1)"}};
}

std::vector<std::string> collective_keys(const CollectiveOptions& options) {
  std::vector<std::string> keys;
  for (const CollectiveKind kind : all_collectives) {
    for (const std::int64_t ranks : options.ranks) {
      for (const std::int64_t elements : elements_of(kind, options)) {
        const bool is_whole =
            kind == CollectiveKind::all_reduce || kind == CollectiveKind::broadcast;
        const std::int64_t divisor = is_whole ? 1 : ranks;
        const std::int64_t rounded = (elements + divisor - 1) / divisor * divisor;
        keys.push_back(key({.shape = Collective{kind, rounded, ranks}, .epilogue = {}}));
      }
    }
  }
  return keys;
}

}  // namespace benanza::harness
