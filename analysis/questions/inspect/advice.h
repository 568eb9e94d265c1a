#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/profiles/profile.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {

/// "layout transform", "padding", ...: roles other than the operator's own arithmetic.
std::string_view name_of(KernelRole role);

/// Advice on kernels of `role` inside an operator; `op` is its ONNX operator.
std::string advice_on(KernelRole role, std::string_view op, const Profile& profile);

/// Advice on an operator that the model does not contain; `op` is its ONNX operator, or empty.
std::string advice_on_extra(std::string_view op);

/// A CUDA graph that the profile cannot take apart.
bool is_graph_launch(const ProfiledNode& node);
/// Collectives and the like.
bool is_communication(const ProfiledNode& node);

/// Work of no layer of which the profile does not show that the model does without it.
struct UntoldWork {
  std::string what{};
  /// One sentence: why, and what would tell.
  std::string advice{};
};
/// Empty if `node` is none. `is_distributed`: the run communicates.
std::optional<UntoldWork> untold_work(const ProfiledNode& node, bool is_distributed);

/// What it means that the framework ran nothing for a layer of operator `op`.
std::string advice_on_missing(std::string_view op);

/// Advice on a product that runs without Tensor Cores at the profile's precision.
std::string advice_on_arithmetic(const Profile& profile);

inline constexpr std::string_view advice_on_waits =
    "Capture the run in a CUDA graph, or compile it (torch.compile, mode reduce-overhead): the "
    "host "
    "then launches it once.";
inline constexpr std::string_view advice_on_missing_beside_graphs =
    "It may have run in a CUDA graph, which the trace cannot take apart: record with "
    "benanza-record.";
inline constexpr std::string_view advice_on_parameters =
    "Compare the two problems: the framework may have padded or split this layer, or runs another "
    "version of the model.";
inline constexpr std::string_view advice_on_order =
    "Nothing is lost as long as both orders respect the data flow; concurrent branches may still "
    "wait for each other.";

}  // namespace benanza::analysis
