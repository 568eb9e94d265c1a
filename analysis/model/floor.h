#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/device_rates.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/least_work.h"

/// Lower limits that no software can beat on a device: from its measured peaks and the least work
/// that a problem or a model requires.
namespace benanza::analysis {

/// What a run has to read and write if no cache holds any of it.
struct Moved {
  double read = 0;
  double written = 0;
  /// The part of both that is read and written in one place: weights and the optimizer's state in a
  /// training step, a residual that its sum replaces.
  double in_place = 0;
  /// The part of what is read that rotated through memory when the call was timed: weights, at
  /// least two copies of them and at least twice the cache. None of it is in place.
  double rotating = 0;

  double bytes() const { return read + written; }
};

/// The least time for some work. Fields are empty if a rate or the work is unknown.
struct Floor {
  double flops = 0;
  std::optional<Moved> moved{};
  std::optional<double> arithmetic_seconds{};
  std::optional<double> memory_seconds{};

  /// The larger of the two times; if one is unknown, the other, which is still a lower limit.
  std::optional<double> seconds() const;
  bool is_by_memory() const { return memory_seconds && seconds() == memory_seconds; }
};

/// The arithmetic at the peak rate, and the bytes at the peak rate less those that the cache saves:
/// at the end of a run it holds as many bytes as fit. Each saves one read of the next run or one
/// write of this one; one that is read and written in place saves both. Of rotating bytes it saves
/// at most half, and half of its size. Cold caches save no reads.
Floor floor_of(double flops, const Moved& moved, const DeviceRates& rates, bool cold);

struct ModelFloor {
  DeviceRates rates{};
  /// The arithmetic by precision of the layers; its sum is model.flops.
  std::map<Precision, double> flops_at{};
  /// Of the whole model: the arithmetic of all its layers but those of assumed sizes, and its
  /// compulsory traffic.
  Floor model{};
  /// Per layer by itself, with its weights in memory if its call was timed like that; an operator
  /// done by one call has its floor at the layer with the call.
  std::vector<Floor> layers{};
};

/// `times` are operator_times(). A layer of several calls has the floor of the one call that can
/// replace them; without one, what the graph says that it must move, or else its result or the
/// constants and caches that its calls read.
/// Weights that are written, too, are a training step's: it updates them in place. Products that
/// merely implement other operators (a sum as a product with a triangle, Fourier transforms) do not
/// count as arithmetic, nor the matrix of a Fourier transform as traffic.
ModelFloor model_floor(const Graph& graph, const std::vector<LayerTime>& times,
                       const DeviceRates& rates, const MeasurementFilter& filter);

}  // namespace benanza::analysis
