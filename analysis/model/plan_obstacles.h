#pragma once

#include <cstddef>
#include <string>

#include "core/base/error.h"

namespace benanza::analysis {

/// Why a model has no plan: names the first few layers that stand in the way, each reason once.
class PlanObstacles {
 public:
  void add(const std::string& layer, const std::string& reason) {
    const std::string one = layer + ": " + reason;
    if (one == last_) return;
    last_ = one;
    if (count_++ < most) text_ += (text_.empty() ? "" : "; ") + one;
  }
  bool empty() const { return count_ == 0; }
  Error error(const std::string& model) const {
    return Error(model + ": no plan: " + text_ +
                 (count_ > most ? " and " + std::to_string(count_ - most) + " more" : ""));
  }

 private:
  static constexpr std::size_t most = 3;
  std::size_t count_ = 0;
  std::string text_;
  std::string last_;
};

}  // namespace benanza::analysis
