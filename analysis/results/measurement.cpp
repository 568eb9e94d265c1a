#include "results/measurement.h"

#include <algorithm>

#include "statistics/statistics.h"

namespace benanza {
namespace {

/// Which of two outcomes of one variant stands: the later in this order.
int weight(Status status) {
  switch (status) {
    case Status::failed:
      return 0;
    case Status::unsupported:
      return 1;
    case Status::ok:
      return 2;
    case Status::incorrect:
      return 3;
  }
  return 0;
}

void merge(Measurement& held, Measurement&& added) {
  if (held.status == added.status) {
    held.samples.insert(held.samples.end(), added.samples.begin(), added.samples.end());
  } else if (weight(added.status) > weight(held.status)) {
    held = std::move(added);
  }
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unsupported:
      return "unsupported";
    case Status::incorrect:
      return "incorrect";
    case Status::failed:
      return "failed";
  }
  return "";
}

double Measurement::seconds() const { return median(samples); }

void MeasurementSet::add(Measurement measurement) {
  std::vector<Measurement>& variants = by_key_[measurement.variant.key];
  const std::string name = to_string(measurement.variant);
  const auto place = std::lower_bound(variants.begin(), variants.end(), name,
                                      [](const Measurement& held, const std::string& added) {
                                        return to_string(held.variant) < added;
                                      });
  if (place != variants.end() && place->variant == measurement.variant) {
    merge(*place, std::move(measurement));
  } else {
    variants.insert(place, std::move(measurement));
  }
}

std::span<const Measurement> MeasurementSet::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  return found->second;
}

std::size_t MeasurementSet::size() const {
  std::size_t total = 0;
  for (const auto& [key, variants] : by_key_) total += variants.size();
  return total;
}

}  // namespace benanza
