#pragma once

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/graph.h"

// What the library was told about a graph's tensors.
namespace benanza::cudnn {

inline Dims told(const OperationGraph& graph, OperationGraph::Id id,
                 cudnnBackendAttributeName_t attribute) {
  Dims values(CUDNN_DIM_MAX);
  std::int64_t count = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, graph.at(id).get(), attribute, CUDNN_TYPE_INT64,
                CUDNN_DIM_MAX, &count, values.data());
  values.resize(static_cast<std::size_t>(count));
  return values;
}

inline Dims extents_in(const OperationGraph& graph, OperationGraph::Id id) {
  return told(graph, id, CUDNN_ATTR_TENSOR_DIMENSIONS);
}

inline Dims strides_in(const OperationGraph& graph, OperationGraph::Id id) {
  return told(graph, id, CUDNN_ATTR_TENSOR_STRIDES);
}

}  // namespace benanza::cudnn
