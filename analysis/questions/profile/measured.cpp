#include "analysis/questions/profile/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/common/subject.h"
#include "core/api_log/algorithm.h"
#include "core/api_log/call_memory.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

bool is_of(const Measurement& measurement, const CallMemory& memory, Precision precision) {
  const VariantName& variant = measurement.variant;
  return measurement.status == Status::ok && !variant.cold && variant.precision == precision &&
         (!memory.layout || variant.layout == *memory.layout || variant.layout == Layout::plain);
}

bool is_faster(const Measurement& measurement, const Measurement* other) {
  return other == nullptr || measurement.seconds() < other->seconds();
}

struct Sums {
  double seconds = 0;
  double same_seconds = 0;
  double any_seconds = 0;
  double saved_seconds = 0;
  /// Measured by recorded, of every call whose algorithm was measured.
  std::vector<double> ratios{};
};
Sums sums_of(const std::vector<MeasuredCall>& calls) {
  Sums sums;
  for (const MeasuredCall& call : calls) {
    sums.seconds += call.call.seconds;
    if (call.fastest != nullptr) sums.any_seconds += call.call.seconds;
    sums.saved_seconds += call.saved_seconds();
    if (call.same == nullptr) continue;
    sums.same_seconds += call.call.seconds;
    sums.ratios.push_back(call.same->seconds() / call.mean_seconds());
  }
  return sums;
}

Cell algorithm_cell(const Measurement* measurement) {
  return measurement == nullptr
             ? Cell{.shown = "-", .value = nullptr}
             : text_cell(measurement->variant.backend + '/' + measurement->variant.algorithm);
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
      if (is_faster(measurement, one.fastest)) one.fastest = &measurement;
      if (is_same_algorithm(call.text.implementation, measurement.variant.algorithm) &&
          is_faster(measurement, one.same)) {
        one.same = &measurement;
      }
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
  if (!sums.ratios.empty()) {
    text += fmt::format(
        ", {:.1f}% with the recorded algorithm, which takes {:.3f} of the recorded time in the "
        "median",
        percent(sums.same_seconds), median(sums.ratios));
  }
  return text + fmt::format("; the fastest would save {:.3f} ms", sums.saved_seconds * 1e3);
}

Sheet measured_sheet(const std::vector<MeasuredCall>& calls) {
  Sheet sheet{.name = "gpu_measured",
              .caption = "calls of libraries, beside what was measured of them",
              .note = "again: bench_<library> --problem=KEY --precision=PRECISION"};
  sheet.columns = {{"saves ms", "saved_seconds", true},
                   {"recorded us", "recorded_seconds", true},
                   {"calls", "calls", true},
                   {"measured us", "same_algorithm_seconds", true},
                   {"ratio", "ratio", true},
                   {"fastest us", "fastest_seconds", true},
                   {"fastest", "fastest", false},
                   {"recorded", "recorded", false},
                   {"precision", "precision", false},
                   {"problem", "problem", false, any_width}};
  std::vector<const MeasuredCall*> order;
  for (const MeasuredCall& call : calls) order.push_back(&call);
  std::stable_sort(order.begin(), order.end(), [](const MeasuredCall* a, const MeasuredCall* b) {
    return a->saved_seconds() > b->saved_seconds();
  });
  for (const MeasuredCall* call : order) {
    const auto same = seconds_of(call->same);
    sheet.rows.push_back(
        {ms_cell(call->fastest == nullptr ? std::nullopt : std::optional(call->saved_seconds())),
         us_cell(call->mean_seconds()), count_cell(static_cast<std::size_t>(call->call.calls)),
         us_cell(same), ratio_cell(same ? std::optional(*same / call->mean_seconds()) : same),
         us_cell(seconds_of(call->fastest)), algorithm_cell(call->fastest),
         text_cell(call->call.text.source + (call->call.text.implementation.empty() ? "" : "/") +
                   call->call.text.implementation),
         text_cell(std::string(to_string(call->precision))), text_cell(call->call.text.problem)});
  }
  return sheet;
}

nlohmann::ordered_json measured_facts(const std::vector<MeasuredCall>& calls) {
  const Sums sums = sums_of(calls);
  return {{"seconds", sums.seconds},
          {"measured_seconds", sums.any_seconds},
          {"same_algorithm_seconds", sums.same_seconds},
          {"median_ratio", sums.ratios.empty() ? nlohmann::ordered_json()
                                               : nlohmann::ordered_json(median(sums.ratios))},
          {"saved_seconds", sums.saved_seconds}};
}

}  // namespace benanza::analysis
