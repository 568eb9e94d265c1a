#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/program/version.h"
#include "core/results_file/origin.h"
#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/conditions/observer.h"
#include "suites/harness/primitive.h"
#include "suites/harness/row_gather.h"
#include "suites/harness/way.h"

namespace benanza::harness {

/// Which of a library's ways become variants. best: the library's first choice only. leading: the
/// first three of every family and layout, or those that the family chooses (way_table.h). all: all
/// except reference implementations, which are included only if the library has nothing else.
/// with_reference: all without exception. search: every engine and setting that the library lists,
/// except reference implementations: far too many to measure, the candidates of a search
/// (run/search.h).
enum class AlgorithmSet { best, leading, all, with_reference, search };

/// Times the calls of an engine, in seconds.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Returns the total time of `calls` back-to-back runs, without the host's launch gaps unless the
  /// engine is the host.
  virtual double time(Primitive& primitive, std::int64_t calls) = 0;
  /// The number near `calls` that time() runs and times as it is. Of other numbers it may run more
  /// or fewer calls and scale their time.
  virtual std::int64_t whole_calls(const Primitive&, std::int64_t calls) const { return calls; }
  /// Returns the total times of `samples` batches of `calls` runs. An engine that works while the
  /// host waits may get them all at once.
  virtual std::vector<double> time_samples(Primitive& primitive, std::int64_t calls,
                                           std::size_t samples) {
    std::vector<double> seconds(samples);
    for (double& sample : seconds) sample = time(primitive, calls);
    return seconds;
  }
  /// The number of samples in one call of time_samples() beyond which nothing is gained.
  virtual std::size_t samples_at_once() const { return 1; }
  /// Returns the time of one run after a cache flush; the flush itself is not timed.
  virtual double time_cold(Primitive& primitive) = 0;
  /// Whether flush_seconds() has a result.
  virtual bool knows_flush_seconds() const { return false; }
  /// How much longer one round of runs takes after a cache flush than after another round; empty if
  /// the engine cannot tell.
  virtual std::optional<double> flush_seconds(Primitive&) { return std::nullopt; }
  /// Capacity of the caches that time_cold() flushes; 0 if unknown.
  virtual std::int64_t cache_bytes() const { return 0; }
  /// Must be called before a primitive that was timed is destroyed, unless it is a backend's own.
  virtual void forget(const Primitive&) {}
  /// Whether another program had the engine during the last time() or time_cold(); false if
  /// unknown.
  virtual bool was_interrupted() const { return false; }
  /// The shortest useful sample: below this, the clock's resolution and the cost of reading it add
  /// an error of more than some tenths of a percent.
  virtual double short_sample_seconds() const { return 1e-3; }
  /// What a sample costs beyond the time that it measures.
  virtual double overhead_seconds() const { return 0; }
  /// Running a primitive for longer than this before the first sample changes nothing.
  virtual double longest_warm_up_seconds() const { return std::numeric_limits<double>::infinity(); }
};

/// A suite-specific flag, which the suite's main() has already removed from the command line. Used
/// for help only.
struct BackendFlag {
  /// Example: "--peaks".
  std::string name;
  /// Placeholder for the value after '=', e.g. "SOURCE". Empty if the flag takes no value.
  std::string value;
  std::string help;
};

/// A library that solves problems, in ways. Opens its context (engine, stream, handles) on first
/// use, so that a suite can show its help and list names without a device. Functions that need a
/// device throw NoDevice if there is none.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Part of every benchmark name: "onednn", "cudnn", "cublas".
  virtual std::string_view name() const = 0;
  /// The backend-specific flags.
  virtual std::vector<BackendFlag> flags() const { return {}; }
  /// The libraries this process has loaded, for --version. Needs no device.
  virtual std::vector<LibraryVersion> libraries() const { return {}; }
  /// One line for each device this process could measure on; empty if there is none.
  virtual std::vector<std::string> devices() const = 0;
  /// Needs the device.
  virtual System system() = 0;
  /// False if this program cannot start again by itself, because others work with it.
  virtual bool can_start_again() const { return true; }
  /// Additional {"name", "value"} entries for the context of the results. Called before the first
  /// measurement and again after the last. Needs the device.
  virtual std::vector<std::pair<std::string, std::string>> context() { return {}; }
  /// Layouts worth measuring for this problem. Empty if the library has no such operator at all;
  /// the problem then produces no row.
  virtual std::vector<Layout> layouts(const Problem& problem) const = 0;
  /// Hint that ways() will soon be called for this variant (which has no algorithm yet), so that
  /// the library can be queried in the background. Never throws.
  virtual void prefetch_algorithms(const Variant&, AlgorithmSet) {}
  /// Whether some ways may multiply by packed weights (Problem::packed), and the others refuse
  /// them.
  virtual bool knows_packed_weights() const { return false; }
  /// Whether the calls read unsigned 8-bit data (has_unsigned_data()). If not, those of the problem
  /// with signed data stand for them: a zero point makes the same results of either, and is folded
  /// into the bias.
  virtual bool knows_unsigned_data() const { return false; }
  /// The available ways, the library's first choice first. The prototype has no algorithm. Throws
  /// Unsupported if there is none. Without a device, returns those known without one; throws
  /// NoDevice if there are none.
  virtual std::vector<Way> ways(const Variant& prototype, AlgorithmSet set) = 0;
  /// The way that the variant names, made without listing the others, which need not contain it.
  /// Throws Unsupported if the library refuses, std::exception for any other failure.
  virtual Way way(const Variant& variant) = 0;
  /// Calls the way's prefetch, if ways of this backend have one. Never throws.
  virtual void prefetch(const Variant&) {}
  /// False while what prefetch() has started for the variant is not done, so that the way's make()
  /// would wait for it. Never throws.
  virtual bool is_ready(const Variant&) { return true; }
  /// Takes memory for the calls' operands.
  virtual Allocator& allocator() = 0;
  /// The call that copies a tensor at `source` to `target`, between the formats of two calls of
  /// this library; a row-major one (MemoryFormat::name is empty) may be of any. Throws Unsupported.
  virtual std::unique_ptr<Primitive> conversion(const MemoryFormat& /*from*/, std::byte* /*source*/,
                                                const MemoryFormat& /*to*/, std::byte* /*target*/) {
    throw Unsupported(std::string(name()) + " does not convert formats");
  }
  /// Enqueues the rows' movement within memory of allocator(): no library here gathers rows. Throws
  /// Unsupported.
  virtual void gather(const RowGather& /*rows*/) {
    throw Unsupported(std::string(name()) + " does not gather rows");
  }
  /// The tasks as one call, in which those run at the same time that need not wait for each other.
  /// Their calls, which may be of other backends on the same device, must outlive it. Throws
  /// Unsupported.
  virtual std::unique_ptr<Primitive> branches(std::vector<Task> /*tasks*/) {
    throw Unsupported(std::string(name()) + " runs one call at a time");
  }
  virtual Stopwatch& stopwatch() = 0;
  /// Lets allocator() take memory elsewhere than for earlier calls: a short call's time depends on
  /// where its operands are. Does nothing by default.
  virtual void move_operands() {}
  /// Watches the machine while a variant is timed. Null if the backend has no observer.
  virtual Observer* observer() { return nullptr; }
  /// The energy counter of the device; null if there is none. May open the device.
  virtual EnergyMeter* energy_meter() { return nullptr; }
  /// The kinds of profile that were requested, e.g. "kernels,counters"; empty if none.
  virtual std::string profile_kinds() const { return {}; }
};

}  // namespace benanza::harness
