#pragma once

#include "analysis/profile_match/mapping.h"
#include "analysis/profiles/profile.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// True if `profile` says it is of this model and batch.
bool is_of(const Profile& profile, const Graph& graph);

/// Throws Error, one line, if the profile's operators are not those of `graph`. Products are its
/// convolutions and matrix products; all its measured layers, if it has none. A profile with names
/// must have half of them (frameworks fuse and fold). A profile with shapes must have four of five
/// with the model's own shapes, and not a quarter more than there are; one of another batch is
/// named as such.
void require_same_model(const Graph& graph, const Mapping& mapping, const Profile& profile);

/// `profile` as one run of `graph`: where it may be several, as many as make the number of products
/// that of the model.
Profile one_run(Profile profile, const Graph& graph);

}  // namespace benanza::analysis
