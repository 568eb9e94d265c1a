#include <fmt/format.h>

#include <string>

#include "analysis/questions/bound/report.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

}  // namespace

void add_sequences(Section& section, const BoundReport& report) {
  for (const SequenceRun* const run : report.sequences) {
    const double seconds = median(run->seconds);
    section.add(Entry{
        run->fused ? "in sequence, fused" : "in sequence",
        fmt::format("{:.3f} ms, {} calls of {} as one; their sum is {:.3f} of it", seconds * 1e3,
                    run->calls, run->backends(), run->alone_seconds / seconds)});
  }
}

void add_sequence_ratios(Section& section, const BoundReport& report, double latency_seconds) {
  std::string text;
  for (const SequenceRun* const run : report.sequences) {
    text += fmt::format("{}{:.3f}{}", text.empty() ? "" : ", ",
                        median(run->seconds) / latency_seconds, run->fused ? " fused" : "");
  }
  if (!text.empty()) section.add(Entry{"  in sequence", text + " of this latency"});
}

ordered_json sequences_json(const BoundReport& report) {
  ordered_json list = ordered_json::array();
  for (const SequenceRun* const run : report.sequences) {
    const double seconds = median(run->seconds);
    list.push_back({{"backends", run->backends()},
                    {"fused", run->fused},
                    {"calls", run->calls},
                    {"seconds", seconds},
                    {"alone_seconds", run->alone_seconds}});
  }
  return list;
}

}  // namespace benanza::analysis
