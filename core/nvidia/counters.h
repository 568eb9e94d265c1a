#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/nvidia/cupti.h"

struct CUpti_Profiler_Host_Object;

namespace benanza::nvidia {

struct CloseCounterHost {
  const Cupti* cupti;
  void operator()(CUpti_Profiler_Host_Object* host) const;
};
/// What CUPTI knows of the counters of a chip. Needs no GPU.
using CounterHost = std::unique_ptr<CUpti_Profiler_Host_Object, CloseCounterHost>;

/// `chip`: CUPTI's name, "GH100". `availability`: the device's counter availability image, or
/// empty. Throws ProfilerUnavailable.
CounterHost open_counter_host(const Cupti& cupti, const std::string& chip,
                              const std::vector<std::uint8_t>& availability);

/// A counter, a ratio or a throughput of a chip; to be used with an ending: "dram__bytes_read.sum".
struct CounterDescription {
  std::string name{};
  std::string description{};
  /// Of the counters, ".sum .avg .min .max"; of ratios and throughputs what they have.
  std::string endings{};
};

/// What CUPTI can count on a chip ("GH100"), by name. Needs no GPU. Throws ProfilerUnavailable.
std::vector<CounterDescription> list_counters(const Cupti& cupti, const std::string& chip);

/// The chips that CUPTI knows.
std::vector<std::string> known_chips(const Cupti& cupti);

/// The chip of this machine's first GPU. Throws ProfilerUnavailable if there is none.
std::string chip_of_first_gpu(const Cupti& cupti);

/// CUPTI's metrics of a call or a kernel, by CUPTI's names.
using CounterValues = std::map<std::string, double>;

/// How to collect the requested metrics on one kind of chip. Needs CUPTI, but no GPU.
class CounterPlan {
 public:
  /// `chip`: CUPTI's name, "GH100". `availability`: the device's counter availability image, or
  /// empty. `wanted`: metrics by CUPTI's names; those that the chip lacks are omitted. Throws
  /// ProfilerUnavailable.
  CounterPlan(const Cupti& cupti, const std::string& chip, std::vector<std::uint8_t> availability,
              const std::vector<std::string>& wanted);

  const std::vector<const char*>& metrics() const { return metrics_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  /// The number of passes, i.e. how often the work must run.
  std::size_t passes() const;
  /// Returns the values of a range in a decoded counter data image.
  CounterValues values(const std::vector<std::uint8_t>& counter_data, std::size_t range = 0) const;

 private:
  void add(const CounterHost& host, std::vector<const char*> metrics) const;

  const Cupti& cupti_;
  std::vector<std::uint8_t> availability_;
  CounterHost host_;
  /// Storage of the strings in metrics_.
  std::vector<std::string> names_;
  std::vector<const char*> metrics_;
  std::vector<std::uint8_t> image_;
};

/// CUPTI's name of a device's chip, and its counter availability image.
std::string chip_name(const Cupti& cupti, int device);
std::vector<std::uint8_t> counter_availability(const Cupti& cupti);

}  // namespace benanza::nvidia
