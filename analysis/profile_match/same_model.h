#pragma once

#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"
#include "core/results_file/origin.h"

namespace benanza::analysis {

/// True if the layer is a convolution or a matrix product.
bool is_product(const Layer& layer);

/// Returns true unless `profile` states another model or batch.
bool is_of(const Profile& profile, const Graph& graph);

/// The device that a backend's system names as far as it can be compared with the profile's; empty
/// if either is not known or they are the same.
std::optional<std::string> other_device(const Profile& profile, const System& system);

/// Throws Error, one line, if the profile's operators are not those of `graph`. Compares the
/// graph's convolutions and matrix products, or all measured layers if it has none. A profile with
/// names must have half of them (frameworks fuse and fold). A profile with shapes must have four of
/// five with the model's own shapes, and at most a quarter more than there are; the message for a
/// profile of another batch states that batch. Throws, too, if it states other dimensions: a
/// product that is named in the profile with other shapes, or a tenth of the products with equal
/// weights and another number of rows or pixels.
void require_same_model(const Graph& graph, const Mapping& mapping, const Profile& profile);

/// Returns `profile` as one run of `graph`. If it may cover several runs, assumes the number of
/// runs that best matches the model's number of products.
Profile one_run(Profile profile, const Graph& graph);

}  // namespace benanza::analysis
