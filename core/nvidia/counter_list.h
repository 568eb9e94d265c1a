#pragma once

#include <string>
#include <vector>

#include "core/nvidia/cupti.h"

namespace benanza::nvidia {

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

}  // namespace benanza::nvidia
