#include "suites/nvidia/profiling/kernels.h"

#include <algorithm>
#include <map>

#include "core/statistics/summary.h"

namespace benanza::nvidia {
namespace {

std::vector<KernelTime> by_position(const std::vector<KernelTime>& records, std::size_t kernels) {
  std::vector<KernelTime> result;
  for (std::size_t position = 0; position < kernels; ++position) {
    std::vector<double> times;
    for (std::size_t at = position; at < records.size(); at += kernels) {
      if (records[at].name != records[position].name) return {};
      times.push_back(records[at].seconds);
    }
    result.push_back({records[position].name, median(times)});
  }
  return result;
}

std::vector<KernelTime> by_name(const std::vector<KernelTime>& records, std::size_t calls) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> times;
  for (const KernelTime& record : records) {
    if (times[record.name].empty()) order.push_back(record.name);
    times[record.name].push_back(record.seconds);
  }
  std::vector<KernelTime> result;
  for (const std::string& name : order) {
    const std::vector<double>& all = times[name];
    if (all.size() % calls != 0) return {};
    result.insert(result.end(), all.size() / calls, {name, median(all)});
  }
  return result;
}

}  // namespace

KernelRecords kernel_records(const std::vector<Activity>& activities) {
  KernelRecords result;
  std::vector<Span> spans;
  for (const Activity& activity : activities) {
    // Relative to the first, because a double cannot represent nanoseconds since 1970 exactly.
    const auto seconds = [&](std::uint64_t nanoseconds) {
      return static_cast<double>(nanoseconds - activities.front().start_nanoseconds) * 1e-9;
    };
    spans.push_back({seconds(activity.start_nanoseconds), seconds(activity.end_nanoseconds)});
    result.kernels.push_back({activity.name, spans.back().end - spans.back().begin});
  }
  for (const Span& span : spans) result.span_seconds = std::max(result.span_seconds, span.end);
  result.busy_seconds = covered_seconds(std::move(spans));
  return result;
}

double covered_seconds(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double covered = 0;
  double until = spans.empty() ? 0 : spans.front().begin;
  for (const Span& span : spans) {
    covered += std::max(0.0, span.end - std::max(span.begin, until));
    until = std::max(until, span.end);
  }
  return covered;
}

std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls) {
  if (calls == 0 || records.size() % calls != 0) return {};
  const std::vector<KernelTime> in_order = by_position(records, records.size() / calls);
  return in_order.empty() ? by_name(records, calls) : in_order;
}

Facts kernel_facts(const KernelRecords& records, std::size_t calls) {
  std::string names;
  for (const KernelTime& kernel : kernels_of_a_call(records.kernels, calls)) {
    if (!names.empty()) names += ',';
    names += kernel.name;
  }
  if (names.empty()) return {};
  return {{"kernel_names", names},
          {"kernel_seconds", records.busy_seconds / static_cast<double>(calls)},
          {"kernel_span_seconds", records.span_seconds / static_cast<double>(calls)}};
}

Facts graph_facts(const std::vector<Activity>& graphs, std::size_t calls) {
  std::vector<double> seconds;
  for (const Activity& graph : graphs) {
    if (graph.end_nanoseconds <= graph.start_nanoseconds) continue;
    seconds.push_back(static_cast<double>(graph.end_nanoseconds - graph.start_nanoseconds) * 1e-9);
  }
  if (seconds.empty() || calls == 0) return {};
  return {{"graph_seconds", median(seconds) / static_cast<double>(calls)}};
}

}  // namespace benanza::nvidia
