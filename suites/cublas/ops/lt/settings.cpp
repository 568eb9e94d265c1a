#include "suites/cublas/ops/lt/settings.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "suites/cublas/library.h"

namespace benanza::cublas {
namespace {

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

template <class T>
bool set_to(cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute,
            const T& value) {
  return cublasLtMatmulAlgoConfigSetAttribute(&algorithm, attribute, &value, sizeof value) ==
         CUBLAS_STATUS_SUCCESS;
}

/// The default of a setting that an algorithm does not know need not be set.
template <class T>
bool set_other(cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute,
               const T& value) {
  return value == T{} || set_to(algorithm, attribute, value);
}

bool apply_to(cublasLtMatmulAlgo_t& algorithm, const LtIdentity& identity) {
  return set_other(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, identity.tile) &&
         set_other(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, identity.stages) &&
         set_to(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, identity.split_k) &&
         set_to(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, identity.reduction) &&
         set_other(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, identity.swizzle) &&
         set_other(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, identity.custom) &&
         set_other(algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, identity.inner) &&
         set_other(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, identity.cluster);
}

}  // namespace

std::optional<LtIdentity> parse_algorithm_name(std::string_view text) {
  const std::string_view whole = text;
  LtIdentity found;
  const auto take = [&](std::string_view prefix, auto& value) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  const bool is_whole =
      take("a", found.config) && take(".t", found.tile) && take(".s", found.stages) &&
      take(".k", found.split_k) && take(".r", found.reduction) && take(".z", found.swizzle) &&
      take(".o", found.custom) && take(".i", found.inner) && take(".c", found.cluster);
  if (!is_whole || algorithm_name(found) != whole) return std::nullopt;
  return found;
}

std::vector<LtIdentity> near(const LtIdentity& identity, const LtRanges& ranges) {
  constexpr std::uint32_t most_custom = 32;
  std::vector<LtIdentity> found;
  const auto add = [&](auto LtIdentity::*setting, auto value) {
    LtIdentity other = identity;
    other.*setting = value;
    if (other != identity) found.push_back(other);
  };
  for (const std::uint32_t stages : ranges.stages) add(&LtIdentity::stages, stages);
  for (const std::uint32_t tile : ranges.tiles) add(&LtIdentity::tile, tile);
  if (ranges.swizzles) add(&LtIdentity::swizzle, identity.swizzle == 0 ? 1U : 0U);
  for (std::uint32_t custom = 0; custom <= std::min(ranges.most_custom, most_custom); ++custom) {
    add(&LtIdentity::custom, custom);
  }
  for (std::uint16_t cluster = 0; cluster < ranges.clusters; ++cluster) {
    add(&LtIdentity::cluster, cluster);
  }
  for (const std::int32_t slices : {1, 2, 3, 4, 6, 8, 12, 16}) {
    LtIdentity other = identity;
    other.split_k = slices;
    if (slices == 1) {
      other.reduction = CUBLASLT_REDUCTION_SCHEME_NONE;
      if (other != identity) found.push_back(other);
      continue;
    }
    for (const std::uint32_t reduction : ranges.reductions) {
      other.reduction = reduction;
      if (other != identity) found.push_back(other);
    }
  }
  return found;
}

LtSettings::LtSettings(cublasLtHandle_t handle, const LtDescriptors& product, Precision precision,
                       std::int64_t max_workspace_bytes)
    : handle_(handle),
      product_(product),
      precision_(precision),
      max_workspace_bytes_(max_workspace_bytes) {}

std::optional<cublasLtMatmulAlgo_t> LtSettings::algorithm(std::int32_t config) const {
  const Types types = types_of(precision_);
  cublasLtMatmulAlgo_t made{};
  const cublasStatus_t status =
      cublasLtMatmulAlgoInit(handle_, types.compute, types.scale, types.operand, types.operand,
                             added_type(precision_), types.operand, config, &made);
  return status == CUBLAS_STATUS_SUCCESS ? std::optional(made) : std::nullopt;
}

std::optional<LtChoice> LtSettings::checked(const cublasLtMatmulAlgo_t& algorithm) const {
  if (precision_ == Precision::fp32 && claims_tensor_cores(algorithm) == true) return std::nullopt;
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

std::optional<LtChoice> LtSettings::choice(const LtIdentity& identity) const {
  auto made = algorithm(identity.config);
  if (!made || !apply_to(*made, identity)) return std::nullopt;
  auto found = checked(*made);
  // A setting may have been ignored.
  if (found && found->name != algorithm_name(identity)) return std::nullopt;
  return found;
}

std::vector<LtChoice> LtSettings::every(std::size_t most_of_each, std::size_t most) const {
  constexpr int most_algorithms = 256;
  const Types types = types_of(precision_);
  std::array<int, most_algorithms> configs{};
  int count = 0;
  check(cublasLtMatmulAlgoGetIds(handle_, types.compute, types.scale, types.operand, types.operand,
                                 added_type(precision_), types.operand, most_algorithms,
                                 configs.data(), &count),
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

std::vector<LtChoice> LtSettings::near(const LtIdentity& identity) const {
  const auto made = algorithm(identity.config);
  if (!made) return {};
  std::vector<LtChoice> found;
  for (const LtIdentity& other : cublas::near(identity, ranges_of(*made))) {
    if (auto one = choice(other)) found.push_back(*std::move(one));
  }
  return found;
}

}  // namespace benanza::cublas
