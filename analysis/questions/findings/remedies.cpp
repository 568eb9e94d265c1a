#include "analysis/questions/findings/matter.h"

#include <fmt/format.h>

#include <string_view>

namespace benanza::analysis {
namespace {

/// Whose run it is; `none` without one, or of another framework.
enum class Whose { none, pytorch, onnxruntime, jax };

Whose whose(const Matter& matter) {
  if (matter.run() == nullptr) return Whose::none;
  const std::string& name = matter.profile().framework;
  if (name == "pytorch") return Whose::pytorch;
  if (name == "onnxruntime") return Whose::onnxruntime;
  return name == "jax" ? Whose::jax : Whose::none;
}

/// " --profile FILE" of the run.
std::string profile_flag(const Matter& matter) {
  return matter.run() == nullptr ? "" : " --profile " + matter.profile().path.string();
}

/// `why`: "which ...".
Remedy openvino(const std::string& why) {
  return {"Try the OpenVINO provider, " + why +
              ", and compare (pip install onnxruntime-openvino in an environment of its own).",
          R"(providers=["OpenVINOExecutionProvider", "CPUExecutionProvider"])"};
}

std::string cuda_provider(std::string_view option, std::string_view value) {
  return fmt::format(R"(providers=[("CUDAExecutionProvider", {{"{}": "{}"}})])", option, value);
}

}  // namespace

Remedy remedy_for_launches(const Matter& matter) {
  switch (whose(matter)) {
    case Whose::pytorch:
      return {
          "Capture the run in a CUDA graph (torch.cuda.CUDAGraph), so that the host launches it "
          "once; torch.compile does this in this mode.",
          "model = torch.compile(model, mode=\"reduce-overhead\")"};
    case Whose::onnxruntime:
      return {
          "Let the CUDA provider record the run as a CUDA graph; inputs and outputs must be "
          "bound (IOBinding) and of fixed shapes.",
          cuda_provider("enable_cuda_graph", "1")};
    case Whose::jax:
      return {
          "Put the whole run into one jax.jit function, and let XLA launch also short series of "
          "kernels as CUDA graphs (command buffers).",
          "XLA_FLAGS=--xla_gpu_graph_min_graph_size=1 python PROGRAM"};
    case Whose::none:
      break;
  }
  return {"Capture the run in a CUDA graph, and launch that instead of its kernels.",
          "cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)"};
}

Remedy remedy_for_algorithms(const Matter& matter) {
  const Remedy by_name{"Request these algorithms by name instead of taking the library's default.",
                       matter.ask("algorithms", profile_flag(matter))};
  switch (whose(matter)) {
    case Whose::pytorch:
      if (matter.has_option("cudnn_benchmark")) return by_name;
      return {"Let cuDNN try its algorithms on the first run of each shape.",
              "torch.backends.cudnn.benchmark = True"};
    case Whose::onnxruntime:
      return {"Let the CUDA provider search all algorithms, with as much workspace as they need.",
              cuda_provider("cudnn_conv_algo_search", "EXHAUSTIVE")};
    case Whose::jax:
      return {"Let XLA time all algorithms when it compiles.",
              "XLA_FLAGS=--xla_gpu_autotune_level=4 python PROGRAM"};
    case Whose::none:
      break;
  }
  return by_name;
}

Remedy remedy_for_fusion(const Matter& matter) {
  switch (whose(matter)) {
    case Whose::pytorch:
      if (matter.has_option("compile")) break;
      return {
          "Compile the model: this fuses elementwise layers with each other. Layers after a "
          "convolution or product stay separate unless the library has a fused call.",
          "model = torch.compile(model)"};
    case Whose::onnxruntime:
      if (!matter.is_of_gpu()) return openvino("which fuses more than ONNX Runtime's optimizer");
      return {
          "Let the session optimize fully (the default), and see which layers are left apart; "
          "those need an operator that calls the library's fused call.",
          "options.graph_optimization_level = "
          "onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL"};
    case Whose::jax:
      return {"Put these layers into one jax.jit function: XLA fuses within one only.",
              "model = jax.jit(model)"};
    case Whose::none:
      break;
  }
  return {
      "Make one call for each group: oneDNN's post-operations, cuDNN's graph interface, "
      "cuBLASLt's epilogues.",
      matter.ask("fusion")};
}

Remedy remedy_for_layout(const Matter& matter) {
  switch (whose(matter)) {
    case Whose::pytorch:
      if (matter.has_option("channels_last")) {
        return {
            "Find the operator whose result is contiguous although its input is channels-last, "
            "and keep the memory format there.",
            matter.ask_inspect()};
      }
      return {"Run model and input in channels-last memory format.",
              "model = model.to(memory_format=torch.channels_last); "
              "x = x.to(memory_format=torch.channels_last)"};
    case Whose::onnxruntime:
      if (!matter.is_of_gpu()) break;
      return {"Let the CUDA provider keep tensors in NHWC.", cuda_provider("prefer_nhwc", "1")};
    case Whose::jax:
      return {
          "Write the convolutions for NHWC inputs and HWIO filters.",
          "jax.lax.conv_general_dilated(..., dimension_numbers=(\"NHWC\", \"HWIO\", \"NHWC\"))"};
    case Whose::none:
      break;
  }
  return {"Keep tensors in the layouts that `layouts` names, from layer to layer.",
          matter.ask("layouts")};
}

Remedy remedy_for_precision(const Matter& matter, Precision precision) {
  const std::string word(to_string(precision));
  const bool is_tf32 = precision == Precision::tf32;
  const bool is_byte = precision == Precision::int8 || precision == Precision::fp8;
  const std::string check = " Compare the outputs' accuracy on your data.";
  switch (whose(matter)) {
    case Whose::pytorch: {
      if (is_byte) break;
      if (is_tf32) {
        return {"Allow TF32 in products and convolutions." + check,
                "torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True"};
      }
      const char* const device = matter.is_of_gpu() ? "cuda" : "cpu";
      const char* const type = precision == Precision::fp16 ? "float16" : "bfloat16";
      return {
          fmt::format("Convert model and inputs to {0}, or run them under torch.autocast(\"{1}\", "
                      "dtype=torch.{0}).{2}",
                      type, device, check),
          fmt::format("model = model.to(torch.{0}); x = x.to(torch.{0})", type)};
    }
    case Whose::onnxruntime:
      if (is_tf32) return {"Allow TF32." + check, cuda_provider("use_tf32", "1")};
      if (precision == Precision::fp16) {
        return {"Convert the file to fp16 (package onnxconverter-common)." + check,
                "model = onnxconverter_common.float16.convert_float_to_float16(model)"};
      }
      if (precision == Precision::int8) {
        return {"Quantize the file with samples of your data." + check,
                "onnxruntime.quantization.quantize_static(\"model.onnx\", \"int8.onnx\", samples)"};
      }
      break;
    case Whose::jax:
      if (is_byte) break;
      if (is_tf32) {
        return {"Allow TF32 in products." + check,
                "jax.config.update(\"jax_default_matmul_precision\", \"tensorfloat32\")"};
      }
      return {fmt::format("Convert parameters and inputs to {}.{}", word, check),
              fmt::format("params = jax.tree.map(lambda p: p.astype(jnp.{}), params)",
                          precision == Precision::fp16 ? "float16" : "bfloat16")};
    case Whose::none:
      break;
  }
  return {is_byte ? "Quantize the model with samples of your data." + check
                  : fmt::format("Run the model at {}.{}", word, check),
          fmt::format("scripts/bench MODEL.onnx --precision {}", word)};
}

Remedy remedy_for_branches(const Matter& matter) {
  if (whose(matter) == Whose::pytorch && matter.is_of_gpu()) {
    return {"Run the branches in streams of their own, recorded in one CUDA graph.",
            "with torch.cuda.stream(torch.cuda.Stream()): branch(x)"};
  }
  return {"Run independent branches at the same time, in streams of their own.", ""};
}

Remedy remedy_for_operators(const Matter& matter, const std::string& op) {
  const bool is_convolution = op == "Conv" || op == "ConvTranspose";
  if (whose(matter) == Whose::pytorch) {
    if (op == "BatchNormalization" && !matter.has_option("fold")) {
      return {"Fold it into the weights of the convolution before it.",
              "model = torch.fx.experimental.optimization.fuse(model.eval())"};
    }
    if (!matter.is_of_gpu()) {
      return {"Compile the model with frozen weights: they are then packed once for oneDNN.",
              "TORCHINDUCTOR_FREEZING=1 python PROGRAM    # model = torch.compile(model.eval())"};
    }
    if (is_convolution && !matter.has_option("cudnn_benchmark")) {
      return {"Let cuDNN try its algorithms on the first run of each shape.",
              "torch.backends.cudnn.benchmark = True"};
    }
    if (!is_convolution && !matter.has_option("compile")) {
      return {"Compile the model: one kernel then does several of these operators.",
              "model = torch.compile(model)"};
    }
  }
  if (whose(matter) == Whose::onnxruntime && !matter.is_of_gpu()) {
    return openvino("which has oneDNN's kernels, instead of ONNX Runtime's own (MLAS)");
  }
  return {"Run these layers with the calls that the bound names.", matter.ask("calls")};
}

Remedy remedy_for_threads(const Matter& matter, std::int64_t threads) {
  const std::string fewer =
      fmt::format("Run with {} {}.", threads, threads == 1 ? "thread" : "threads");
  const Whose run = whose(matter);
  if (run == Whose::pytorch) return {fewer, fmt::format("torch.set_num_threads({})", threads)};
  if (run == Whose::onnxruntime) {
    return {fewer, fmt::format("options.intra_op_num_threads = {}", threads)};
  }
  return {fewer, fmt::format("taskset -c 0-{} PROGRAM", threads - 1)};
}

}  // namespace benanza::analysis
