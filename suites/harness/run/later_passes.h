#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// How the weights of one call (and the caches it reads) come from memory in every run.
struct Rotation {
  /// One after the other. They fill twice the caches; at least two.
  std::int64_t copies = 0;
  /// They are too small to fill the caches: what a flush of the caches before each round costs is
  /// measured instead.
  bool flushes = false;
  bool operator==(const Rotation&) const = default;
};
/// Empty if the problem has neither weights nor caches, the size of the caches is unknown (0), or
/// more than `most_rotating_copies` were necessary and flushes cannot be measured.
std::optional<Rotation> rotation(const Problem& problem, Precision precision,
                                 const Stopwatch& stopwatch);
inline constexpr std::int64_t most_rotating_copies = 128;
inline constexpr std::int64_t flushed_copies = 16;

/// A call whose runs take turns with copies of its weights and caches, as in a model whose weights
/// do not fit the cache: they come from memory, everything else is where the last run left it.
class RotatingCall final : public Primitive {
 public:
  /// `allocator` must outlive it. Throws as Way::make() does.
  RotatingCall(const Way& way, const Problem& problem, Allocator& allocator, std::int64_t copies);
  ~RotatingCall() override;

  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override;
  void poison_output() override;
  void run() override;
  std::vector<float> download() override;
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;
  std::int64_t workspace_bytes() const override;
  std::int64_t round() const override;

 private:
  class Places;

  std::vector<bool> rotates_;
  std::unique_ptr<Places> places_;
  std::vector<std::unique_ptr<Primitive>> copies_;
  /// The one that runs next.
  std::size_t next_ = 0;
};

/// A pass that adds facts to rows after everything is timed.
struct LaterPass {
  /// The fact with the reason if it fails.
  std::string failure;
  /// For messages: "while profiling".
  std::string where;
  /// The rows of the variant `name` that lack the facts; empty if none do.
  std::function<std::vector<Row>(const std::string& name)> rows_due;
  /// Takes one of these rows. Throws only EngineLost.
  std::function<Facts(const Variant&, const Row&)> measure;
  /// Returns the row with the facts.
  std::function<Row(const Row&, const Facts&)> completed;
};

/// Makes the pass over all variants, each once, while the ledger goes on. `backend`: its name, for
/// messages.
void add_facts(const LaterPass& pass, std::span<const NamedVariant> variants,
               std::string_view backend, CrashGuard& crash, Ledger& ledger);

/// Profiles every variant once for the first `repetitions` of its ok rows, if the backend's
/// profile_kinds() name something that they lack: runs it as many times as in a timed sample (one
/// `cold` call), and once more under the backend's profiler. If that fails, "profile_failed"
/// contains the reason, and the variant is not profiled again. All arguments must outlive the pass.
LaterPass profile_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                       std::int64_t repetitions, bool cold);

/// Times the fastest variants of problems with weights or caches, and those up to
/// `rotation_contends` as slow (`flush_contends` where caches are flushed for it), once more with
/// weights that come from memory (RotatingCall), unless one of the first `repetitions` of its
/// rows has that time: rotating_seconds (per call, the median), rotating_copies; or
/// rotating_failed, the reason. Not of calls that overwrite an operand. All arguments must outlive
/// the pass.
LaterPass rotation_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                        std::int64_t repetitions, const MeasureOptions& options);
inline constexpr double rotation_contends = 1.5;
inline constexpr double flush_contends = 1.02;

/// Measures the energy of each of the fastest variants for `seconds`, unless one of the first
/// `repetitions` of its rows has it: energy_joules (per call), energy_watts, energy_window_seconds,
/// energy_busy_share, energy_error (relative), energy_source; or energy_failed, the reason. The
/// backend must have a meter. All arguments must outlive the pass.
LaterPass energy_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                      std::int64_t repetitions, double seconds);

}  // namespace benanza::harness
