#include <fmt/format.h>

#include <string>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
void add_sequences(Section& section, const BoundReport& report) {
  const Table<const SequenceRun*> table{
      {"", "backends", &SequenceRun::backends},
      {"", "fused", &SequenceRun::fused},
      {"", "calls", &SequenceRun::calls},
      {"", "seconds", milli, [](const SequenceRun* run) { return typical(run->seconds); }},
      {"", "alone_seconds", milli, &SequenceRun::alone_seconds}};
  section.facts["sequences"] = table.json(report.sequences);
  for (const SequenceRun* const run : report.sequences) {
    const double seconds = typical(run->seconds);
    section.add(Entry{
        run->fused ? "in sequence, fused" : "in sequence",
        fmt::format("{:.3f} ms{}, {} calls of {} back to back; their sum alone is {:.3f} of it",
                    seconds * 1e3, interruption_text(run->seconds), run->calls, run->backends(),
                    run->alone_seconds / seconds)});
  }
}

void add_sequence_ratios(Section& section, const BoundReport& report, double latency_seconds) {
  std::string text;
  for (const SequenceRun* const run : report.sequences) {
    text += fmt::format("{}{:.3f}{}", text.empty() ? "" : ", ",
                        typical(run->seconds) / latency_seconds, run->fused ? " fused" : "");
  }
  if (!text.empty()) section.add(Entry{"  in sequence", text + " of this latency"});
}

}  // namespace benanza::analysis
