#include "core/metrics/expression.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"

namespace benanza {
namespace {

TEST(MetricSets, AreMetricsWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const char* const set : {"memory", "compute", "tensor"}) {
    const auto metrics = gpu_metric_set(set);
    EXPECT_FALSE(metrics.empty());
    for (const std::string& text : metrics) {
      const Metric metric = parse_metric(text);
      EXPECT_TRUE(names.insert(metric.name).second) << text;
      EXPECT_FALSE(metric.expression.names().empty()) << text;
    }
  }
  EXPECT_THROW(gpu_metric_set("colour"), Error);
}

TEST(MetricSets, BandwidthIsBytesOverTime) {
  // 3000 bytes read, 1000 written, in 2 us: 2 GB/s.
  const Metric metric = parse_metric(gpu_metric_set("memory").at(1));
  const auto value = metric.expression.value([](std::string_view name) -> std::optional<double> {
    if (name == "dram__bytes_read.sum") return 3000;
    if (name == "dram__bytes_write.sum") return 1000;
    if (name == "gpu__time_duration.sum") return 2000;
    return std::nullopt;
  });
  ASSERT_TRUE(value);
  EXPECT_DOUBLE_EQ(*value, 2e9);
}

}  // namespace
}  // namespace benanza
