#include "suites/harness/run/rotating_call.h"

#include <algorithm>
#include <map>

#include "core/problem/problem.h"
#include "suites/harness/operands.h"

namespace benanza::harness {
namespace {

bool rotates(const Operand& operand) { return operand.role != Role::data; }

}  // namespace

std::optional<Rotation> rotation(const Problem& problem, Precision precision,
                                 const Stopwatch& stopwatch) {
  std::int64_t bytes = 0;
  for (const Operand& operand : inputs(problem)) {
    if (rotates(operand)) bytes += element_count(operand.dims) * element_bytes(precision);
  }
  const std::int64_t cache_bytes = stopwatch.cache_bytes();
  if (bytes == 0 || cache_bytes == 0) return std::nullopt;
  const std::int64_t copies = std::max<std::int64_t>(2, (2 * cache_bytes + bytes - 1) / bytes);
  if (copies <= most_rotating_copies) return Rotation{.copies = copies};
  if (!stopwatch.knows_flush_seconds()) return std::nullopt;
  return Rotation{.copies = flushed_copies, .flushes = true};
}

/// The same places for every copy, except for what rotates.
class RotatingCall::Places final : public OwnOperands {
 public:
  Places(Allocator& allocator, const std::vector<bool>& rotates)
      : OwnOperands(allocator), rotates_(rotates) {}

  std::byte* operand(std::size_t index, std::int64_t bytes, const MemoryFormat&) override {
    return index < rotates_.size() && rotates_[index] ? block(bytes)
                                                      : shared(operands_, index, bytes);
  }
  std::byte* result(std::size_t index, std::int64_t bytes, const MemoryFormat&) override {
    return shared(results_, index, bytes);
  }

 private:
  using Blocks = std::map<std::size_t, std::byte*>;

  std::byte* shared(Blocks& blocks, std::size_t index, std::int64_t bytes) {
    const auto [found, is_new] = blocks.try_emplace(index);
    if (is_new) found->second = block(bytes);
    return found->second;
  }

  const std::vector<bool>& rotates_;
  Blocks operands_;
  Blocks results_;
};

RotatingCall::RotatingCall(const Way& way, const Problem& problem, Allocator& allocator,
                           std::int64_t copies) {
  for (const Operand& operand : inputs(problem)) {
    rotates_.push_back(rotates(operand));
  }
  places_ = std::make_unique<Places>(allocator, rotates_);
  for (std::int64_t copy = 0; copy < copies; ++copy) copies_.push_back(way.make(*places_));
}

RotatingCall::~RotatingCall() = default;

void RotatingCall::upload(std::size_t index, std::span<const float> values) {
  if (index < rotates_.size() && !rotates_[index]) return copies_.front()->upload(index, values);
  for (const auto& copy : copies_) copy->upload(index, values);
}

void RotatingCall::restore() {
  for (const auto& copy : copies_) copy->restore();
}

void RotatingCall::poison_output() { copies_.front()->poison_output(); }

void RotatingCall::run() {
  copies_[next_]->run();
  next_ = (next_ + 1) % copies_.size();
}

std::vector<float> RotatingCall::download() { return copies_.front()->download(); }

std::optional<Primitive::Glimpse> RotatingCall::glimpse(std::span<const std::int64_t> places) {
  return copies_.front()->glimpse(places);
}

std::int64_t RotatingCall::workspace_bytes() const { return copies_.front()->workspace_bytes(); }

std::int64_t RotatingCall::round() const { return std::ssize(copies_); }

}  // namespace benanza::harness
