#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/profiles/kineto/trace.h"

namespace benanza::analysis::kineto {

/// Texts by number.
class Numbering {
 public:
  Index number(std::string_view text);
  std::size_t size() const { return numbers_.size(); }
  /// All texts, in the order of their numbers.
  std::vector<std::string> texts() const&;
  /// The same, without a second copy; there are none left.
  std::vector<std::string> texts() &&;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> numbers_;
};

/// A call of CUDA that may launch work.
struct Launch {
  std::int64_t correlation = 0;
  double start = 0;
  Index thread = 0;
  Index name = 0;
  /// The innermost operator that ran around it, if any.
  Index call = no_index;
  bool has_work = false;
};

inline constexpr std::int16_t no_device = -1;

/// What an event is, by its category; before PyTorch 1.13, these had other names.
enum class EventKind { other, op, kernel, copy, launch, annotation, gpu_annotation };
EventKind kind_of(std::string_view category);

/// What links work to its launch and its operator.
struct WorkLinks {
  std::int64_t correlation = no_id;
  std::int64_t external = no_id;
  /// Process as the trace has it: the GPU's number or, in merged traces, that of a process.
  Index process_name = no_index;
  /// The stream's number, by which the trace names its line.
  std::int32_t stream = 0;
  /// The GPU's number.
  std::int16_t device = no_device;
  /// It says that it is a node of a CUDA graph.
  bool in_graph = false;
};

struct Mark {
  double start = 0;
  double end = 0;
  Index process_name = 0;
};

/// What the events say, in their order.
struct Events {
  std::vector<Op> ops{};
  Numbering names{};
  /// Of processes, as the trace writes them.
  Numbering process_names{};
  /// The process of each thread.
  std::vector<Index> threads{};
  /// Without parents and processes.
  std::vector<OpCall> calls{};
  std::vector<Launch> launches{};
  /// Without launches, calls and processes.
  std::vector<Work> work{};
  /// Of each work.
  std::vector<WorkLinks> links{};
  std::vector<Mark> steps{};
  std::vector<Mark> waits{};
  /// The GPU that the first kernel ran on.
  std::optional<std::int64_t> device{};
  bool has_shapes = false;
  /// Events of operators, launches and kernels that say no start.
  std::size_t without_start = 0;
  std::size_t kernels_without_start = 0;
  std::size_t kernels = 0;
  std::size_t kernels_without_time = 0;
  /// Those whose duration is stated as 0.
  std::size_t kernels_of_no_time = 0;
};

Events read_events(const ProfileFile& document);

/// Removes work that the trace tells again, as one does that was merged with itself: the same name,
/// launch and times on the same stream. Returns how many. `links`: of each work.
std::size_t drop_told_twice(std::vector<Work>& work, std::vector<WorkLinks>& links);

}  // namespace benanza::analysis::kineto
