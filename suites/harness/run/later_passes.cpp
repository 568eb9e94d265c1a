#include "suites/harness/run/later_passes.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include "core/problem/problem.h"
#include "core/statistics/summary.h"
#include "suites/harness/measure/energy.h"
#include "suites/harness/operands.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/run/fastest.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/typical_call.h"

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

namespace {

void add_facts(const LaterPass& pass, const NamedVariant& variant, std::string_view backend,
               CrashGuard& crash, Ledger& ledger) {
  const std::vector<Row> rows = pass.rows_due(variant.name);
  const auto failed = [&](std::string_view reason) {
    return Facts{{pass.failure, one_line(reason)}};
  };
  Facts found;
  {
    const RowGuard guard(crash, backend, pass.where + ' ' + variant.name, [&](Loss loss) {
      return pass.completed(rows.front(), failed(reason_of(loss)));
    });
    try {
      found = pass.measure(variant.variant, rows.front());
    } catch (const EngineLost& loss) {
      found = failed(loss.what());
      ledger.lose(variant.name);
    }
  }
  for (const Row& row : rows) {
    if (!ledger.store(pass.completed(row, found))) return;
  }
}

}  // namespace

void add_facts(const LaterPass& pass, std::span<const NamedVariant> variants,
               std::string_view backend, CrashGuard& crash, Ledger& ledger) {
  std::vector<const NamedVariant*> due;
  for (const NamedVariant& variant : variants) {
    if (!pass.rows_due(variant.name).empty()) due.push_back(&variant);
  }
  Progress progress(static_cast<std::int64_t>(due.size()));
  std::int64_t done = 0;
  for (const NamedVariant* const variant : due) {
    if (!ledger.goes_on()) return;
    progress.show(done++, variant->name);
    add_facts(pass, *variant, backend, crash, ledger);
  }
}

namespace {

bool is_profiled(const Row& row, std::string_view kinds) { return row.profiled == kinds; }

/// The ok rows of the variant `name` without the profile of `kinds`.
std::vector<Row> rows_without(std::string_view kinds, const std::string& name,
                              const ResultStore& store, std::int64_t repetitions) {
  std::vector<Row> rows = store.ok_rows(name, repetitions);
  // One that crashed the profiler would do it again.
  const bool is_hopeless = std::ranges::any_of(
      rows, [&](const Row& row) { return is_profiled(row, kinds) && !row.profile_failed.empty(); });
  std::erase_if(rows, [&](const Row& row) { return is_hopeless || is_profiled(row, kinds); });
  return rows;
}

/// Library errors do not throw, except EngineLost.
Facts profile(Backend& backend, const Variant& variant, const Verifier& verifier,
              std::int64_t calls, bool cold) {
  try {
    const Way way = backend.way(variant);
    const std::shared_ptr<Primitive> primitive = make_alone(way, backend.allocator());
    // The verifier uploads the inputs used for timing.
    if (const auto mismatch = verifier(*primitive, variant, way.traits)) {
      return {{"profile_failed", "incorrect: " + one_line(*mismatch)}};
    }
    if (cold) {
      backend.stopwatch().time_cold(*primitive);
    } else {
      backend.stopwatch().time(*primitive, calls);
    }
    return primitive->profile();
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return {{"profile_failed", one_line(error.what())}};
  }
}

}  // namespace

LaterPass profile_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                       std::int64_t repetitions, bool cold) {
  const std::string kinds = backend.profile_kinds();
  const auto rows_due = [&store, repetitions, kinds](const std::string& name) {
    return kinds.empty() ? std::vector<Row>{} : rows_without(kinds, name, store, repetitions);
  };
  return {.failure = "profile_failed",
          .where = "while profiling",
          .rows_due = rows_due,
          .measure =
              [&backend, &verifier, cold](const Variant& variant, const Row& row) {
                return profile(backend, variant, verifier, row.calls_per_sample.value_or(1), cold);
              },
          .completed =
              [kinds](const Row& row, const Facts& facts) {
                Row completed = with_facts(row, facts);
                completed.profiled = kinds;
                return completed;
              }};
}

namespace {

/// Lets the stopwatch forget a call before it is destroyed.
class Forgotten {
 public:
  Forgotten(Stopwatch& stopwatch, const Primitive& call) : stopwatch_(stopwatch), call_(call) {}
  ~Forgotten() { stopwatch_.forget(call_); }
  Forgotten(const Forgotten&) = delete;
  Forgotten& operator=(const Forgotten&) = delete;

 private:
  Stopwatch& stopwatch_;
  const Primitive& call_;
};

bool was_rotated(const Row& row) { return row.rotating_seconds || !row.rotating_failed.empty(); }

/// Library errors do not throw, except EngineLost.
Facts rotating_time(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options) {
  const auto failed = [](std::string_view reason) {
    return Facts{{"rotating_failed", one_line(reason)}};
  };
  Stopwatch& stopwatch = backend.stopwatch();
  const auto wanted = rotation(variant.problem, variant.precision, stopwatch);
  if (!wanted) return failed("its weights are too small");
  try {
    const Way way = backend.way(variant);
    RotatingCall call(way, variant.problem, backend.allocator(), wanted->copies);
    const Forgotten forgotten(stopwatch, call);
    // The verifier uploads the operands.
    if (const auto mismatch = verifier(call, variant, way.traits)) return failed(*mismatch);
    MeasureOptions own = options;
    own.rival_seconds.reset();
    own.payback = 0;
    const Outcome outcome = measure(call, stopwatch, own);
    double seconds = median(outcome.samples);
    const auto copies = static_cast<double>(wanted->copies);
    if (wanted->flushes) {
      const auto flush = stopwatch.flush_seconds(call);
      if (!flush) return failed("it cannot be captured in a graph");
      seconds += *flush / copies;
    }
    return {{"rotating_seconds", seconds}, {"rotating_copies", copies}};
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace

LaterPass rotation_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                        std::int64_t repetitions, const MeasureOptions& options) {
  const std::set<std::string> fastest = fastest_variants(store.rows(), rotation_contends);
  const std::set<std::string> nearest = fastest_variants(store.rows(), flush_contends);
  const auto rows_due = [&backend, &store, repetitions, fastest, nearest](const std::string& name) {
    std::vector<Row> rows;
    if (!fastest.contains(name)) return rows;
    rows = store.ok_rows(name, repetitions);
    const bool none = std::ranges::any_of(
        rows, [&](const Row& row) { return was_rotated(row) || row.in_place || row.variant.cold; });
    if (none || rows.empty()) return std::vector<Row>{};
    const VariantName& variant = rows.front().variant;
    const auto wanted = rotation(parse(variant.key), variant.precision, backend.stopwatch());
    if (!wanted || (wanted->flushes && !nearest.contains(name))) rows.clear();
    return rows;
  };
  return {.failure = "rotating_failed",
          .where = "with weights from memory, while timing",
          .rows_due = rows_due,
          .measure = [&backend, &verifier, &options](
                         const Variant& variant,
                         const Row&) { return rotating_time(backend, variant, verifier, options); },
          .completed = with_facts};
}

namespace {

bool has_energy(const Row& row) { return row.energy_joules || !row.energy_failed.empty(); }

/// Library errors do not throw, except EngineLost.
Facts energy_of(Backend& backend, const Variant& variant, const Verifier& verifier,
                double seconds) {
  const auto failed = [](std::string_view reason) {
    return Facts{{"energy_failed", one_line(reason)}};
  };
  try {
    const Way way = backend.way(variant);
    TypicalCall typical(make_alone(way, backend.allocator()), variant);
    // The verifier uploads the inputs.
    if (const auto mismatch = verifier(typical, variant, way.traits)) return failed(*mismatch);
    typical.use_all_bits();
    typical.restore();
    EnergyMeter& meter = *backend.energy_meter();
    const auto energy = measure_energy(typical.call(), backend.stopwatch(), meter, seconds);
    if (!energy) return failed("the meter cannot be read");
    // Not 0 J: the readings are of the same update.
    if (!(energy->joules_per_call > 0)) {
      return failed("the meter did not advance; give --energy more seconds");
    }
    return {{"energy_joules", energy->joules_per_call},
            {"energy_watts", energy->watts},
            {"energy_window_seconds", energy->window_seconds},
            {"energy_busy_share", energy->busy_share},
            {"energy_error", energy->relative_error},
            {"energy_source", std::string(meter.source())}};
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace

LaterPass energy_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                      std::int64_t repetitions, double seconds) {
  const std::set<std::string> fastest = fastest_variants(store.rows());
  const auto rows_due = [&store, repetitions, fastest](const std::string& name) {
    std::vector<Row> rows;
    if (fastest.contains(name)) rows = store.ok_rows(name, repetitions);
    if (std::ranges::any_of(rows, has_energy)) rows.clear();
    return rows;
  };
  return {.failure = "energy_failed",
          .where = "while measuring the energy of",
          .rows_due = rows_due,
          .measure = [&backend, &verifier, seconds](
                         const Variant& variant,
                         const Row&) { return energy_of(backend, variant, verifier, seconds); },
          .completed = with_facts};
}

}  // namespace benanza::harness
