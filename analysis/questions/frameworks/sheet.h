#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// Kernels of one run of a model.
struct FrameworkKernels {
  std::size_t count = 0;
  /// Kernels without a framework's own name.
  std::size_t of_libraries = 0;
  double seconds = 0;
  double tensor_core_seconds = 0;
  double copy_seconds = 0;
};

/// A framework's run of a model.
struct FrameworkRow {
  std::string model{};
  const Profile* profile = nullptr;
  std::optional<double> seconds{};
  /// As a CUDA graph.
  std::optional<double> graph_seconds{};
  /// Empty if the profile names none.
  std::optional<FrameworkKernels> kernels{};
  /// The model's sequential bound at the profile's precision; empty if unknown.
  std::optional<double> bound_seconds{};

  /// The latency, as a CUDA graph if that is known, over the bound.
  std::optional<double> of_bound() const;
};
/// `profile` must outlive the row.
FrameworkRow framework_row(const Profile& profile, std::optional<double> bound,
                           const std::string& model = "");

/// Latency, operators, kernels and whose they are, share of Tensor Cores, idle GPU, copies, and the
/// distance to the bound.
Sheet frameworks_sheet(const std::vector<FrameworkRow>& rows, bool of_several_models = false);

}  // namespace benanza::analysis
