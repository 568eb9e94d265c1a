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

/// CUPTI's metrics of a call, by their own names.
using CounterValues = std::map<std::string, double>;

/// How the wanted metrics are collected on one kind of chip. Needs no GPU, only CUPTI.
class CounterPlan {
 public:
  /// `chip`: CUPTI's name, "GH100". `availability`: what the device offers, or empty. Metrics that
  /// the chip does not have are left out. `more`: beside those of counter_facts(). Throws
  /// ProfilerUnavailable.
  CounterPlan(const Cupti& cupti, const std::string& chip, std::vector<std::uint8_t> availability,
              const std::vector<std::string>& more = {});

  const std::vector<const char*>& metrics() const { return metrics_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  /// How often the work must run.
  std::size_t passes() const;
  /// Values of the one range in a decoded image of counter data.
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
  /// What metrics_ points to.
  std::vector<std::string> names_;
  std::vector<const char*> metrics_;
  std::vector<std::uint8_t> image_;
};

/// Runs `work` as often as the plan needs, on the current device, each time after `prepare`, which
/// is not counted, and returns its metrics. `work` does the same every time. Throws
/// ProfilerUnavailable, or what the two throw.
CounterValues count(const Cupti& cupti, const CounterPlan& plan, const std::function<void()>& work,
                    const std::function<void()>& prepare);

/// CUPTI's name of a device's chip, and what it offers.
std::string chip_name(const Cupti& cupti, int device);
std::vector<std::uint8_t> counter_availability(const Cupti& cupti);

/// "tensor_core_counted", "tensor_core_instructions" (matrix instructions without the packed half
/// arithmetic that shares their pipe), "dram_read_bytes", "dram_written_bytes", "instructions",
/// "l2_hit_percent", "active_warps_percent"; each only where its metrics are known.
Facts counter_facts(const CounterValues& values);

/// "counter_NAME" of every one of `names`, and "metric_NAME" of every one of `metrics` ("NAME =
/// EXPRESSION"); each only where it is known. Throws Error for a metric that is none.
Facts metric_facts(const CounterValues& values, const std::vector<std::string>& names,
                   const std::vector<std::string>& metrics);
/// `names`, and those that `metrics` need; each once.
std::vector<std::string> needed_counters(std::vector<std::string> names,
                                         const std::vector<std::string>& metrics);

}  // namespace benanza::nvidia
