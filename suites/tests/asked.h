#pragma once

#include <memory>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

inline std::vector<Algorithm> algorithms(Backend& backend, const Problem& problem,
                                         Precision precision, Layout layout, AlgorithmSet set) {
  return names_of(backend.ways({problem, precision, layout, {}}, set));
}

/// The variant's call, in memory of its own.
inline std::shared_ptr<Primitive> made(Backend& backend, const Variant& variant) {
  const Way way = backend.way(variant);  // refuses without a device
  return make_alone(way, backend.allocator());
}

}  // namespace benanza::harness
