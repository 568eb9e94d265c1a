#include "record/capture/cupti/range_gate.h"

namespace benanza::record {

bool RangeGate::is_open() const {
  if (!has_name()) return true;
  const std::lock_guard lock(mutex_);
  return open_ > 0;
}

void RangeGate::push(std::uint64_t thread, const void* domain, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const bool is_ours = name == name_;
  stacks_[{thread, domain}].push_back(is_ours);
  if (is_ours) ++open_;
}

void RangeGate::pop(std::uint64_t thread, const void* domain) {
  const std::lock_guard lock(mutex_);
  const auto stack = stacks_.find({thread, domain});
  // The range was pushed before callbacks were enabled.
  if (stack == stacks_.end()) return;
  if (stack->second.back()) --open_;
  stack->second.pop_back();
  if (stack->second.empty()) stacks_.erase(stack);
}

void RangeGate::start(std::uint64_t id, std::string_view name) {
  if (name != name_) return;
  const std::lock_guard lock(mutex_);
  if (started_.insert(id).second) ++open_;
}

void RangeGate::end(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (started_.erase(id) > 0) --open_;
}

}  // namespace benanza::record
