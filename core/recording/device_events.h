#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

/// What a GPU and its driver did, as a recorder inside of the program tells it. Times are in
/// nanoseconds of the teller's clock (Clock says what that is); names live as long as who gives
/// them says. Every event lists its fields, in their order in a journal.
namespace benanza {

/// Where a thing ran, and which call launched it. A graph's node has both numbers, else both are 0.
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

/// A copy or a set of memory.
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

/// The launch of a graph that is timed as a whole.
struct GraphEvent {
  Launched at{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Launched::fields(self.at, visit);
  }
  bool operator==(const GraphEvent&) const = default;
};

/// A call of the runtime or the driver.
struct ApiEvent {
  std::string_view name{};
  std::int64_t start = 0;
  std::int64_t end = 0;
  /// The system's number of it.
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  /// What it returned; 0: success.
  std::uint32_t result = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name), visit(self.start), visit(self.end), visit(self.thread);
    visit(self.correlation), visit(self.result);
  }
  bool operator==(const ApiEvent&) const = default;
};

/// An end of an NVTX range.
struct MarkerEvent {
  enum class Kind : std::uint8_t { begin, end };
  Kind kind = Kind::begin;
  /// Equal for both ends, unique in the process.
  std::uint32_t id = 0;
  std::int64_t time = 0;
  std::uint32_t thread = 0;
  /// Empty at the end.
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

/// What the teller's clock showed at a time since 1970. The first event of a journal.
struct ClockEvent {
  std::int64_t time = 0;
  std::int64_t unix_nanoseconds = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.time), visit(self.unix_nanoseconds);
  }
  bool operator==(const ClockEvent&) const = default;
};

/// Events that there was no room for.
struct LostEvent {
  std::uint64_t events = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.events);
  }
  bool operator==(const LostEvent&) const = default;
};

/// A line for people: what is recorded with, or why nothing is.
struct NoteEvent {
  bool is_error = false;
  std::string_view text{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.is_error), visit(self.text);
  }
  bool operator==(const NoteEvent&) const = default;
};

using Event = std::variant<ClockEvent, NoteEvent, DeviceEvent, KernelEvent, CopyEvent, GraphEvent,
                           ApiEvent, MarkerEvent, LostEvent>;

}  // namespace benanza
