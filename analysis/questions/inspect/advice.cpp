#include "analysis/questions/inspect/advice.h"

#include <algorithm>

#include "analysis/model/ranks.h"

namespace benanza::analysis {

std::string_view name_of(KernelRole role) {
  constexpr std::string_view names[] = {"work", "layout transform",      "padding", "copy", "cast",
                                        "fill", "sum of a split product"};
  return names[static_cast<std::size_t>(role)];
}

std::string advice_on(KernelRole role, std::string_view op, const Profile& profile) {
  const bool channels_last = profile.has_option("channels_last");
  switch (role) {
    case KernelRole::layout:
      return channels_last ? "An operator before it left channels-last: find the one whose result "
                             "is contiguous, and keep its memory format."
                           : "Run model and input in channels-last memory format: the library's "
                             "kernels then read its tensors as they are.";
    case KernelRole::padding:
      return "Make the layer's channels a multiple of 8 (4 for TF32), so that the library need not "
             "copy its tensors into larger ones.";
    case KernelRole::copy:
      return "Find what makes the tensor non-contiguous or moves it between devices, and drop it "
             "or do it once outside of the model.";
    case KernelRole::cast:
      if (op == "BatchNormalization") {
        return "Fold it into the convolution before it (torch.fx fuse, or an inference compiler): "
               "its parameters are converted on every run. Kept in fp32 they are not, but the "
               "library may then take a slower kernel.";
      }
      return "Keep weights and activations in one type: convert the model once instead of on "
             "every run.";
    case KernelRole::fill:
      return "The library clears memory for this algorithm: another algorithm (cudnn.benchmark), "
             "or a larger batch, does not need it.";
    case KernelRole::combine:
      return "The product is too small to fill the GPU and was split along its sum: a larger batch "
             "or a fused product does not need it.";
    case KernelRole::work:
      break;
  }
  return "";
}

std::string advice_on_extra(std::string_view op) {
  if (op == "BatchNormalization") {
    return "Fold it into the weights of the convolution before it, as the model does "
           "(torch.fx fuse, or an inference compiler).";
  }
  if (op == "Cast" || op == "Transpose") {
    return "Find what makes the tensor non-contiguous or of another type, and drop it or do it "
           "once when the model is loaded.";
  }
  if (op == "Concat") {
    return "Leave out concatenations of a single tensor, which only copy it.";
  }
  if (op == "Gather") {
    return "Look up what does not depend on the input once, when the model is loaded.";
  }
  if (op == "Conv" || op == "MatMul" || op == "ConvTranspose") {
    return "Leave out what the model's outputs do not need, such as a head that nobody reads.";
  }
  if (op.starts_with("Reorder")) {
    return "ONNX Runtime changes between plain and blocked tensors around operators that it has "
           "for "
           "plain ones only: fold or replace these operators, or try another provider.";
  }
  return "The model does without this operator: drop it, or compute it once when the model is "
         "loaded.";
}

bool is_graph_launch(const ProfiledNode& node) {
  return node.parts.empty() && node.name.find("GraphLaunch") != std::string::npos;
}

bool is_communication(const ProfiledNode& node) {
  for (const std::string_view name : {"c10d::", "_c10d_functional::", "nccl:", "gloo:", "xccl:",
                                      "record_param_comms", "symm_mem::", "fsdp::"}) {
    if (node.name.starts_with(name)) return true;
  }
  return std::ranges::any_of(
      node.kernels, [](const ProfiledKernel& kernel) { return is_collective_kernel(kernel.name); });
}

std::optional<UntoldWork> untold_work(const ProfiledNode& node, bool is_distributed) {
  if (is_graph_launch(node)) {
    return UntoldWork{"CUDA graph",
                      "The trace does not tell which operators the graph holds: record with "
                      "benanza-record, or trace without graphs."};
  }
  if (is_communication(node)) {
    return UntoldWork{"communication",
                      "The ranks exchange data: benanza-analyze ranks shows how much of it nothing "
                      "hides."};
  }
  const bool copies = node.op.empty() || node.op == "Concat" || node.op == "Split";
  const bool is_copy =
      !node.kernels.empty() && std::ranges::all_of(node.kernels, [](const ProfiledKernel& kernel) {
        const KernelRole role = kernel_traits(kernel.name).role;
        return role == KernelRole::copy || role == KernelRole::fill;
      });
  if (is_distributed && copies && is_copy) {
    return UntoldWork{"copy in a distributed run",
                      "It may pack what the ranks exchange, which the trace does not tell."};
  }
  // A node of its own for a kernel without an operator.
  if (node.parts.empty() && node.kernels.size() == 1 && node.name == node.kernels.front().name) {
    return UntoldWork{node.name,
                      "No operator launched it, as far as the trace tells: it may be part of a "
                      "layer's work."};
  }
  return std::nullopt;
}

std::string advice_on_missing(std::string_view op) {
  if (op == "Transpose" || op == "Slice" || op == "Split" || op == "Expand") {
    return "The framework takes a view instead of moving bytes: leave it out of the bound "
           "(--movement exclude).";
  }
  if (op == "BatchNormalization") return "Folded into the weights before it: nothing to do.";
  return "Fused into another operator, or folded away: compare with the bound of the fused "
         "problem.";
}

std::string advice_on_arithmetic(const Profile& profile) {
  if (profile.precision == "tf32" || profile.precision == "fp32") {
    return "No Tensor Core kernel was taken for this shape: try channels-last, channels in "
           "multiples of 4, or cudnn.benchmark.";
  }
  return "No Tensor Core kernel was taken for this shape: try channels-last, channels in multiples "
         "of 8, or cudnn.benchmark.";
}

}  // namespace benanza::analysis
