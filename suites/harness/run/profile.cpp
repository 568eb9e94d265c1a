#include "suites/harness/run/profile.h"

#include <exception>
#include <utility>

namespace benanza::harness {

bool is_profiled(const Row& row, std::string_view kinds) { return row.profiled == kinds; }

Row with_profile(Row row, const Facts& facts, std::string_view kinds) {
  row = with_facts(std::move(row), facts);
  row.profiled = kinds;
  return row;
}

Facts profile_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                      std::int64_t calls, bool cold) {
  try {
    const Way way = backend.way(variant);
    const std::shared_ptr<Primitive> primitive = make_alone(way, backend.allocator());
    // The verifier uploads the inputs used for timing.
    if (const auto mismatch = verifier(*primitive, variant, way.traits)) {
      return {{"profile_failed", "incorrect: " + one_line(*mismatch)}};
    }
    if (cold) {
      backend.stopwatch().time_cold(*primitive);
    } else {
      backend.stopwatch().time(*primitive, calls);
    }
    return primitive->profile();
  } catch (const EngineLost&) {
    throw;
  } catch (const std::exception& error) {
    return {{"profile_failed", one_line(error.what())}};
  }
}

}  // namespace benanza::harness
