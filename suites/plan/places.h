#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/plan_file/accesses.h"
#include "core/plan_file/plan.h"
#include "suites/harness/backend.h"

namespace benanza::plan {

/// A tensor's elements from one format to another, by name (harness::MemoryFormat).
struct FormatConversion {
  std::unique_ptr<harness::Primitive> call{};
  const harness::Backend* library = nullptr;
  std::string from{};
  std::string to{};
  /// Of what it writes.
  std::int64_t bytes = 0;
};

/// Where the tensors of a plan are while its calls are made in order, and in which format. A tensor
/// is read in the format in which it was written, or after a conversion to another; what does not
/// fit where the plan has it, and what conversions write, gets blocks of its own, which others use
/// again after the last step of the tensor's buffer. Parts of a joined tensor that are not in its
/// place, or there in another format, are copied there before it is read.
class Places {
 public:
  /// The fastest of `backends`, at least one, makes a conversion, in `memory`. All must outlive
  /// this.
  Places(const Plan& plan, std::span<harness::Backend* const> backends, harness::Allocator& memory);

  /// The calls made next are of this step; the number of steps: the caller's.
  void begin(std::size_t step) { step_ = step; }

  /// A tensor's elements from `first` on, for a call that is made now. Throws Error if `bytes` are
  /// more than there are, Unsupported if there is no conversion.
  std::byte* read(std::size_t tensor, std::int64_t first, std::int64_t bytes,
                  const harness::MemoryFormat& format);
  /// The same for a result; `whole`: the call writes all of the tensor.
  std::byte* write(std::size_t tensor, std::int64_t first, bool whole, std::int64_t bytes,
                   const harness::MemoryFormat& format);

  /// At least `bytes` that calls may use one after the other.
  std::byte* shared_scratch(std::int64_t bytes);

  /// The conversions that read() needed since the last call of this.
  std::vector<FormatConversion> take_conversions();
  /// What was read and written, by conversions as well, since the last call of this.
  std::vector<Access> take_accesses();
  /// In blocks besides the arena.
  std::int64_t bytes_beyond_arena() const { return spare_.bytes(); }

 private:
  struct Copy {
    harness::MemoryFormat format;
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
  };
  /// What is held since the last call that wrote it.
  struct Held {
    harness::MemoryFormat format{};
    std::byte* data = nullptr;
    /// From `data` on.
    std::int64_t bytes = 0;
    std::vector<Copy> converted{};
  };
  /// The buffer, the first element and how many there are: views are the same.
  using Key = std::tuple<std::size_t, std::int64_t, std::int64_t>;

  Key key_of(std::size_t tensor) const;
  Held& held(std::size_t tensor);
  /// The part whose place in a joined tensor is this tensor's own; null if there is none.
  const JoinedPart* part_in_place(std::size_t tensor) const;
  Held joined(std::size_t whole);
  void bring(std::size_t whole, const JoinedPart& part);
  void convert(Held& from, const harness::MemoryFormat& format, std::byte* target,
               std::int64_t bytes);
  FormatConversion fastest_conversion(const Held& from, const harness::MemoryFormat& format,
                                      std::byte* target) const;
  void copy(const Held& from, std::byte* target, std::int64_t elements);
  std::byte* in_arena(std::size_t tensor) const;
  /// An access of the call that is made now.
  void note(const std::byte* begin, std::int64_t bytes, bool writes);
  /// Bytes of the tensor from its first element to the end of its buffer or, of a part, to its own.
  std::int64_t room(std::size_t tensor) const;
  /// Until the last step that may read the tensor.
  std::byte* block(std::size_t tensor, std::int64_t bytes);

  const Plan& plan_;
  std::vector<harness::Backend*> backends_;
  harness::Allocator& memory_;
  std::shared_ptr<std::byte> arena_;
  std::size_t step_ = 0;
  SpareBlocks spare_;
  std::vector<std::shared_ptr<std::byte>> blocks_;
  /// The last is the largest; calls keep those before.
  std::vector<std::shared_ptr<std::byte>> scratch_;
  std::int64_t scratch_bytes_ = 0;
  std::map<Key, Held> held_;
  /// Joined tensors, and parts that lie in their place there.
  std::map<Key, std::size_t> joined_;
  std::map<Key, const JoinedPart*> parts_;
  std::vector<FormatConversion> conversions_;
  std::vector<Access> accesses_;
};

}  // namespace benanza::plan
