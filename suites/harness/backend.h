#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/program/version.h"
#include "core/results_file/origin.h"
#include "suites/harness/conditions/observer.h"
#include "suites/harness/primitive.h"

namespace benanza::harness {

/// Which of a library's algorithms become variants. best: the library's own first choice. leading:
/// the first three of every solver and layout. all: every one but reference code, which counts only
/// where the library has nothing else. with_reference: really all.
enum class AlgorithmSet { best, leading, all, with_reference };

/// The clock of an engine. In seconds.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Total time of `calls` back-to-back runs, launch gaps of the host excluded where the engine is
  /// not the host.
  virtual double time(Primitive& primitive, std::int64_t calls) = 0;
  /// One run after the caches have been flushed; the flush is outside the time.
  virtual double time_cold(Primitive& primitive) = 0;
  /// Samples that are shorter say less than the clock's resolution and the cost of reading it allow
  /// (some tenths of a percent).
  virtual double short_sample_seconds() const { return 1e-3; }
};

/// A flag of a suite's own, which its main() takes out of the command line: for help alone.
struct BackendFlag {
  /// "--peaks"
  std::string name;
  /// Stands for its value, which follows after '=': "SOURCE". Empty: it has none.
  std::string value;
  std::string help;
};

/// A library that solves problems. Opens its context (engine, stream, handles) when it is first
/// needed: a suite can show its help and list names where there is no device. What needs one throws
/// NoDevice.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Part of every benchmark name: "onednn", "cudnn", "cublas".
  virtual std::string_view name() const = 0;
  /// Those of the backend's own.
  virtual std::vector<BackendFlag> flags() const { return {}; }
  /// For --version: what this process has loaded. Needs no device.
  virtual std::vector<LibraryVersion> libraries() const { return {}; }
  /// One line for each device that this process could measure on; empty: there is none.
  virtual std::vector<std::string> devices() const = 0;
  /// Needs the device.
  virtual System system() = 0;
  /// More for the context of the results, {"name", "value"}: asked before anything is measured, and
  /// again afterwards.
  /// Needs the device.
  virtual std::vector<std::pair<std::string, std::string>> context() { return {}; }
  /// Layouts worth measuring for this problem; none if the library has no such operator at all: the
  /// problem then leaves no row.
  virtual std::vector<Layout> layouts(const Problem& problem) const = 0;
  /// algorithms() will be called for a variant without an algorithm before long: the library may be
  /// asked elsewhere meanwhile. Never throws.
  virtual void expect_question(const Variant&, AlgorithmSet) {}
  /// The library's first choice first. Throws Unsupported if there is none. Without a device: those
  /// that are known all the same; throws NoDevice if there is none of them.
  virtual std::vector<Algorithm> algorithms(const Problem& problem, Precision precision,
                                            Layout layout, AlgorithmSet set) = 0;
  /// Throws Unsupported if the library refuses, std::exception for any other failure.
  virtual std::unique_ptr<Primitive> create(const Variant& variant) = 0;
  /// create() will be called for the variant before long: what takes long without the device
  /// (compiling, say) may begin elsewhere. Never throws.
  virtual void expect(const Variant&) {}
  virtual Stopwatch& stopwatch() = 0;
  /// Watches the machine while a variant is timed. Null: nobody does.
  virtual Observer* observer() { return nullptr; }
  /// What Primitive::profile() was asked for, "kernels,counters"; empty: nothing.
  virtual std::string profile_kinds() const { return {}; }
};

}  // namespace benanza::harness
