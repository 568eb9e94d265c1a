#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

/// Events of a GPU and its driver, as reported by a recorder inside the program. Times are in
/// nanoseconds of the recorder's clock (see ClockEvent). Names are views whose lifetime is defined
/// by the producer. Every event lists its fields in the order of a journal.
namespace benanza {

/// When and where work ran, and the correlation number of the call that launched it. Graph nodes
/// have both `graph` and `node`, otherwise both are 0.
struct Launched {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t node = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.start), visit(self.end), visit(self.device), visit(self.context);
    visit(self.stream), visit(self.correlation), visit(self.graph), visit(self.node);
  }
  bool operator==(const Launched&) const = default;
};

struct KernelEvent {
  Launched at{};
  std::string_view name{};
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  /// Per thread.
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Launched::fields(self.at, visit);
    visit(self.name);
    for (auto& extent : self.grid) visit(extent);
    for (auto& extent : self.block) visit(extent);
    visit(self.registers), visit(self.static_shared_bytes), visit(self.dynamic_shared_bytes);
  }
  bool operator==(const KernelEvent&) const = default;
};

/// A copy or a memset.
struct CopyEvent {
  Launched at{};
  /// "host to device", ..., or "set".
  std::string_view direction{};
  std::uint64_t bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Launched::fields(self.at, visit);
    visit(self.direction), visit(self.bytes);
  }
  bool operator==(const CopyEvent&) const = default;
};

/// A graph launch that is timed as a whole.
struct GraphEvent {
  Launched at{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Launched::fields(self.at, visit);
  }
  bool operator==(const GraphEvent&) const = default;
};

/// A call of the CUDA runtime or driver.
struct ApiEvent {
  std::string_view name{};
  std::int64_t start = 0;
  std::int64_t end = 0;
  /// The operating system's thread number.
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  /// The returned status; 0: success.
  std::uint32_t result = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name), visit(self.start), visit(self.end), visit(self.thread);
    visit(self.correlation), visit(self.result);
  }
  bool operator==(const ApiEvent&) const = default;
};

/// Start or end of an NVTX range.
struct MarkerEvent {
  enum class Kind : std::uint8_t { begin, end };
  Kind kind = Kind::begin;
  /// Equal for both ends; unique in the process.
  std::uint32_t id = 0;
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  /// Empty for the end of a range.
  std::string_view name{};
  std::string_view domain{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.kind), visit(self.id), visit(self.time), visit(self.thread);
    visit(self.name), visit(self.domain);
  }
  bool operator==(const MarkerEvent&) const = default;
};

struct DeviceEvent {
  std::uint32_t id = 0;
  std::string_view name{};
  std::uint32_t capability_major = 0;
  std::uint32_t capability_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id), visit(self.name), visit(self.capability_major), visit(self.capability_minor);
    visit(self.multiprocessors), visit(self.memory_bytes);
  }
  bool operator==(const DeviceEvent&) const = default;
};

/// Maps the recorder's clock to Unix time. Precedes all timed events of a journal.
struct ClockEvent {
  std::int64_t time = 0;
  std::int64_t unix_nanoseconds = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.time), visit(self.unix_nanoseconds);
  }
  bool operator==(const ClockEvent&) const = default;
};

/// Events dropped for lack of space.
struct LostEvent {
  std::uint64_t events = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.events);
  }
  bool operator==(const LostEvent&) const = default;
};

/// A message for users: what is recorded with, or why nothing is recorded.
struct NoteEvent {
  bool is_error = false;
  std::string_view text{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.is_error), visit(self.text);
  }
  bool operator==(const NoteEvent&) const = default;
};

/// The value of a hardware counter in one launch of a kernel.
struct CounterEvent {
  /// Number of the launch in its process, from 1.
  std::uint64_t launch = 0;
  std::string_view kernel{};
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  /// As CUPTI names it: "dram__bytes_read.sum".
  std::string_view counter{};
  double value = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.launch), visit(self.kernel);
    for (auto& extent : self.grid) visit(extent);
    for (auto& extent : self.block) visit(extent);
    visit(self.counter), visit(self.value);
  }
  bool operator==(const CounterEvent&) const = default;
};

/// Memory that was allocated or freed.
struct MemoryEvent {
  std::int64_t time = 0;
  std::uint32_t device = 0;
  bool is_freed = false;
  /// "device", "managed", "pinned", ...
  std::string_view kind{};
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.time), visit(self.device), visit(self.is_freed), visit(self.kind);
    visit(self.address), visit(self.bytes);
  }
  bool operator==(const MemoryEvent&) const = default;
};

using Event = std::variant<ClockEvent, NoteEvent, DeviceEvent, KernelEvent, CopyEvent, GraphEvent,
                           ApiEvent, MarkerEvent, LostEvent, CounterEvent, MemoryEvent>;

}  // namespace benanza
