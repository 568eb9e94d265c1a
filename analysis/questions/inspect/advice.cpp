#include "analysis/questions/inspect/advice.h"

namespace benanza::analysis {

std::string_view name_of(KernelRole role) {
  switch (role) {
    case KernelRole::work:
      return "work";
    case KernelRole::layout:
      return "layout transform";
    case KernelRole::padding:
      return "padding";
    case KernelRole::copy:
      return "copy";
    case KernelRole::cast:
      return "cast";
    case KernelRole::fill:
      return "fill";
    case KernelRole::combine:
      return "sum of a split product";
  }
  return "";
}

std::string advice_on(KernelRole role, std::string_view op, const Profile& profile) {
  const bool channels_last = profile.version.find("channels_last") != std::string::npos;
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
  return "The model does without this operator: drop it, or compute it once when the model is "
         "loaded.";
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
