#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "record/tests/nvidia_texts.h"

namespace benanza::record::test {

inline std::string three_times(const std::string& step) { return step + step + step; }

/// What ten programs logged, by name. Those of oneDNN are in files of `data`.
inline std::vector<std::pair<std::string, std::string>> ten_logs(const std::string& data) {
  const auto file = [&](const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(data + '/' + name + ".log").rdbuf();
    return std::pair(name, text.str());
  };
  const std::string setup = cudnn_entry("cudnnCreateTensorDescriptor", "") +
                            cudnn_entry("cudnnSetTensorNdDescriptor", half_nhwc) +
                            cudnn_entry("cudnnGetConvolutionForwardWorkspaceSize", "");
  const std::string biased = pointwise("ADD (0)", "", 67, bias_tensor, 66, "1");
  const std::string activated = pointwise("RELU_FWD (100)", open_relu, 66, "", 121, "1");
  const auto forward = [](const std::string& tensor, const std::string& name) {
    return cudnn_entry(
        "cudnnConvolutionForward",
        tensor + convolution_fields + algorithm("CUDNN_CONVOLUTION_FWD_ALGO_" + name));
  };
  return {{"graphs", setup + three_times(execute + normalise)},
          {"classic", forward(float_nchw, "IMPLICIT_PRECOMP_GEMM") +
                          three_times(forward(half_nhwc, "WINOGRAD_NONFUSED") + setup)},
          {"fused",
           three_times(fused_entry("RELU (1)", "0.000000") + fused_entry("RELU (1)", "1.000000") +
                       fused_entry("CLIPPED_RELU (3)", "0.000000"))},
          {"training_graphs",
           three_times(execute +
                       graph_gradient("CONVOLUTION_BACKWARD_DATA", "dxDesc", "wDesc", "dyDesc") +
                       graph_gradient("CONVOLUTION_BACKWARD_FILTER", "xDesc", "dwDesc", "dyDesc"))},
          {"training",
           three_times(
               training_entry("cudnnConvolutionBackwardData", "CUDNN_CONVOLUTION_BWD_DATA_ALGO_1") +
               training_entry("cudnnConvolutionBackwardFilter",
                              "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED") +
               training_entry("cudnnBatchNormalizationForwardTrainingEx", "") +
               training_entry("cudnnBatchNormalizationBackwardEx", ""))},
          {"jax", three_times(fused_graph(biased + activated) +
                              fused_graph(pointwise("MUL (1)", "", 67, whole_tensor, 121, "1")) +
                              fused_graph(operation_of_graph("REDUCTION")))},
          {"products", cublas_product + lt_linear + cublas_batches + lt_product("", "0") +
                           lt_product("", "1") + lt_product(" epilogue=EPILOGUE_RELU_BIAS", "0") +
                           lt_product(" epilogue=EPILOGUE_DRELU", "0") + lt_product("", "0.5")},
          {"mixed", setup +
                        three_times(execute + cublas_product + lt_linear + matmul_graph +
                                    cudnn_entry("cudnnPoolingForward", half_nhwc)) +
                        cublas_batches + forward(float_nchw, "FFT")},
          file("onednn_v2"),
          file("onednn_v3")};
}

/// Everything of a suite that is made of a recording, a line each.
template <class RecordedGraphs>
std::string suite_text(const RecordedGraphs& suite) {
  std::string text;
  for (const auto& graph : suite.graphs) {
    text += graph.model + '\n';
    for (const auto& layer : graph.layers) {
      text += "  " + layer.name + ' ' + layer.precision;
      for (const std::string& problem : layer.problems) text += ' ' + problem;
      if (layer.problems.empty()) text += " unsupported: " + layer.reason;
      text += '\n';
    }
    for (const std::string& variant : graph.recorded) text += "  recorded " + variant + '\n';
  }
  for (const std::string& line : suite.summary) text += line + '\n';
  return text;
}

}  // namespace benanza::record::test
