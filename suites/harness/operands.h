#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace benanza::harness {

/// Takes memory of the kind that a backend's calls work on: the host's, or a device's.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// A block of `bytes`, not initialized, with the alignment that the libraries give their own
  /// tensors; null if `bytes` is 0. Throws std::bad_alloc, or its like for devices, which names the
  /// size.
  virtual std::shared_ptr<std::byte> allocate(std::int64_t bytes) = 0;
  /// Copies `bytes` to memory of this kind.
  virtual void write(std::byte* target, std::span<const std::byte> bytes) = 0;
  /// Copies from memory of this kind, after all enqueued calls.
  virtual void read(std::span<std::byte> bytes, const std::byte* source) = 0;
};

/// How a tensor lies in memory.
struct MemoryFormat {
  /// Equal names: the same bytes. Empty: dense and row-major in the problem's order.
  std::string name{};
  /// The library's description, for Backend::conversion().
  std::any description{};
};

/// Blocks aligned to cache lines; those of 1 MiB and more on large pages, if the system has them:
/// through small ones, weights come from memory up to 1.5 times as slowly.
class HostAllocator final : public Allocator {
 public:
  std::shared_ptr<std::byte> allocate(std::int64_t bytes) override;
  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;
};

/// Where the operands and results of a call lie. A call asks for each of them once, when it is
/// made, and for scratch memory; all of it stays the caller's, who keeps it as long as the call
/// lives. Calls whose data lie on several devices or in several processes do not ask.
class Operands {
 public:
  virtual ~Operands() = default;
  /// At least `bytes` for operand `index` of inputs(problem).
  virtual std::byte* operand(std::size_t index, std::int64_t bytes,
                             const MemoryFormat& format = {}) = 0;
  /// The same for result `index` of the problem.
  virtual std::byte* result(std::size_t index, std::int64_t bytes,
                            const MemoryFormat& format = {}) = 0;
  /// Memory that the call may use while it runs. Null: the call takes its library's own.
  virtual std::byte* scratch(std::int64_t bytes) = 0;
};

/// Every operand and result in a block of its own.
class OwnOperands : public Operands {
 public:
  /// `allocator` must outlive the operands.
  explicit OwnOperands(Allocator& allocator) : allocator_(&allocator) {}

  std::byte* operand(std::size_t, std::int64_t bytes, const MemoryFormat&) override {
    return block(bytes);
  }
  std::byte* result(std::size_t, std::int64_t bytes, const MemoryFormat&) override {
    return block(bytes);
  }
  std::byte* scratch(std::int64_t) override { return nullptr; }

 protected:
  std::byte* block(std::int64_t bytes);

 private:
  Allocator* allocator_;
  std::vector<std::shared_ptr<std::byte>> blocks_;
};

/// Names of MemoryFormat, "row-major" for empty ones.
struct CallFormats {
  std::vector<std::string> operands{};
  std::vector<std::string> results{};
  std::vector<std::int64_t> operand_bytes{};
};

/// The same, which notes the formats and sizes that the call asks for.
class NotedOperands final : public OwnOperands {
 public:
  using OwnOperands::OwnOperands;

  std::byte* operand(std::size_t index, std::int64_t bytes, const MemoryFormat& format) override;
  std::byte* result(std::size_t index, std::int64_t bytes, const MemoryFormat& format) override;
  const CallFormats& formats() const { return formats_; }

 private:
  CallFormats formats_;
};

/// One operand and one result that the caller owns.
class CopyEnds final : public Operands {
 public:
  CopyEnds(std::byte* source, std::byte* target) : source_(source), target_(target) {}

  std::byte* operand(std::size_t, std::int64_t, const MemoryFormat&) override { return source_; }
  std::byte* result(std::size_t, std::int64_t, const MemoryFormat&) override { return target_; }
  std::byte* scratch(std::int64_t) override { return nullptr; }

 private:
  std::byte* source_;
  std::byte* target_;
};

}  // namespace benanza::harness
