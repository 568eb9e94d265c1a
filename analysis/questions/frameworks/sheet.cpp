#include "analysis/questions/frameworks/sheet.h"

#include <utility>

#include "analysis/profiles/latency.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {
namespace {

/// Kernels of one run of a model.
struct Kernels {
  std::size_t count = 0;
  /// Kernels without a framework's own name.
  std::size_t of_libraries = 0;
  double seconds = 0;
  double tensor_core_seconds = 0;
  double copy_seconds = 0;
};

Kernels kernels_of(const Profile& profile) {
  Kernels sum;
  for (const ProfiledNode& node : profile.nodes) {
    for (const ProfiledKernel& kernel : node.kernels) {
      const KernelTraits traits = kernel_traits(kernel.name);
      ++sum.count;
      sum.seconds += kernel.seconds;
      const bool copies = traits.role == KernelRole::copy;
      if (copies) sum.copy_seconds += kernel.seconds;
      if (!copies && !is_framework_kernel(kernel.name)) ++sum.of_libraries;
      if (traits.tensor_cores.value_or(false)) sum.tensor_core_seconds += kernel.seconds;
    }
  }
  return sum;
}

Cell share(double part, double whole, bool is_known) {
  return percent_cell(is_known && whole > 0 ? std::optional(part / whole) : std::nullopt);
}

Cell count_or_unknown(std::size_t count, bool is_known) {
  return is_known ? count_cell(count) : Cell{.shown = "-", .value = nullptr};
}

}  // namespace

Sheet frameworks_sheet(std::string name) {
  return {.name = std::move(name),
          .columns = {{"framework", "framework", false, any_width},
                      {"device", "device", false, any_width},
                      {"precision", "precision"},
                      {"ms", "latency_seconds", true},
                      {"graph ms", "graph_latency_seconds", true},
                      {"operators", "operators", true},
                      {"kernels", "kernels", true},
                      {"of libraries", "library_kernels", true},
                      {"Tensor Cores", "tensor_core_share", true},
                      {"idle", "idle_share", true},
                      {"host-bound", "host_bound_share", true},
                      {"copies ms", "copy_seconds", true},
                      {"LBL ms", "bound_seconds", true},
                      {"of LBL", "ratio", true}},
          .note =
              "LBL: of this model at the framework's precision. of LBL: of the latency as "
              "a CUDA graph where it is known.",
          .all_rows = true};
}

std::vector<Cell> framework_cells(const Profile& profile, std::optional<double> bound) {
  const Kernels kernels = kernels_of(profile);
  const bool has_kernels = kernels.count > 0;
  const Timeline timeline = profile.timeline.value_or(Timeline{});
  const bool has_timeline = profile.timeline.has_value();
  const auto seconds = [](const std::optional<ModelLatency>& one) {
    return one ? std::optional(one->seconds) : std::nullopt;
  };
  const auto latency = seconds(model_latency(profile));
  const auto as_graph = seconds(graph_latency(profile));
  const auto best = as_graph ? as_graph : latency;
  return {text_cell(profile.framework + ' ' + profile.version),
          text_cell(profile.device.empty() ? "-" : profile.device),
          text_cell(profile.precision.empty() ? "-" : profile.precision),
          ms_cell(latency),
          ms_cell(as_graph),
          count_cell(profile.nodes.size()),
          count_or_unknown(kernels.count, has_kernels),
          count_or_unknown(kernels.of_libraries, has_kernels),
          share(kernels.tensor_core_seconds, kernels.seconds, has_kernels),
          share(timeline.span_seconds - timeline.busy_seconds, timeline.span_seconds, has_timeline),
          share(timeline.host_bound_seconds, timeline.span_seconds, has_timeline),
          ms_cell(has_kernels ? std::optional(kernels.copy_seconds) : std::nullopt),
          ms_cell(bound),
          factor_cell(bound && best ? std::optional(*best / *bound) : std::nullopt)};
}

}  // namespace benanza::analysis
