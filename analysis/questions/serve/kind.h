#pragma once

#include <string_view>
#include <vector>

#include "analysis/model/layer_time.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// What a layer of a language model is for. Of a layer that could be several, the first.
enum class LayerKind { experts, attention, normalization, products, communication, other };
inline constexpr LayerKind layer_kinds[] = {LayerKind::experts,       LayerKind::attention,
                                            LayerKind::normalization, LayerKind::products,
                                            LayerKind::communication, LayerKind::other};
std::string_view to_string(LayerKind kind);

/// Per layer, by its operator and its calls. `times`: operator_times(); the layers of an operator
/// that one call does are of the call's kind.
std::vector<LayerKind> kinds_of(const Graph& graph, const std::vector<LayerTime>& times);

}  // namespace benanza::analysis
