#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/operands.h"
#include "suites/harness/primitive.h"

namespace benanza::harness {

/// What a way does to accuracy and memory. The default is one call that adds up in fp32.
struct Traits {
  /// Multiplies transforms of its operands (Winograd, FFT): if the tolerance of a sum does not do,
  /// verify::transform_tolerance() decides.
  bool transforms = false;
  /// By what factor the error of a correct call may exceed that of a plain fp32 sum.
  double rounding_amplification = 1;
  /// How many partial sums a correct call may add in the type of its result, rounding after each:
  /// slices of long sums (split-k), or all terms of atomic additions.
  double partial_sums = few_partial_sums;
  static constexpr double few_partial_sums = 4;
  /// Reads an operand, the residual, from its result's memory, and overwrites it: the operand must
  /// not be needed any more.
  bool in_place = false;
  /// Number of the library's calls.
  std::size_t calls = 1;
  /// The library's reference code: correct, and slower by orders of magnitude.
  bool reference = false;
  /// Takes the result, and operands of its extents, in strides of the caller's, which leave at most
  /// so many axes when axes are merged that follow each other in memory (the last one without
  /// gaps); 0: dense only. Of attention all operands.
  int strided_axes = 0;
  /// Limits itself to so many of the host's threads; empty: all.
  std::optional<int> threads = std::nullopt;
  /// Solves the problem with signed data instead of unsigned (Backend::knows_unsigned_data()), and
  /// is verified with these.
  bool signed_data = false;

  bool operator==(const Traits&) const = default;
};

/// One method of a library for one problem, precision and layout.
struct Way {
  Algorithm name;
  Traits traits = {};
  /// Sets up the call, whose operands and results lie where `operands` says. Throws Unsupported if
  /// the library refuses.
  std::function<std::unique_ptr<Primitive>(Operands& operands)> make = nullptr;
  /// Hint that make() will soon be called: slow work that needs no operands (e.g. compilation)
  /// starts in the background. Null if there is none.
  std::function<void()> prefetch = nullptr;
  /// The names of ways that differ from this one in a setting, whether or not ways() lists them:
  /// where a search goes on from a good one. Some may be refused when they are made. Null if there
  /// is none.
  std::function<std::vector<Algorithm>()> near = nullptr;
};

/// The names of ways, in their order.
std::vector<Algorithm> names_of(const std::vector<Way>& ways);

/// The call in memory of its own, which lives as long as it does. `formats`, if not null, becomes
/// those of its tensors.
std::shared_ptr<Primitive> make_alone(const Way& way, Allocator& allocator,
                                      CallFormats* formats = nullptr);

}  // namespace benanza::harness
