#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/nvidia/counter_host.h"
#include "core/nvidia/cupti.h"

namespace benanza::nvidia {

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
