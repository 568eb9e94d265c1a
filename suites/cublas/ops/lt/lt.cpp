#include "suites/cublas/ops/lt/lt.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "suites/cublas/ways.h"

namespace benanza::cublas {
namespace {

constexpr int listed = 8;
/// For a search, with these limits on what the library does not list.
constexpr int listed_for_search = 64;
constexpr std::size_t most_of_each = 48;
constexpr std::size_t most_unlisted = 400;
constexpr std::string_view as_given = "lt.";
/// Before the rest of an algorithm's name: the weights are stored transposed.
constexpr std::string_view transposed = "lt.wt.";
constexpr std::string_view in_blocks = "blocks.lt.";

std::string_view prefix(Weights weights) {
  if (weights == Weights::in_blocks) return in_blocks;
  return weights == Weights::transposed ? transposed : as_given;
}

constexpr std::array reduction_schemes{CUBLASLT_REDUCTION_SCHEME_INPLACE,
                                       CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE};

template <class T>
T capability(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoCapAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  check(cublasLtMatmulAlgoCapGetAttribute(&algorithm, attribute, &value, sizeof value, &written),
        "cublasLtMatmulAlgoCapGetAttribute");
  return value;
}

/// Zero, the library's default, if it lists none.
std::vector<std::uint32_t> listed_ids(const cublasLtMatmulAlgo_t& algorithm,
                                      cublasLtMatmulAlgoCapAttributes_t attribute) {
  std::size_t bytes = 0;
  const auto asked = cublasLtMatmulAlgoCapGetAttribute(&algorithm, attribute, nullptr, 0, &bytes);
  if (asked != CUBLAS_STATUS_SUCCESS || bytes < sizeof(std::uint32_t)) return {0};
  std::vector<std::uint32_t> values(bytes / sizeof(std::uint32_t));
  check(cublasLtMatmulAlgoCapGetAttribute(&algorithm, attribute, values.data(), bytes, &bytes),
        "cublasLtMatmulAlgoCapGetAttribute");
  return values;
}

LtRanges ranges_of(const cublasLtMatmulAlgo_t& algorithm) {
  LtRanges ranges{.tiles = listed_ids(algorithm, CUBLASLT_ALGO_CAP_TILE_IDS),
                  .stages = listed_ids(algorithm, CUBLASLT_ALGO_CAP_STAGES_IDS),
                  .most_custom = static_cast<std::uint32_t>(std::max(
                      capability<std::int32_t>(algorithm, CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX), 0)),
                  .swizzles = capability<std::uint32_t>(
                                  algorithm, CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT) != 0,
                  .clusters = CUBLASLT_CLUSTER_SHAPE_END};
  if (capability<std::int32_t>(algorithm, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT) == 0) return ranges;
  const auto mask = capability<std::uint32_t>(algorithm, CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK);
  for (const auto scheme : reduction_schemes) {
    if ((mask & scheme) != 0) ranges.reductions.push_back(scheme);
  }
  return ranges;
}

/// The algorithms that the library has for one product, beyond its heuristics: made from their
/// settings, as far as it accepts them. As in heuristics(), partial sums stay in fp32, and fp32
/// does without Tensor Cores.
class LtSettings {
 public:
  /// What `product` refers to must outlive this object.
  LtSettings(cublasLtHandle_t handle, const LtDescriptors& product, Precision precision,
             std::int64_t max_workspace_bytes)
      : handle_(handle),
        product_(product),
        precision_(precision),
        max_workspace_bytes_(max_workspace_bytes) {}

  /// Has no rank; nullopt if the library refuses it.
  std::optional<LtChoice> choice(const LtIdentity& identity) const {
    auto made = algorithm(identity.config);
    if (!made || !set_identity(*made, identity)) return std::nullopt;
    auto found = checked(*made);
    // A setting may have been ignored.
    if (found && found->name != algorithm_name(identity)) return std::nullopt;
    return found;
  }

  /// Every algorithm with every tile and number of stages, at most so many of each and in all; the
  /// other settings are the library's defaults.
  std::vector<LtChoice> every(std::size_t most_of_each, std::size_t most) const {
    constexpr int most_algorithms = 256;
    const Types types = types_of(precision_);
    std::array<int, most_algorithms> configs{};
    int count = 0;
    check(cublasLtMatmulAlgoGetIds(handle_, types.compute, types.scale, types.operand,
                                   types.operand, added_type(precision_), types.operand,
                                   most_algorithms, configs.data(), &count),
          "cublasLtMatmulAlgoGetIds");
    std::vector<LtChoice> found;
    for (int index = 0; index < count; ++index) {
      const std::int32_t config = configs.at(static_cast<std::size_t>(index));
      const auto made = algorithm(config);
      if (!made) continue;
      const LtRanges ranges = ranges_of(*made);
      const std::size_t end = std::min(found.size() + most_of_each, most);
      for (const std::uint32_t tile : ranges.tiles) {
        for (const std::uint32_t stages : ranges.stages) {
          if (found.size() >= end) break;
          if (auto one = choice({.config = config, .tile = tile, .stages = stages})) {
            found.push_back(*std::move(one));
          }
        }
      }
    }
    return found;
  }

  /// Those of near() that the library accepts.
  std::vector<LtChoice> near(const LtIdentity& identity) const {
    const auto made = algorithm(identity.config);
    if (!made) return {};
    std::vector<LtChoice> found;
    for (const LtIdentity& other : cublas::near(identity, ranges_of(*made))) {
      if (auto one = choice(other)) found.push_back(*std::move(one));
    }
    return found;
  }

 private:
  std::optional<cublasLtMatmulAlgo_t> algorithm(std::int32_t config) const {
    const Types types = types_of(precision_);
    cublasLtMatmulAlgo_t made{};
    const cublasStatus_t status =
        cublasLtMatmulAlgoInit(handle_, types.compute, types.scale, types.operand, types.operand,
                               added_type(precision_), types.operand, config, &made);
    return status == CUBLAS_STATUS_SUCCESS ? std::optional(made) : std::nullopt;
  }

  std::optional<LtChoice> checked(const cublasLtMatmulAlgo_t& algorithm) const {
    if (precision_ == Precision::fp32 && claims_tensor_cores(algorithm) == true)
      return std::nullopt;
    cublasLtMatmulHeuristicResult_t result{};
    const cublasStatus_t status =
        cublasLtMatmulAlgoCheck(handle_, product_.operation, product_.first, product_.second,
                                product_.residual, product_.result, &algorithm, &result);
    const auto workspace_bytes = static_cast<std::int64_t>(result.workspaceSize);
    if (status != CUBLAS_STATUS_SUCCESS || workspace_bytes > max_workspace_bytes_) {
      return std::nullopt;
    }
    return LtChoice{.algorithm = algorithm,
                    .workspace_bytes = workspace_bytes,
                    .name = algorithm_name(identity(algorithm))};
  }

  cublasLtHandle_t handle_;
  LtDescriptors product_;
  Precision precision_;
  std::int64_t max_workspace_bytes_;
};

/// The algorithms for one product.
class Offer {
 public:
  Offer(Library& library, const Product& product, Precision precision, Weights weights)
      : library_(library),
        precision_(precision),
        weights_(weights),
        matmul_(product.problem(), precision, weights) {
    // The lists depend on whether there is a bias, not on its address: this one is aligned like
    // every allocation, and never read.
    const auto& problem = product.problem();
    if (problem.epilogue.bias) matmul_.set_bias(library.cuda().workspace(1)->data());
    if (weights == Weights::in_blocks) matmul_.set_scales(library.cuda().workspace(1)->data());
  }

  std::vector<LtChoice> leading(int count) {
    return named(heuristics(library_.lt(), matmul_.descriptors(), precision_,
                            library_.lt_workspace_bytes(), count));
  }

  /// What the library lists, and then what else it has.
  std::vector<LtChoice> every() {
    std::vector<LtChoice> all = leading(listed_for_search);
    for (LtChoice& choice : named(settings().every(most_of_each, most_unlisted))) {
      if (std::ranges::find(all, choice.name, &LtChoice::name) == all.end()) {
        all.push_back(std::move(choice));
      }
    }
    return all;
  }

  std::vector<harness::Algorithm> near(const harness::Algorithm& name) {
    std::vector<harness::Algorithm> names;
    const auto own = parse_algorithm_name(std::string_view(name).substr(prefix(weights_).size()));
    if (!own) return names;
    for (LtChoice& choice : named(settings().near(*own))) names.push_back(std::move(choice.name));
    return names;
  }

  /// Whether or not the library lists it. Throws Unsupported if it refuses.
  LtChoice choice(const harness::Algorithm& name) {
    const std::vector<LtChoice> list = leading(listed);
    const auto found = std::ranges::find(list, name, &LtChoice::name);
    if (found != list.end()) return *found;
    const auto own = parse_algorithm_name(std::string_view(name).substr(prefix(weights_).size()));
    auto made = own ? settings().choice(*own) : std::nullopt;
    if (!made) {
      throw harness::Unsupported("cuBLASLt has no " + name + " for this problem and workspace");
    }
    made->name = name;
    return *made;
  }

 private:
  LtSettings settings() {
    return {library_.lt(), matmul_.descriptors(), precision_, library_.lt_workspace_bytes()};
  }
  std::vector<LtChoice> named(std::vector<LtChoice> choices) const {
    for (LtChoice& choice : choices) choice.name.insert(0, prefix(weights_));
    return choices;
  }

  Library& library_;
  Precision precision_;
  Weights weights_;
  LtMatmul matmul_;
};

class LtProduct {
 public:
  LtProduct(const Request& request, const Product& product, Weights weights, const LtChoice& choice)
      : library_(request.library),
        factors_(request, product),
        matmul_(product.problem(), request.variant.precision, weights),
        algorithm_(choice.algorithm),
        alpha_(matmul_.alpha() * product.factor),
        bias_(bias_operand(request.variant.problem)),
        residual_(residual_operand(request.variant.problem)) {
    if (weights != Weights::in_blocks) return;
    scales_ = block_scales(request.library, product.gemm);
    matmul_.set_scales(scales_.data());
  }

  /// The library scales the products but not the residual, so the residual is stored scaled.
  std::vector<nvidia::StoredOtherwise> stored_residual() const {
    if (!residual_ || matmul_.alpha() == 1) return {};
    return {{*residual_, [scale = matmul_.alpha()](float value) { return value * scale; }}};
  }

  void placed(const nvidia::CudaPrimitive& call) {
    if (bias_) matmul_.set_bias(call.input(*bias_));
  }

  void operator()(const nvidia::CudaPrimitive& call) const {
    const float beta = matmul_.beta();
    const void* residual = residual_ ? call.input(*residual_) : matmul_.unread_at(call.output());
    check(cublasLtMatmul(
              library_.lt(), matmul_.operation(), &alpha_, factors_.at(call, first_operand),
              matmul_.first(), factors_.at(call, second_operand), matmul_.second(), &beta, residual,
              matmul_.residual(), call.output(), matmul_.result(), &algorithm_, call.workspace(),
              static_cast<std::size_t>(call.workspace_bytes()), call.stream()),
          "cublasLtMatmul");
  }

 private:
  Library& library_;
  Factors factors_;
  LtMatmul matmul_;
  cublasLtMatmulAlgo_t algorithm_;
  float alpha_;
  std::optional<std::size_t> bias_;
  std::optional<std::size_t> residual_;
  nvidia::DeviceMemory scales_;
};

Facts facts_of(const LtChoice& choice, Weights weights) {
  Facts facts;
  // The heuristic's choice is the one for the weights as they are given.
  if (weights == Weights::as_given && choice.rank > 0) {
    facts["heuristic_rank"] = static_cast<double>(choice.rank);
  }
  if (const auto claim = claims_tensor_cores(choice.algorithm)) {
    facts["tensor_core_claimed"] = *claim;
  }
  return facts;
}

harness::Way way_named(Library& library, const Product& product, const harness::Variant& prototype,
                       Weights weights, harness::Algorithm name) {
  auto way = nvidia::way_of(
      library, prototype, std::move(name), [product, weights](const Request& request) {
        const harness::Variant& variant = request.variant;
        const LtChoice choice =
            Offer(request.library, product, variant.precision, weights).choice(variant.algorithm);
        nvidia::CallSetup setup = product_setup(request.variant, weights);
        setup.workspace_bytes = choice.workspace_bytes;
        setup.facts = facts_of(choice, weights);
        if (weights == Weights::in_blocks) setup.spare_bytes = spare_bytes_of(product.gemm);
        LtProduct calls(request, product, weights, choice);
        setup.to_library_value = calls.stored_residual();
        return call_of(request, std::move(setup), std::move(calls));
      });
  way.near = [&library, product, precision = prototype.precision, weights, name = way.name] {
    return Offer(library, product, precision, weights).near(name);
  };
  return way;
}

Ways ways(Library& library, const Product& product, const harness::Variant& prototype,
          harness::AlgorithmSet set, Weights weights) {
  if (weights == Weights::transposed) {
    const bool is_free = std::holds_alternative<Gemm>(prototype.problem.shape) &&
                         product.gemm.constant_b && element_bytes(prototype.precision) > 1;
    if (!is_free) throw harness::Unsupported("the second factor's place in memory is given");
  }
  Ways found;
  Offer offer(library, product, prototype.precision, weights);
  for (LtChoice& choice :
       set == harness::AlgorithmSet::search ? offer.every() : offer.leading(listed)) {
    found.push_back(way_named(library, product, prototype, weights, std::move(choice.name)));
  }
  return found;
}

ProductFamily lt_family(Weights weights) {
  return {.ways =
              [=](Library& library, const Product& product, const harness::Variant& prototype,
                  harness::AlgorithmSet set) {
                return ways(library, product, prototype, set, weights);
              },
          .way = [=](Library& library, const Product& product,
                     const harness::Variant& variant) -> std::optional<harness::Way> {
            const harness::Algorithm& name = variant.algorithm;
            const bool is_own = name.starts_with(as_given) &&
                                name.starts_with(transposed) == (weights == Weights::transposed);
            if (!is_own) return std::nullopt;
            return way_named(library, product, variant, weights, name);
          }};
}

/// Weights of 8-bit floats with a scale for each block, for data of that type.
harness::Family<Library, Gemm> block_family() {
  const auto product_in_blocks = [](const Gemm& shape, const harness::Variant& variant) {
    require_blocks(variant);
    if (variant.problem.epilogue != Epilogue{}) {
      throw harness::Unsupported("cuBLASLt: products in blocks are asked for without an epilogue");
    }
    Gemm whole = folded(shape);
    if (!whole.transpose_a && whole.batch().empty()) whole.m = rows_in_fours(whole.m);
    return Product{.gemm = whole, .epilogue = {}};
  };
  return {.layouts = [](const Gemm&) { return std::vector{Layout::plain}; },
          .ways =
              [=](Library& library, const Gemm& shape, const harness::Variant& prototype,
                  harness::AlgorithmSet set) {
                return ways(library, product_in_blocks(shape, prototype), prototype, set,
                            Weights::in_blocks);
              },
          .way = [=](Library& library, const Gemm& shape,
                     const harness::Variant& variant) -> std::optional<harness::Way> {
            if (!variant.algorithm.starts_with(in_blocks)) return std::nullopt;
            return way_named(library, product_in_blocks(shape, variant), variant,
                             Weights::in_blocks, variant.algorithm);
          },
          .for_packed = true};
}

}  // namespace

/// cublasLtMatmul() with each of the first algorithms of its heuristic lists: for weights as they
/// are given, and stored transposed; for packed ones in blocks.
void register_lt(WayTable& table) {
  add(table, lt_family(Weights::as_given));
  add(table, lt_family(Weights::transposed));
  table.add(block_family());
}

}  // namespace benanza::cublas
