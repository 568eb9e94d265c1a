#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/nvidia/profiling/cupti.h"

struct CUpti_Profiler_Host_Object;

namespace benanza::nvidia {

/// CUPTI's metrics of a call, by CUPTI's names.
using CounterValues = std::map<std::string, double>;

/// How to collect the requested metrics on one kind of chip. Needs CUPTI, but no GPU.
class CounterPlan {
 public:
  /// `chip`: CUPTI's name, "GH100". `availability`: the device's counter availability image, or
  /// empty. `more`: metrics in addition to those of counter_facts(). Metrics that the chip lacks
  /// are omitted. Throws ProfilerUnavailable.
  CounterPlan(const Cupti& cupti, const std::string& chip, std::vector<std::uint8_t> availability,
              const std::vector<std::string>& more = {});

  const std::vector<const char*>& metrics() const { return metrics_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  /// The number of passes, i.e. how often the work must run.
  std::size_t passes() const;
  /// Returns the values of the only range in a decoded counter data image.
  CounterValues values(const std::vector<std::uint8_t>& counter_data) const;

 private:
  struct Close {
    const Cupti* cupti;
    void operator()(CUpti_Profiler_Host_Object* host) const;
  };
  using Host = std::unique_ptr<CUpti_Profiler_Host_Object, Close>;
  Host open(const std::string& chip) const;
  void add(const Host& host, std::vector<const char*> metrics) const;

  const Cupti& cupti_;
  std::vector<std::uint8_t> availability_;
  Host host_;
  /// Storage of the strings in metrics_.
  std::vector<std::string> names_;
  std::vector<const char*> metrics_;
  std::vector<std::uint8_t> image_;
};

/// Runs `work` on the current device as often as the plan requires, each time after `prepare`,
/// which is not counted, and returns its metrics. `work` must do the same every time. Throws
/// ProfilerUnavailable, or what the callbacks throw.
CounterValues count(const Cupti& cupti, const CounterPlan& plan, const std::function<void()>& work,
                    const std::function<void()>& prepare);

/// CUPTI's name of a device's chip, and its counter availability image.
std::string chip_name(const Cupti& cupti, int device);
std::vector<std::uint8_t> counter_availability(const Cupti& cupti);

/// "tensor_core_counted", "tensor_core_instructions" (matrix instructions without the packed half
/// arithmetic that shares their pipe), "dram_read_bytes", "dram_written_bytes", "instructions",
/// "l2_hit_percent", "active_warps_percent"; each only if its metrics are available.
Facts counter_facts(const CounterValues& values);

/// "counter_NAME" for each of `names`, and "metric_NAME" for each of `metrics` ("NAME =
/// EXPRESSION"), if available. Throws Error for an invalid metric.
Facts metric_facts(const CounterValues& values, const std::vector<std::string>& names,
                   const std::vector<std::string>& metrics);
/// Returns `names` and the counters that `metrics` need, without duplicates.
std::vector<std::string> needed_counters(std::vector<std::string> names,
                                         const std::vector<std::string>& metrics);

}  // namespace benanza::nvidia
