#include "suites/harness/peaks/rate_search.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace benanza::harness {

void BestRate::take(Values values, double rate) {
  if (values == Values::random) reported = std::max(reported, rate);
  possible = std::max(possible, rate);
}

void BestRate::take(const BestRate& other) {
  reported = std::max(reported, other.reported);
  possible = std::max(possible, other.possible);
}

BestRate best_of_ways(Backend& library, const Variant& prototype, const WaySearch& search) {
  BestRate best;
  std::size_t tried = 0;
  for (const Way& way : library.ways(prototype, AlgorithmSet::all)) {
    if (!search.counts(way.traits)) continue;
    if (tried++ == ways_tried || search.is_over()) break;
    const std::shared_ptr<Primitive> primitive = make_alone(way, library.allocator());
    best.take(search.rate(*primitive));
  }
  return best;
}

void search_as_far_as_possible(const std::function<void()>& search) {
  try {
    search();
  } catch (const Unsupported&) {
    // The device or the library lacks the precision.
  } catch (const std::bad_alloc&) {
    // The smaller problems have to suffice.
  } catch (const EngineLost&) {
    throw;
  } catch (const std::runtime_error&) {
    // Given as the reason of its own row.
  }
}

Peaks peaks_by_search(const std::function<BestRate(Precision)>& flops,
                      const std::function<BestRate()>& bytes, std::int64_t cache_bytes) {
  Peaks peaks{.cache_bytes = cache_bytes};
  for (const Precision precision : all_precisions) {
    const BestRate best = flops(precision);
    if (best.reported > 0) peaks.reported.flops[precision] = best.reported;
    if (best.possible > 0) peaks.possible.flops[precision] = best.possible;
  }
  const BestRate best = bytes();
  peaks.reported.bytes = best.reported;
  peaks.possible.bytes = best.possible;
  return peaks;
}

}  // namespace benanza::harness
