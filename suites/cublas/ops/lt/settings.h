#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "suites/cublas/ops/lt/lt.h"

namespace benanza::cublas {

/// Returns nullopt for what is no algorithm_name().
std::optional<LtIdentity> parse_algorithm_name(std::string_view text);

/// The settings that an algorithm (LtIdentity::config) admits; not every combination is possible.
struct LtRanges {
  std::vector<std::uint32_t> tiles{};
  std::vector<std::uint32_t> stages{};
  std::uint32_t most_custom = 0;
  bool swizzles = false;
  /// How partial sums may be added; empty if sums are not split.
  std::vector<std::uint32_t> reductions{};
  /// Of cublasLtClusterShape_t.
  std::uint16_t clusters = 1;
};

/// Those that differ in one setting.
std::vector<LtIdentity> near(const LtIdentity& identity, const LtRanges& ranges);

/// The algorithms that the library has for one product, beyond its heuristics: made from their
/// settings, as far as it accepts them. As in heuristics(), partial sums stay in fp32, and fp32
/// does without Tensor Cores.
class LtSettings {
 public:
  /// What `product` refers to must outlive this object.
  LtSettings(cublasLtHandle_t handle, const LtDescriptors& product, Precision precision,
             std::int64_t max_workspace_bytes);

  /// Has no rank; nullopt if the library refuses it.
  std::optional<LtChoice> choice(const LtIdentity& identity) const;
  /// Every algorithm with every tile and number of stages, at most so many of each and in all; the
  /// other settings are the library's defaults.
  std::vector<LtChoice> every(std::size_t most_of_each, std::size_t most) const;
  /// Those of near() that the library accepts.
  std::vector<LtChoice> near(const LtIdentity& identity) const;

 private:
  std::optional<cublasLtMatmulAlgo_t> algorithm(std::int32_t config) const;
  std::optional<LtChoice> checked(const cublasLtMatmulAlgo_t& algorithm) const;

  cublasLtHandle_t handle_;
  LtDescriptors product_;
  Precision precision_;
  std::int64_t max_workspace_bytes_;
};

}  // namespace benanza::cublas
