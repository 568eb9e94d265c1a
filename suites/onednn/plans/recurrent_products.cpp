#include "suites/onednn/plans/recurrent_products.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "suites/onednn/plans/recurrent_call.h"

namespace benanza::onednn {
namespace {

harness::Traits traits_of(const Recurrent& shape) {
  const std::int64_t gates = shape.gates();
  const std::int64_t products = shape.batch == 1 ? 1 : shape.directions() * gates;
  const std::int64_t of_step = (shape.batch == 1 ? std::min<std::int64_t>(gates, 2) : gates) +
                               (shape.kind == RecurrentKind::lstm ? 2 : 1);
  return {.calls = static_cast<std::size_t>(
              shape.layers * (products + shape.directions() * shape.steps * of_step))};
}

}  // namespace

std::vector<harness::Way> recurrent_product_ways(Library& library, const Recurrent& shape,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set,
                                                 const std::string& prefix) {
  if (shape.training) throw harness::Unsupported("a recurrence as products is of inference");
  const VariantContext context(library.engine, prototype.precision, prototype.layout);
  std::vector<harness::Way> ways;
  const auto add = [&](const std::string& implementation, std::optional<int> threads) {
    const std::string name = prefix + "products." + implementation;
    const harness::Traits traits = traits_of(shape);
    const LeastWork least = least_work(prototype.problem, prototype.precision, traits);
    harness::Way way{.name = to_string(ThreadedName{name, threads}), .traits = traits};
    way.traits.threads = threads;
    way.make = [=, &library, packed = name + ":" + key(prototype.problem)](
                   harness::Operands& places) -> std::unique_ptr<harness::Primitive> {
      const ThreadCount count(threads);
      return std::make_unique<RecurrentProducts>(
          shape,
          RecurrentSettings{.context = context,
                            .stream = library.stream,
                            .calls = CellCalls(shape, context, implementation),
                            .format_name = packed,
                            .least_work = least,
                            .threads = threads},
          places);
    };
    ways.push_back(std::move(way));
  };
  const auto names = CellCalls::implementations(shape, context);
  for (const std::string& name : names) add(name, std::nullopt);
  for (const int threads : fewer_threads(prototype.problem, prototype.precision, set)) {
    for (const std::string& name : names) add(name, threads);
  }
  return ways;
}

}  // namespace benanza::onednn
