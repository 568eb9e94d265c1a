#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// The product of a group with so many rows.
Gemm product_of_group(const GroupedGemm& shape, std::int64_t rows);

/// The rows that a group with rows has on average.
std::int64_t mean_rows(const GroupedGemm& shape);

/// Ways of a grouped product that are a call for each group with rows, one after the other:
/// "each.NAME" for every way NAME that the products of all groups have. `ways_of` returns those of
/// the product of a group, whose weights are packed if the prototype's are. The weights of groups
/// lie apart, as the packed weights of experts do: in memory from `allocator`, which is asked for
/// when a call is made.
std::vector<Way> each_group(const GroupedGemm& shape, const Variant& prototype,
                            const std::function<std::vector<Way>(const Variant& product)>& ways_of,
                            const std::function<std::shared_ptr<Allocator>()>& allocator);

}  // namespace benanza::harness
