#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/tests/onnx/model.h"

namespace benanza::onnx {

/// As onnxruntime-genai writes decoders, 4 heads and 2 for keys.
inline Model group_query(std::int64_t window, std::int64_t causal = 1) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, 5, 16}).input("k", {1, 5, 8}).input("v", {1, 5, 8});
  model.node(
      "GroupQueryAttention", {"q", "k", "v"}, {"y"},
      {{"num_heads", 4}, {"kv_num_heads", 2}, {"causal", causal}, {"local_window_size", window}});
  model.last().set_domain("com.microsoft");
  model.output("y");
  return model;
}

/// A decoder's node with packed and rotated heads; `past` keys of earlier runs, if any.
inline Model rotated(std::int64_t positions, std::int64_t past, std::int64_t window = -1) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("qkv", {1, positions, 32}).input("length", {1}).input("total", {1});
  model.weights("cos", {128, 2}).weights("sin", {128, 2});
  std::vector<std::string> inputs{"qkv", "", "", "", "", "length", "total", "cos", "sin"};
  if (past > 0) {
    model.input("pk", {1, 2, past, 4}).input("pv", {1, 2, past, 4});
    inputs[3] = "pk";
    inputs[4] = "pv";
  }
  model.node(
      "GroupQueryAttention", inputs, {"y", "nk", "nv"},
      {{"num_heads", 4}, {"kv_num_heads", 2}, {"do_rotary", 1}, {"local_window_size", window}});
  model.last().set_domain("com.microsoft");
  model.output("y").output("nk").output("nv");
  return model;
}

}  // namespace benanza::onnx
