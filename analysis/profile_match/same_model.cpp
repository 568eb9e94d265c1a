#include "analysis/profile_match/same_model.h"

#include <algorithm>
#include <exception>

#include "analysis/profiles/profile.h"
#include "core/base/error.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

bool multiplies(const Part& part) {
  return part.op == "Conv" || part.op == "MatMul" || part.op == "ConvTranspose";
}

/// Profiles have no keys for operators of the backward pass and of the update.
bool can_be_told(const Layer& layer) { return layer.phase.empty() || layer.phase == "forward"; }

std::size_t products(const ProfiledNode& node) {
  return static_cast<std::size_t>(
      std::ranges::count_if(node.parts, [](const Part& part) { return multiplies(part); }));
}

[[noreturn]] void fail(const Profile& profile, const std::string& what) {
  throw Error(profile.path.string() + ": profile of another model: " + what);
}

/// Returns the batch of `profiled` if it is the problem `model` at another batch.
std::optional<std::int64_t> other_batch(const std::string& profiled, const std::string& model,
                                        std::int64_t batch) {
  const Problem a = parse(profiled);
  const Problem b = parse(model);
  if (const auto* run = std::get_if<Convolution>(&a.shape)) {
    const auto* asked = std::get_if<Convolution>(&b.shape);
    if (!asked || run->input[0] == asked->input[0]) return std::nullopt;
    Convolution same = *run;
    same.input[0] = asked->input[0];
    if (same == *asked) return run->input[0];
  }
  if (const auto* run = std::get_if<Gemm>(&a.shape)) {
    const auto* asked = std::get_if<Gemm>(&b.shape);
    if (asked && run->m != asked->m && run->n == asked->n && run->k == asked->k &&
        run->m * batch % asked->m == 0) {
      return run->m * batch / asked->m;
    }
  }
  return std::nullopt;
}

void require_same_batch(const Graph& graph, const Mapping& mapping, const Profile& profile) {
  for (const Pair& pair : mapping.pairs) {
    const Layer& layer = graph.layers[pair.layer];
    const std::string& run = profile.nodes[pair.node].parts[pair.part].problem;
    if (!is_product(layer) || run.empty() || mapping.found[pair.layer] == MatchKind::problem)
      continue;
    const auto batch = other_batch(run, layer.problems.front(), graph.batch.value_or(1));
    if (!batch) continue;
    throw Error(profile.path.string() + ": profile of batch " + std::to_string(*batch) +
                ", and the graph is of " + title(graph) +
                "; give the graph of benanza-generate "
                "--batch " +
                std::to_string(*batch));
  }
}

/// True if `profiled` is `model` with the same weights (of attention: with two equal extents) for
/// other data.
bool is_resized(const std::string& profiled, const std::string& model) {
  Problem a;
  Problem b;
  try {
    a = parse(profiled);
    b = parse(model);
  } catch (const std::exception&) {
    return false;  // keys of another version
  }
  if (const auto* run = std::get_if<Convolution>(&a.shape)) {
    const auto* asked = std::get_if<Convolution>(&b.shape);
    return asked && run->input.size() == asked->input.size() && run->input != asked->input &&
           run->input[1] == asked->input[1] && run->filters == asked->filters &&
           run->groups == asked->groups && run->window.kernel == asked->window.kernel;
  }
  const auto* run = std::get_if<Gemm>(&a.shape);
  const auto* asked = std::get_if<Gemm>(&b.shape);
  if (!run || !asked) return false;
  const auto rows = [](const Gemm& gemm) { return gemm.m * element_count(gemm.batch()); };
  if (asked->constant_b) {
    return run->n == asked->n && run->k == asked->k && rows(*run) != rows(*asked);
  }
  const int other = (run->m != asked->m) + (run->n != asked->n) + (run->k != asked->k);
  return element_count(run->batch()) == element_count(asked->batch()) && other == 1;
}

constexpr std::string_view same_dimensions =
    "; profile it with the dimensions of the graph (--batch, --dim), or give the graph of the "
    "profile's";

[[noreturn]] void fail_of_dimensions(const Graph& graph, const Profile& profile, std::size_t layer,
                                     const std::string& what) {
  throw Error(profile.path.string() + ": profile of other dimensions than " + title(graph) + ": " +
              graph.layers[layer].name + ' ' + what + std::string(same_dimensions));
}

/// Compares the shapes of the layers that the profile names.
void require_same_shapes(const Graph& graph, const Mapping& mapping, const Profile& profile) {
  std::size_t compared = 0;
  std::vector<std::size_t> other;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (mapping.found[layer] != MatchKind::name && mapping.found[layer] != MatchKind::order) {
      continue;
    }
    if (graph.layers[layer].cost == Cost::free || mapping.evidence[layer] == Evidence::none) {
      continue;
    }
    ++compared;
    if (mapping.evidence[layer] == Evidence::differs) other.push_back(layer);
  }
  // Among the others, an optimiser may have changed a few.
  const auto product = std::ranges::find_if(
      other, [&](std::size_t layer) { return is_product(graph.layers[layer]); });
  if (product == other.end() && 5 * other.size() <= compared) return;
  const std::size_t layer = product == other.end() ? other.front() : *product;
  const std::size_t node = *mapping.node_of_layer[layer];
  std::vector<std::size_t> named;
  for (const std::size_t one : mapping.layers_of_node[node]) {
    if (mapping.named[one]) named.push_back(one);
  }
  fail_of_dimensions(graph, profile, layer, difference(graph, profile.nodes[node], named));
}

/// Compares the products that ran in place of the model's. Throws if `enough` are the same for
/// other data.
void require_same_size(const Graph& graph, const Mapping& mapping, const Profile& profile,
                       std::size_t enough) {
  std::size_t resized = 0;
  std::string what;
  std::size_t first = 0;
  for (const Pair& pair : mapping.pairs) {
    const Layer& layer = graph.layers[pair.layer];
    const std::string& run = profile.nodes[pair.node].parts[pair.part].problem;
    const bool is_other = mapping.found[pair.layer] == MatchKind::kind && is_product(layer) &&
                          !run.empty() && layer.assumed.empty() && can_be_told(layer);
    if (!is_other || !is_resized(run, layer.problems.front())) continue;
    if (resized++ > 0) continue;
    first = pair.layer;
    what = "is " + run + ", and " + layer.problems.front() + " in the graph";
  }
  if (resized == 0 || resized < enough) return;
  require_same_batch(graph, mapping, profile);
  fail_of_dimensions(graph, profile, first, what);
}

/// Some processors fill their names with blanks.
std::string without_blanks_behind(std::string text) {
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

}  // namespace

bool is_product(const Layer& layer) {
  return std::ranges::any_of(layer.problems, [](const std::string& key) {
    return asks_for<Convolution, Gemm, Deconvolution>(key);
  });
}

bool is_of(const Profile& profile, const Graph& graph) {
  return (profile.model.empty() || profile.model == graph.model) &&
         (!profile.batch || !graph.batch || *profile.batch == *graph.batch);
}

std::optional<std::string> other_device(const Profile& profile, const System& system) {
  const auto found = system.find(profile.is_of_gpu() ? "device" : "cpu_model");
  if (found == system.end() || profile.device.empty()) return std::nullopt;
  std::string measured = without_blanks_behind(found->second);
  const bool is_same = measured == without_blanks_behind(profile.device);
  return is_same || measured == "unknown" ? std::nullopt : std::optional(measured);
}

void require_same_model(const Graph& graph, const Mapping& mapping, const Profile& profile) {
  const bool has_shapes =
      std::ranges::any_of(profile.nodes, [](const auto& node) { return !node.parts.empty(); });
  const bool has_products =
      std::ranges::any_of(graph.layers, [](const Layer& layer) { return is_product(layer); });
  std::size_t expected = 0;
  std::size_t found = 0;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const Layer& layer = graph.layers[index];
    if (!can_be_told(layer)) continue;
    if (has_products ? !is_product(layer) : layer.cost != Cost::measured) continue;
    ++expected;
    if (mapping.named[index] && !(has_shapes && mapping.found[index] == MatchKind::kind)) ++found;
  }
  if (!has_shapes) require_same_shapes(graph, mapping, profile);
  const std::string what =
      has_products ? " convolutions and matrix products of " : " measured layers of ";
  if (has_shapes ? 5 * found < 4 * expected : 2 * found < expected) {
    if (has_shapes) {
      require_same_batch(graph, mapping, profile);
      require_same_size(graph, mapping, profile, (expected + 1) / 2);
    }
    fail(profile, "it has " + std::to_string(found) + " of the " + std::to_string(expected) + what +
                      title(graph) + "; profile that model again");
  }
  if (has_shapes) require_same_size(graph, mapping, profile, (expected + 9) / 10);
  // In a training step, additional products may belong to the backward pass.
  if (!has_shapes || !has_products || !std::ranges::all_of(graph.layers, can_be_told)) return;
  std::size_t run = 0;
  for (const ProfiledNode& node : profile.nodes) run += products(node);
  if (4 * run > 5 * expected + 4) {
    fail(profile, "it has " + std::to_string(run) + " convolutions and matrix products, and " +
                      title(graph) + " has " + std::to_string(expected) +
                      "; profile one run of that model");
  }
}

Profile one_run(Profile profile, const Graph& graph) {
  if (profile.repeats < 2) return profile;
  const auto expected = static_cast<std::int64_t>(
      std::ranges::count_if(graph.layers, [](const Layer& layer) { return is_product(layer); }));
  std::int64_t run = 0;
  for (const ProfiledNode& node : profile.nodes) run += static_cast<std::int64_t>(products(node));
  std::size_t best = 1;
  for (std::size_t count = 2; count <= profile.repeats; ++count) {
    if (profile.repeats % count != 0) continue;
    const auto distance = [&](std::size_t parts) {
      return std::abs(run / static_cast<std::int64_t>(parts) - expected);
    };
    if (distance(count) < distance(best)) best = count;
  }
  profile.repeats = 1;
  if (best == 1) return profile;
  profile.nodes = one_of(profile.nodes, best);
  profile.steps *= best;
  if (profile.timeline) {
    const double parts = static_cast<double>(best);
    profile.timeline->span_seconds /= parts;
    profile.timeline->busy_seconds /= parts;
    profile.timeline->host_bound_seconds /= parts;
  }
  return profile;
}

}  // namespace benanza::analysis
