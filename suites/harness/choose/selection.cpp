#include "suites/harness/choose/selection.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <variant>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::harness {
namespace {

/// The text after '^' up to the first metacharacter.
std::string literal_prefix(std::string_view pattern) {
  if (!pattern.starts_with('^') || pattern.find('|') != std::string_view::npos) return {};
  pattern.remove_prefix(1);
  const std::size_t end = std::min(pattern.find_first_of(".[]()*+?{}\\^$"), pattern.size());
  std::string_view literal = pattern.substr(0, end);
  // The next character may make the last character optional.
  if (end < pattern.size() &&
      std::string_view("*?{").find(pattern[end]) != std::string_view::npos && !literal.empty()) {
    literal.remove_suffix(1);
  }
  return std::string(literal);
}

}  // namespace

NameFilter::NameFilter(std::string_view pattern) {
  const std::string_view whole = pattern;
  if (pattern.starts_with('-')) {
    negative_ = true;
    pattern.remove_prefix(1);
  }
  if (pattern.empty() || pattern == "all") return;
  if (!negative_) literal_prefix_ = literal_prefix(pattern);
  auto compiled = std::make_unique<regex_t>();
  const int code =
      ::regcomp(compiled.get(), std::string(pattern).c_str(), REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    char reason[128];
    ::regerror(code, compiled.get(), reason, sizeof(reason));
    throw Error("--benchmark_filter=" + std::string(whole) +
                ": not a regular expression: " + reason);
  }
  expression_.reset(compiled.release());
}

void NameFilter::Free::operator()(regex_t* expression) const noexcept {
  ::regfree(expression);
  delete expression;
}

bool NameFilter::matches(const std::string& name) const {
  const bool found = !expression_ || ::regexec(expression_.get(), name.c_str(), 0, nullptr, 0) == 0;
  return found != negative_;
}

bool NameFilter::may_match(std::string_view prefix) const {
  const std::size_t length = std::min(prefix.size(), literal_prefix_.size());
  return prefix.substr(0, length) == std::string_view(literal_prefix_).substr(0, length);
}

namespace {

/// Fitted to oneDNN 2.6 on two cores with AVX-512, in repetitions of 0.02 s: 131 problems of
/// SqueezeNet and single larger ones.
constexpr double seconds_per_variant = 0.05;
constexpr double flops_per_second = 50e9;
constexpr double bytes_per_second = 500e6;

/// If possible, no shard gets more than this many times the mean. The closer to 1, the more
/// problems move when others are added: with the zoo's 30th model in 8 shards, 1.6% on average at
/// 1.1 and 4.1% at 1.02.
constexpr double bound = 1.1;

/// Typical number of algorithms a library has for one precision and layout, including variants by
/// the number of threads.
struct TypicalAlgorithms {
  double operator()(const Convolution&) const { return 6; }
  double operator()(const Deconvolution&) const { return 6; }
  double operator()(const ConvolutionFilterGradient&) const { return 6; }
  double operator()(const Gemm&) const { return 6; }
  double operator()(const Attention&) const { return 6; }
  double operator()(const Recurrent&) const { return 6; }
  double operator()(const RecurrentGradient&) const { return 6; }
  double operator()(const Activation&) const { return 4; }
  double operator()(const Pooling&) const { return 4; }
  double operator()(const BatchNormalization&) const { return 3; }
  template <class Other>
  double operator()(const Other&) const {
    return 1.5;
  }
};

/// FNV-1a, 64 bits: the same on every machine, unlike std::hash.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char byte : text) {
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return value;
}

/// Mixes all bits (the finalizer of SplitMix64).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// The shards in the order of preference of `key`.
std::vector<std::size_t> preferences(std::string_view key, std::size_t count) {
  const std::uint64_t own = hash(key);
  std::vector<std::uint64_t> weights(count);
  for (std::size_t shard = 0; shard < count; ++shard) {
    weights[shard] = mix(own + (shard + 1) * 0x9e3779b97f4a7c15U);
  }
  std::vector<std::size_t> shards(count);
  std::iota(shards.begin(), shards.end(), std::size_t{0});
  std::ranges::sort(shards, [&](std::size_t a, std::size_t b) {
    return std::tie(weights[b], a) < std::tie(weights[a], b);
  });
  return shards;
}

}  // namespace

Shard parse_shard(std::string_view text) {
  constexpr std::size_t most = 100'000;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto index = text::number<std::size_t>(text.substr(0, slash));
    const auto count = text::number<std::size_t>(text.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count && *count <= most) {
      return {.index = *index, .count = *count};
    }
  }
  throw Error("--shard=" + std::string(text) + ": give I/N with I from 1 to N, e.g. 2/8");
}

double predicted_seconds(const Problem& problem, std::size_t combinations, AlgorithmSet set) {
  const Work cost = work(problem, Precision::fp32);
  const double algorithms =
      set == AlgorithmSet::best ? 1 : std::visit(TypicalAlgorithms{}, problem.shape);
  return static_cast<double>(combinations) * algorithms *
         (seconds_per_variant + cost.flops / flops_per_second +
          static_cast<double>(cost.bytes()) / bytes_per_second);
}

std::vector<std::size_t> assign_shards(std::span<const ShardItem> items, std::size_t count) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(items[b].seconds, items[a].key) < std::tie(items[a].seconds, items[b].key);
  });
  double total = 0;
  for (const std::size_t item : order) total += items[item].seconds;
  const double capacity = bound * total / static_cast<double>(count);

  std::vector<double> load(count);
  std::vector<std::size_t> result(items.size());
  for (const std::size_t item : order) {
    const double seconds = items[item].seconds;
    const std::vector<std::size_t> shards = preferences(items[item].key, count);
    auto place = std::ranges::find_if(
        shards, [&](std::size_t shard) { return load[shard] + seconds <= capacity; });
    if (place == shards.end()) {
      place = std::ranges::min_element(shards, {}, [&](std::size_t shard) { return load[shard]; });
    }
    load[*place] += seconds;
    result[item] = *place;
  }
  return result;
}

}  // namespace benanza::harness
