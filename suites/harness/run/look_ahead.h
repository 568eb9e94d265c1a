#pragma once

#include <cstddef>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"

namespace benanza::harness {

/// How many variants ahead a backend gets its hints: enough to keep a dozen processes busy while
/// slow ones are compiled.
inline constexpr std::size_t looked_ahead = 256;

/// Tells a backend in advance which variants come next, each once.
class LookAhead {
 public:
  explicit LookAhead(Backend& backend) : backend_(backend) {}

  /// Adds a variant after all others; one that the backend cannot make is left out. It must outlive
  /// this object.
  void add(const NamedVariant& variant);
  /// `variant` begins: hints at it and those that come after it.
  void reach(const NamedVariant& variant);

 private:
  Backend& backend_;
  std::vector<const NamedVariant*> coming_;
  /// For how many of them the backend had a hint.
  std::size_t hinted_ = 0;
};

}  // namespace benanza::harness
