#include "suites/harness/run/runner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <typeinfo>
#include <utility>

#include "core/base/text.h"
#include "core/results_file/row.h"
#include "suites/harness/conditions/data_kind.h"
#include "suites/harness/deadline.h"
#include "suites/harness/known_defect.h"
#include "suites/harness/run/verification.h"

namespace benanza::harness {
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

}  // namespace benanza::harness
