#include "analysis/questions/frameworks/sheet.h"

#include <functional>

#include "analysis/profiles/latency.h"
#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {
FrameworkRow framework_row(const Profile& profile, std::optional<double> bound,
                           const std::string& model) {
  FrameworkRow row{.model = model, .profile = &profile, .bound_seconds = bound};
  if (const auto latency = model_latency(profile)) row.seconds = latency->seconds;
  if (const auto latency = graph_latency(profile)) row.graph_seconds = latency->seconds;
  FrameworkKernels sum;
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
  if (sum.count > 0) row.kernels = sum;
  return row;
}

Sheet frameworks_sheet(const std::vector<FrameworkRow>& rows, bool of_several_models) {
  using Row = FrameworkRow;
  const auto stated = [](std::string Profile::*member) {
    return [member](const Row& row) {
      const std::string& text = row.profile->*member;
      return text.empty() ? std::string("-") : text;
    };
  };
  const auto of_kernels = [](auto member) {
    return [member](const Row& row) {
      return row.kernels ? std::optional(std::invoke(member, *row.kernels)) : std::nullopt;
    };
  };
  const auto of_timeline = [](auto seconds) {
    return [seconds](const Row& row) -> std::optional<double> {
      const auto& timeline = row.profile->timeline;
      return timeline ? quotient(seconds(*timeline), timeline->span_seconds) : std::nullopt;
    };
  };
  Table<Row> table{};
  table.add_if(of_several_models, {{"model", "model", &Row::model}});
  table.add_if(
      true,
      {{"framework", "framework",
        [](const Row& row) { return row.profile->framework + ' ' + row.profile->named_version(); },
        any_width},
       {"device", "device", stated(&Profile::device), any_width},
       {"precision", "precision", stated(&Profile::precision)},
       {"ms", "latency_seconds", milli, &Row::seconds},
       {"graph ms", "graph_latency_seconds", milli, &Row::graph_seconds},
       {"operators", "operators", [](const Row& row) { return row.profile->nodes.size(); }},
       {"kernels", "kernels", of_kernels(&FrameworkKernels::count)},
       {"of libraries", "library_kernels", of_kernels(&FrameworkKernels::of_libraries)},
       {"Tensor Cores", "tensor_core_share", percent,
        [](const Row& row) {
          return row.kernels ? quotient(row.kernels->tensor_core_seconds, row.kernels->seconds)
                             : std::nullopt;
        }},
       {"idle", "idle_share", percent,
        of_timeline([](const Timeline& one) { return one.span_seconds - one.busy_seconds; })},
       {"host-bound", "host_bound_share", percent,
        of_timeline([](const Timeline& one) { return one.host_bound_seconds; })},
       {"copies ms", "copy_seconds", milli, of_kernels(&FrameworkKernels::copy_seconds)},
       {"LBL ms", "bound_seconds", milli, &Row::bound_seconds},
       {"of LBL", "ratio", times, &Row::of_bound}});
  return table.sheet(rows, {.name = "frameworks",
                            .note = "LBL: of this model at the framework's precision. of LBL: of "
                                    "the latency as a CUDA graph where it is known.",
                            .all_rows = true});
}

std::optional<double> FrameworkRow::of_bound() const {
  const auto& best = graph_seconds ? graph_seconds : seconds;
  return bound_seconds && best ? std::optional(*best / *bound_seconds) : std::nullopt;
}

}  // namespace benanza::analysis
