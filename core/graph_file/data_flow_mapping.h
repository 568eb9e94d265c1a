#pragma once

#include "core/base/json_mapping.h"
#include "core/graph_file/data_flow.h"

namespace benanza {

NLOHMANN_JSON_SERIALIZE_ENUM(FlowOperand::Kind, {{FlowOperand::Kind::tensor, "tensor"},
                                                 {FlowOperand::Kind::call, "call"},
                                                 {FlowOperand::Kind::causal, "causal"},
                                                 {FlowOperand::Kind::band, "band"},
                                                 {FlowOperand::Kind::zeros, "zeros"},
                                                 {FlowOperand::Kind::bias, "bias"},
                                                 {FlowOperand::Kind::factor, "factor"},
                                                 {FlowOperand::Kind::shift, "shift"},
                                                 {FlowOperand::Kind::numbers, "numbers"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Fold::Kind, {{Fold::Kind::add, "add"},
                                          {Fold::Kind::sub, "sub"},
                                          {Fold::Kind::rsub, "rsub"},
                                          {Fold::Kind::mul, "mul"},
                                          {Fold::Kind::div, "div"},
                                          {Fold::Kind::linear, "linear"},
                                          {Fold::Kind::batch_normalization, "batch_normalization"}})

template <class Io>
void map(Io& io, Statistics& statistics) {
  io("scale", statistics.scale);
  io("shift", statistics.shift);
  io("mean", statistics.mean);
  io("variance", statistics.variance);
  io("epsilon", statistics.epsilon);
}

template <class Io>
void map(Io& io, FlowOperand& operand) {
  io("kind", operand.kind, FlowOperand::Kind::tensor);
  io("index", operand.index);
  io("scale", operand.scale, 1.0);
  io("window", operand.window);
  io.nested("statistics", operand.statistics);
  io("numbers", operand.numbers);
  io("first", operand.first);
  io("offset", operand.offset);
  io("strides", operand.strides);
}

template <class Io>
void map(Io& io, Fold& fold) {
  io("kind", fold.kind, Fold::Kind::add);
  io("tensor", fold.tensor);
  io("scale", fold.scale, 1.0);
  io("alpha", fold.alpha, 1.0);
  io("beta", fold.beta);
  io.nested("statistics", fold.statistics);
}

template <class Io>
void map(Io& io, GatheredRows& rows) {
  io("outer", rows.outer);
  io("extent", rows.extent);
  io("count", rows.count);
  io("inner", rows.inner);
}

template <class Io>
void map(Io& io, FlowCall& call) {
  io("problem", call.problem);
  io.each("operands", call.operands);
  io.each("folds", call.folds);
  io("from_offset", call.from_offset);
  io("to_offset", call.to_offset);
  io("output", call.output);
  io("part", call.part);
  io.optional("into", call.into);
  io("proxy", call.proxy);
  io("result_strides", call.result_strides);
  io.nested("gather", call.gather);
}

template <class Io>
void map(Io& io, FlowTensor& tensor) {
  io("name", tensor.name);
  io("type", tensor.type);
  io.optional("shape", tensor.shape);
  io.optional("layer", tensor.layer);
  io("constant", tensor.constant);
  io.optional("taken", tensor.taken);
}

template <class Io>
void map(Io& io, FlowLayer& layer) {
  io("outputs", layer.outputs);
  io.optional("view_of", layer.view_of);
  io.each("calls", layer.calls);
}

template <class Io>
void map(Io& io, FlowFusion& fusion) {
  io.each("calls", fusion.calls);
}

}  // namespace benanza
