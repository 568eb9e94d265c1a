#include "analysis/questions/profile/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/questions/common/subject.h"
#include "core/library/algorithm.h"
#include "core/library/kernel_name.h"
#include "core/problem/problem.h"
#include "core/results_file/origin.h"
#include "core/statistics/summary.h"
#include "record/logs/shared/call_text.h"
#include "record/logs/shared/log.h"

namespace benanza::analysis {
namespace {

bool is_of(const Measurement& measurement, const CallMemory& memory, Precision precision) {
  const VariantName& variant = measurement.variant;
  return measurement.status == Status::ok && variant.precision == precision &&
         (!memory.layout || variant.layout == *memory.layout || variant.layout == Layout::plain);
}

bool is_faster(const Measurement& measurement, const Measurement* other) {
  return other == nullptr || measurement.seconds() < other->seconds();
}

bool is_same(const LibraryCallTime& call, const Measurement& measurement) {
  const VariantName& variant = measurement.variant;
  if (is_same_algorithm(call.text.implementation, variant.algorithm)) return true;
  // Functions without a parameter for it take the library's choice.
  if (call.text.source == "cublas" && call.text.implementation.empty()) {
    return variant.algorithm == "gemm_ex";
  }
  return !call.kernels.empty() && call.kernels == measurement.kernels;
}

/// Calls whose algorithm was measured: measured by recorded time, and the sums of both.
struct MeasuredRatios {
  std::vector<double> each{};
  double measured_seconds = 0;
  double recorded_seconds = 0;

  void add(const MeasuredCall& call, const Measurement* measured) {
    if (measured == nullptr) return;
    each.push_back(measured->seconds() / call.mean_seconds());
    measured_seconds += measured->seconds() * static_cast<double>(call.call.calls);
    recorded_seconds += call.call.seconds;
  }
  std::optional<double> in_median() const {
    return each.empty() ? std::nullopt : std::optional(median(each));
  }
  std::optional<double> in_sum() const {
    return each.empty() ? std::nullopt : std::optional(measured_seconds / recorded_seconds);
  }
};

struct Sums {
  double seconds = 0;
  double any_seconds = 0;
  double saved_seconds = 0;
  MeasuredRatios warm{};
  MeasuredRatios cold{};
};
Sums sums_of(const std::vector<MeasuredCall>& calls) {
  Sums sums;
  for (const MeasuredCall& call : calls) {
    sums.seconds += call.call.seconds;
    if (call.fastest != nullptr) sums.any_seconds += call.call.seconds;
    sums.saved_seconds += call.saved_seconds();
    sums.warm.add(call, call.same);
    sums.cold.add(call, call.same_cold);
  }
  return sums;
}

std::string recorded_text(const LibraryCallTime& call) {
  std::string text = call.text.source;
  if (!call.text.implementation.empty()) text += '/' + call.text.implementation;
  for (const std::string& kernel : call.kernels) text += ' ' + kernel_label(kernel);
  return text;
}

Cell algorithm_cell(const Measurement* measurement) {
  return measurement == nullptr
             ? unknown_cell()
             : cell(measurement->variant.backend + '/' + measurement->variant.algorithm);
}

}  // namespace

double MeasuredCall::saved_seconds() const {
  if (fastest == nullptr) return 0;
  return std::max(0.0, call.seconds - fastest->seconds() * static_cast<double>(call.calls));
}

std::vector<MeasuredCall> measured_calls(const std::vector<LibraryCallTime>& calls,
                                         const MeasurementSet& measurements) {
  std::vector<MeasuredCall> list;
  for (const LibraryCallTime& call : calls) {
    const CallMemory memory = read_call_memory(call.text.memory);
    if (!memory.data || call.seconds <= 0) continue;
    MeasuredCall one{.call = call, .precision = *memory.data};
    // fp32 data may be rounded on its way.
    if (memory.data == Precision::fp32 && call.products == Precision::tf32) {
      one.precision = Precision::tf32;
    }
    for (const Measurement& measurement : measurements.find(call.text.problem)) {
      if (!is_of(measurement, memory, one.precision)) continue;
      const bool cold = measurement.variant.cold;
      if (!cold && is_faster(measurement, one.fastest)) one.fastest = &measurement;
      const Measurement*& same = cold ? one.same_cold : one.same;
      if (is_same(call, measurement) && is_faster(measurement, same)) same = &measurement;
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::string measured_text(const std::vector<MeasuredCall>& calls) {
  const Sums sums = sums_of(calls);
  if (sums.any_seconds <= 0) return "none of the recorded calls was measured";
  const auto percent = [&](double seconds) { return seconds / sums.seconds * 100; };
  std::string text = fmt::format("of {:.3f} ms in known calls {:.1f}% were measured",
                                 sums.seconds * 1e3, percent(sums.any_seconds));
  if (!sums.warm.each.empty()) {
    text += fmt::format(
        ", {:.1f}% with the recorded algorithm, which takes {:.3f} of the recorded time in the "
        "median, {:.3f} in sum",
        percent(sums.warm.recorded_seconds), *sums.warm.in_median(), *sums.warm.in_sum());
  }
  if (!sums.cold.each.empty()) {
    text += fmt::format("; with cold caches {:.3f} and {:.3f}", *sums.cold.in_median(),
                        *sums.cold.in_sum());
  }
  return text + fmt::format("; the fastest would save {:.3f} ms", sums.saved_seconds * 1e3);
}

Sheet measured_sheet(const std::vector<MeasuredCall>& calls, std::string name) {
  Sheet sheet{.name = std::move(name),
              .caption = "calls of libraries, beside what was measured of them",
              .note = "again: bench_<library> --problem=KEY --precision=PRECISION"};
  sheet.columns = {{"saves ms", "saved_seconds", true},
                   {"recorded us", "recorded_seconds", true},
                   {"calls", "calls", true},
                   {"measured us", "same_algorithm_seconds", true},
                   {"ratio", "ratio", true},
                   {"cold", "cold_ratio", true},
                   {"fastest us", "fastest_seconds", true},
                   {"fastest", "fastest", false},
                   {"recorded", "recorded", false},
                   {"precision", "precision", false},
                   {"problem", "problem", false, any_width}};
  std::vector<const MeasuredCall*> order;
  for (const MeasuredCall& call : calls) order.push_back(&call);
  std::ranges::stable_sort(order, [](const MeasuredCall* a, const MeasuredCall* b) {
    return a->saved_seconds() > b->saved_seconds();
  });
  for (const MeasuredCall* call : order) {
    const auto same = seconds_of(call->same);
    const auto ratio = [&](std::optional<double> seconds) {
      return cell(seconds ? std::optional(*seconds / call->mean_seconds()) : seconds, thousandths);
    };
    sheet.rows.push_back(
        {cell(call->fastest == nullptr ? std::nullopt : std::optional(call->saved_seconds()),
              milli),
         cell(call->mean_seconds(), micro), cell(call->call.calls), cell(same, micro), ratio(same),
         ratio(seconds_of(call->same_cold)), cell(seconds_of(call->fastest), micro),
         algorithm_cell(call->fastest), cell(recorded_text(call->call)), cell(call->precision),
         cell(call->call.text.problem)});
  }
  return sheet;
}

nlohmann::ordered_json measured_facts(const std::vector<MeasuredCall>& calls) {
  const Sums sums = sums_of(calls);
  const auto number = [](std::optional<double> value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  return {{"seconds", sums.seconds},
          {"measured_seconds", sums.any_seconds},
          {"same_algorithm_seconds", sums.warm.recorded_seconds},
          {"median_ratio", number(sums.warm.in_median())},
          {"sum_ratio", number(sums.warm.in_sum())},
          {"cold_median_ratio", number(sums.cold.in_median())},
          {"cold_sum_ratio", number(sums.cold.in_sum())},
          {"saved_seconds", sums.saved_seconds}};
}

std::vector<LibraryCallTime> host_calls(const std::vector<CallTotal>& totals) {
  const std::vector<record::Log> logs = record::library_logs();
  std::vector<LibraryCallTime> calls;
  for (const CallTotal& total : totals) {
    if (total.timed_calls == 0) continue;
    const record::CallProblems meaning = record::problems_of_call(logs, total.text);
    if (meaning.problems.size() != 1 || !meaning.precision) continue;
    LibraryCallTime call{.text = total.text, .calls = total.timed_calls, .seconds = total.seconds};
    call.text.problem = key(meaning.problems.front());
    call.text.memory = to_string(CallMemory{meaning.precision, meaning.layout});
    calls.push_back(std::move(call));
  }
  std::ranges::stable_sort(calls, std::ranges::greater{}, &LibraryCallTime::seconds);
  return calls;
}

std::string other_version(const std::vector<std::string>& libraries, const Results& results) {
  for (const auto& [backend, system] : results.systems) {
    const std::optional<std::string> measured = library_version(backend, system);
    if (!measured) continue;
    for (const std::string& recorded : libraries) {
      // "oneDNN v2.6.3 (commit ...)".
      const std::size_t at = recorded.find(" v");
      if (at == std::string::npos) continue;
      std::string name = recorded.substr(0, at);
      std::ranges::transform(name, name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
      });
      const std::string version = recorded.substr(at + 2, recorded.find(' ', at + 2) - at - 2);
      if (name != backend || version == *measured) continue;
      return "recorded with " + recorded.substr(0, at) + ' ' + version + ", measured with " +
             *measured;
    }
  }
  return "";
}

}  // namespace benanza::analysis
