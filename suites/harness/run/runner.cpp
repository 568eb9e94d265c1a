#include "suites/harness/run/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <typeinfo>
#include <utility>

#include "core/base/text.h"
#include "core/problem/name.h"
#include "core/results_file/row.h"
#include "suites/harness/conditions/data_kind.h"
#include "suites/harness/deadline.h"
#include "suites/harness/primitive.h"

namespace benanza::harness {
namespace {

/// Ends the program if a call does not end: also one that recreates what a gradient reads, or that
/// an upload makes.
class Limited : public Primitive {
 public:
  explicit Limited(Primitive& primitive) : primitive_(primitive) {}

  void upload(std::size_t index, std::span<const float> values) override {
    // Gigabytes take a while on a busy machine.
    const Deadline deadline(5 * Deadline::of_a_call);
    primitive_.upload(index, values);
  }
  void restore() override {
    const Deadline deadline(Deadline::of_a_call);
    primitive_.restore();
  }
  void poison_output() override { primitive_.poison_output(); }
  void run() override {
    const Deadline deadline(Deadline::of_a_call);
    primitive_.run();
  }
  std::vector<float> download() override { return primitive_.download(); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override {
    return primitive_.glimpse(places);
  }
  std::int64_t workspace_bytes() const override { return primitive_.workspace_bytes(); }

 private:
  Primitive& primitive_;
};

/// Wraps a primitive whose inputs are already uploaded.
class Uploaded final : public Limited {
 public:
  using Limited::Limited;
  void upload(std::size_t, std::span<const float>) override {}
};

/// The traits by which the tolerance exceeds that of a plain sum.
Facts widening(const Traits& traits) {
  Facts facts;
  if (traits.rounding_amplification != 1) {
    facts["rounding_amplification"] = traits.rounding_amplification;
  }
  if (traits.partial_sums != Traits::few_partial_sums) facts["partial_sums"] = traits.partial_sums;
  return facts;
}

}  // namespace

Verification verify_before_timing(Primitive& primitive, const Variant& variant,
                                  const Traits& traits, const Verifier& verifier) {
  const Facts facts = widening(traits);
  Traits sums = traits;
  sums.transforms = false;
  Limited limited(primitive);
  Verification found{.mismatch =
                         verifier(limited, variant, Traits{.signed_data = traits.signed_data})};
  if (traits.in_place) found.facts["in_place"] = true;
  if (traits.reference) found.facts["reference"] = true;
  if (traits.strided_axes > 0) {
    found.facts["strided_axes"] = static_cast<double>(traits.strided_axes);
  }
  Uploaded uploaded(primitive);
  const auto verify_as = [&](const Traits& widened, const char* tolerance) {
    found.mismatch = verifier(uploaded, variant, widened);
    found.facts.insert(facts.begin(), facts.end());
    found.facts["tolerance"] = std::string(tolerance);
  };
  if (found.mismatch && !facts.empty()) verify_as(sums, "sum");
  if (found.mismatch && traits.transforms) verify_as(traits, "transform");
  return found;
}

std::optional<std::string> verify_after_timing(Primitive& primitive, const Variant& variant,
                                               const Traits& traits, const Verifier& verifier) {
  Uploaded uploaded(primitive);
  std::optional<std::string> mismatch = verifier(uploaded, variant, traits);
  if (mismatch) mismatch = "after timing: " + *mismatch;
  return mismatch;
}

namespace {

std::shared_ptr<Primitive> set_up(const Way& way, Allocator& allocator, CallFormats& formats) {
  // Compilers of kernels take minutes.
  const Deadline deadline(10 * Deadline::of_a_call);
  return make_alone(way, allocator, &formats);
}

/// Measures consecutive phases.
class Lap {
 public:
  /// Seconds since the last call, or since construction.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Whether the layout does not say how every tensor lies in memory.
bool leaves_formats(Layout layout) { return layout == Layout::nhwc || layout == Layout::any; }

Facts format_facts(const CallFormats& formats) {
  Facts facts;
  if (!formats.operands.empty()) facts["operand_formats"] = text::join(formats.operands, ",");
  if (!formats.results.empty()) facts["result_formats"] = text::join(formats.results, ",");
  return facts;
}

/// Empty if the weights have the sizes that the problem says.
Facts constant_facts(const Variant& variant, const CallFormats& formats) {
  const std::vector<Operand> operands = inputs(variant.problem);
  std::int64_t held = 0;
  std::int64_t stated = 0;
  for (std::size_t i = 0; i < std::min(operands.size(), formats.operand_bytes.size()); ++i) {
    if (operands[i].role != Role::weights || formats.operand_bytes[i] == 0) continue;
    held += formats.operand_bytes[i];
    stated += element_count(operands[i].dims) * element_bytes(variant.precision);
  }
  return held == stated ? Facts{} : Facts{{"constant_bytes", static_cast<double>(held)}};
}

}  // namespace

Outcome refused(Status status, std::string_view reason) {
  Outcome outcome;
  outcome.status = status;
  outcome.reason = one_line(reason);
  return outcome;
}

std::string_view reason_of(Loss loss) {
  return loss == Loss::crashed ? "crashed: a signal ended the program" : "hung: no answer in time";
}

Outcome lost(Loss loss) {
  Outcome outcome = refused(Status::failed, reason_of(loss));
  if (loss == Loss::crashed) outcome.facts[crashed_fact] = true;
  outcome.engine_lost = true;
  return outcome;
}

Outcome caught(const std::function<Outcome()>& work) {
  try {
    return work();
  } catch (const KnownDefect& defect) {
    Outcome outcome = refused(Status::unsupported, defect.what());
    outcome.facts[known_defect_fact] = true;
    return outcome;
  } catch (const Unsupported& refusal) {
    return refused(Status::unsupported, refusal.what());
  } catch (const EngineLost& loss) {
    Outcome outcome = refused(Status::failed, loss.what());
    outcome.engine_lost = true;
    return outcome;
  } catch (const std::bad_alloc& shortage) {
    // The message of a plain std::bad_alloc is just its name; those of backends contain the size.
    const bool plain = typeid(shortage) == typeid(std::bad_alloc);
    return refused(Status::failed, plain ? "out of memory" : shortage.what());
  } catch (const std::exception& error) {
    return refused(Status::failed, error.what());
  }
}

Outcome run_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options) {
  Lap whole;
  Outcome result = caught([&] {
    Lap lap;
    const Way way = backend.way(variant);
    CallFormats formats;
    const std::shared_ptr<Primitive> primitive = set_up(way, backend.allocator(), formats);
    PhaseSeconds phases{.create = lap.seconds()};
    Verification before = verify_before_timing(*primitive, variant, way.traits, verifier);
    phases.check = lap.seconds();
    if (before.mismatch) return refused(Status::incorrect, *before.mismatch);
    MeasureOptions prepared = options;
    prepared.preparation_seconds += phases.create + phases.check;
    Outcome outcome = measure(*primitive, backend.stopwatch(), prepared, backend.observer());
    if (!outcome.disturbances.empty()) {
      outcome = measure(*primitive, backend.stopwatch(), prepared, backend.observer());
      outcome.measured_again = true;
    }
    lap.seconds();
    if (const auto mismatch = verify_after_timing(*primitive, variant, way.traits, verifier)) {
      return refused(Status::incorrect, *mismatch);
    }
    phases.check += lap.seconds();
    outcome.phases += phases;
    outcome.facts.merge(before.facts);
    outcome.facts["setup_seconds"] = phases.create;
    if (leaves_formats(variant.layout)) outcome.facts.merge(format_facts(formats));
    outcome.facts.merge(constant_facts(variant, formats));
    outcome.data = data_kind(variant.problem, variant.precision);
    return outcome;
  });
  if (result.status != Status::ok) result.phases.in_vain = whole.seconds();
  return result;
}

RowGuard::RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
                   const std::function<Row(Loss loss)>& row_of)
    : crash_(crash) {
  const auto words = [&](const std::string& what, Loss loss) {
    return CrashGuard::Words{row_text(row_of(loss)),
                             "bench_" + std::string(backend) + ": " + what + ' ' + place +
                                 "; start again with the same flags to go on without it"};
  };
  crash.expect(words("crashed", Loss::crashed), words("hung", Loss::hung));
}

namespace {

using Clock = std::chrono::steady_clock;

std::string limit_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return "the problem has taken more than " + text + " s (--problem-limit)";
}

}  // namespace

Taken GuardedRunner::take(const NamedVariant& variant, std::int64_t repetition) {
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const auto row_of = [&](const Outcome& outcome) {
    Row row = make_row(variant.name, repetition, cost, outcome);
    row.process = ledger_.rows().process();
    return row;
  };
  const RowGuard guard(crash_, backend_.name(), "at " + variant.name,
                       [&](Loss loss) { return row_of(lost(loss)); });
  Outcome outcome = outcome_of(variant);
  Row row = row_of(outcome);
  return {std::move(row), std::move(outcome)};
}

Outcome GuardedRunner::outcome_of(const NamedVariant& variant) {
  if (variant.status != Status::ok) return {.status = variant.status, .reason = variant.reason};
  MeasureOptions options = options_;
  options.rival_seconds = ledger_.rival_seconds(variant.name);
  double& spent = spent_seconds_[key(variant.variant.problem) + ' ' +
                                 std::string(to_string(variant.variant.precision))];
  if (options.problem_seconds && spent > *options.problem_seconds) {
    return {.status = Status::unsupported,
            .reason = limit_text(*options.problem_seconds),
            .over_limit = true};
  }
  const Clock::time_point start = Clock::now();
  Outcome outcome = run_variant(backend_, variant.variant, verifier_, options);
  spent += std::chrono::duration<double>(Clock::now() - start).count();
  if (variant.first_choice) outcome.first_choice = true;
  return outcome;
}

}  // namespace benanza::harness
