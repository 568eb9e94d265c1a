#include "suites/cublas/ops/lt/lt.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "suites/cublas/backend.h"
#include "suites/harness/int8_scale.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cublas {
namespace {

template <class T>
void lt_matmul_set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                   const T& value) {
  check(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

template <class T>
void lt_matmul_set(cublasLtMatmulPreference_t preference,
                   cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
        "cublasLtMatmulPreferenceSetAttribute");
}

template <class T>
void lt_matmul_set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                   const T& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
        "cublasLtMatrixLayoutSetAttribute");
}

nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> matmul_operation(
    cublasComputeType_t compute, cudaDataType scale, bool transpose_first, bool transpose_second) {
  cublasLtMatmulDesc_t created = nullptr;
  check(cublasLtMatmulDescCreate(&created, compute, scale), "cublasLtMatmulDescCreate");
  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> made(created);
  lt_matmul_set(created, CUBLASLT_MATMUL_DESC_TRANSA, operation(transpose_first));
  lt_matmul_set(created, CUBLASLT_MATMUL_DESC_TRANSB, operation(transpose_second));
  return made;
}

LtLayout listed_layout(const ListedBatch& batch, std::int64_t rows, std::int64_t columns,
                       std::int64_t ld) {
  LtLayout layout = lt_layout(batch.type, rows, columns, ld, batch.count);
  lt_matmul_set(layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
                static_cast<std::uint32_t>(CUBLASLT_BATCH_MODE_POINTER_ARRAY));
  return layout;
}

LtLayout listed_layout(const ListedBatch& batch, const ListedFactor& factor, std::int64_t rows,
                       std::int64_t columns) {
  return factor.transposed ? listed_layout(batch, columns, rows, factor.ld)
                           : listed_layout(batch, rows, columns, factor.ld);
}

/// Tensor Cores read and write columns at multiples of 16 bytes, and 8-bit floats have no other
/// kernels (https://docs.nvidia.com/cuda/cublas/#tensor-core-usage).
void require_alignment(const BlasGemm& blas) {
  constexpr std::int64_t elements = 16;
  for (const std::int64_t ld : {blas.ld_first, blas.ld_second, blas.ld_result}) {
    if (ld % elements == 0) continue;
    throw harness::Unsupported(
        "cublasLtMatmul: 8-bit floats need rows of a multiple of 16 elements, here " +
        std::to_string(ld));
  }
}

}  // namespace

LtLayout lt_layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                   std::int64_t batches) {
  cublasLtMatrixLayout_t created = nullptr;
  check(cublasLtMatrixLayoutCreate(&created, type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), ld),
        "cublasLtMatrixLayoutCreate");
  LtLayout layout(created);
  lt_matmul_set(created, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batches));
  return layout;
}

LtLayout lt_layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                   std::int64_t batches, std::int64_t stride) {
  LtLayout layout = lt_layout(type, rows, columns, ld, batches);
  lt_matmul_set(layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

LtMatmul::LtMatmul(const Problem& problem, Precision precision, Weights weights) {
  const BlasGemm blas =
      blas_gemm(packed(folded(std::get<Gemm>(problem.shape)), precision, weights));
  if (!blas.strided()) {
    throw harness::Unsupported(
        "cublasLtMatmul: batches that broadcast along several axes have no stride");
  }
  if (problem.epilogue.bias && precision == Precision::int8) {
    throw harness::Unsupported("cublasLtMatmul: an int8 bias is added after scaling");
  }
  if (precision == Precision::fp8) require_alignment(blas);
  const Types types = types_of(precision);
  operation_ =
      matmul_operation(types.compute, types.scale, blas.transpose_first, blas.transpose_second);
  cublasLtMatmulDesc_t operation = operation_.get();
  lt_matmul_set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, lt_epilogue(problem.epilogue));
  if (const auto operand = bias_operand(problem)) {
    const Precision bias = input_formats(problem, precision)[*operand].precision;
    lt_matmul_set(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                  static_cast<std::int32_t>(types_of(bias).operand));
  }
  const bool in_blocks = weights == Weights::in_blocks;
  if (in_blocks) {
    const auto mode = [&](cublasLtMatmulDescAttributes_t factor, cublasLtMatmulMatrixScale_t of) {
      lt_matmul_set(operation, factor, static_cast<std::int32_t>(of));
    };
    mode(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
    mode(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
  }
  if (precision == Precision::int8) alpha_ = harness::int8_scale(problem);
  if (problem.epilogue.residual) beta_ = 1;

  first_ = lt_layout(types.operand, blas.transpose_first ? blas.k : blas.m,
                     blas.transpose_first ? blas.m : blas.k, blas.ld_first, blas.batches,
                     blas.stride_first);
  second_ = lt_layout(types.operand, blas.transpose_second ? blas.n : blas.k,
                      blas.transpose_second ? blas.k : blas.n, blas.ld_second, blas.batches,
                      blas.stride_second);
  const auto result = [&](cudaDataType type) {
    return lt_layout(type, blas.m, blas.n, blas.ld_result, blas.batches, blas.stride_result);
  };
  in_place_ = precision != Precision::fp8;
  residual_ = result(added_type(precision));
  result_ = result(in_blocks ? CUDA_R_16BF : types.operand);
}

LtBatch::LtBatch(const ListedBatch& batch)
    : operation_(matmul_operation(batch.compute, batch.scale, batch.first.transposed,
                                  batch.second.transposed)),
      first_(listed_layout(batch, batch.first, batch.m, batch.k)),
      second_(listed_layout(batch, batch.second, batch.k, batch.n)),
      result_(listed_layout(batch, batch.m, batch.n, batch.ld_result)),
      alignment_bytes_(batch.alignment_bytes) {}

cudaDataType added_type(Precision precision) {
  return precision == Precision::fp8 ? CUDA_R_16BF : types_of(precision).operand;
}

cublasLtEpilogue_t lt_epilogue(const Epilogue& epilogue) {
  const bool bias = epilogue.bias;
  if (!epilogue.activation) return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  switch (epilogue.activation->kind) {
    case ActivationKind::relu:
      return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case ActivationKind::gelu_tanh:
      return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default:
      throw harness::Unsupported("cublasLtMatmul has no " + std::string(epilogue.activation->op()));
  }
}

void LtMatmul::set_bias(const void* bias) {
  lt_matmul_set(operation(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
}

void LtMatmul::set_scales(const void* scales) {
  for (const auto factor :
       {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER}) {
    lt_matmul_set(operation(), factor, scales);
  }
}

std::int64_t spare_bytes_of(const Gemm& shape) {
  const std::int64_t row =
      std::max(shape.k * element_bytes(Precision::fp8), shape.n * element_bytes(Precision::bf16));
  return (rows_in_fours(1) - 1) * row;
}

nvidia::DeviceMemory block_scales(Library& library, const Gemm& shape) {
  constexpr std::int64_t block = 128;
  // Scales' own rows are padded to 16 bytes, four scales.
  const auto blocks = [&](std::int64_t extent) {
    return rows_in_fours((extent + block - 1) / block);
  };
  const std::int64_t count = element_count(shape.batch()) * blocks(shape.k) *
                             std::max(blocks(shape.n), rows_in_fours(shape.m));
  const auto format = nvidia::tensor_format(Precision::fp32, {count}, Layout::plain);
  nvidia::DeviceMemory scales(nvidia::span_bytes(format));
  const std::vector<float> ones(static_cast<std::size_t>(count), 1);
  scales.write(nvidia::to_storage(ones, format), library.cuda().stream());
  return scales;
}

std::vector<LtChoice> heuristics(cublasLtHandle_t handle, const LtDescriptors& product,
                                 Precision precision, std::int64_t max_workspace_bytes, int count) {
  cublasLtMatmulPreference_t created = nullptr;
  check(cublasLtMatmulPreferenceCreate(&created), "cublasLtMatmulPreferenceCreate");
  const nvidia::Handle<cublasLtMatmulPreference_t, &cublasLtMatmulPreferenceDestroy> preference(
      created);
  lt_matmul_set(created, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                static_cast<std::uint64_t>(max_workspace_bytes));
  lt_matmul_set(created, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_INPLACE |
                                           CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));

  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    lt_matmul_set(created, attribute, product.alignment_bytes);
  }

  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(count));
  int returned = 0;
  check(cublasLtMatmulAlgoGetHeuristic(handle, product.operation, product.first, product.second,
                                       product.residual, product.result, created, count,
                                       results.data(), &returned),
        "cublasLtMatmulAlgoGetHeuristic");
  std::vector<LtChoice> choices;
  for (int index = 0; index < returned; ++index) {
    const cublasLtMatmulHeuristicResult_t& entry = results[static_cast<std::size_t>(index)];
    if (entry.state != CUBLAS_STATUS_SUCCESS) continue;
    if (precision == Precision::fp32 && claims_tensor_cores(entry.algo) == true) continue;
    LtChoice choice{.algorithm = entry.algo,
                    .workspace_bytes = static_cast<std::int64_t>(entry.workspaceSize),
                    .name = algorithm_name(identity(entry.algo)),
                    .rank = index + 1};
    const bool known = std::any_of(choices.begin(), choices.end(), [&](const LtChoice& other) {
      return other.name == choice.name;
    });
    if (!known) choices.push_back(std::move(choice));
  }
  if (choices.empty()) {
    throw harness::Unsupported(
        "cublasLtMatmulAlgoGetHeuristic lists no algorithm for this product");
  }
  return choices;
}

namespace {

template <class T>
struct Setting {
  /// Before its number in an algorithm's name.
  std::string_view mark;
  cublasLtMatmulAlgoConfigAttributes_t attribute;
  T LtIdentity::*value;
  /// Of the others, the default need not be set, which an algorithm may not know.
  bool is_always_set = false;
};

/// In the order of the name.
constexpr std::tuple settings{
    Setting{"a", CUBLASLT_ALGO_CONFIG_ID, &LtIdentity::config},
    Setting{".t", CUBLASLT_ALGO_CONFIG_TILE_ID, &LtIdentity::tile},
    Setting{".s", CUBLASLT_ALGO_CONFIG_STAGES_ID, &LtIdentity::stages},
    Setting{".k", CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &LtIdentity::split_k, true},
    Setting{".r", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &LtIdentity::reduction, true},
    Setting{".z", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, &LtIdentity::swizzle},
    Setting{".o", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, &LtIdentity::custom},
    Setting{".i", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, &LtIdentity::inner},
    Setting{".c", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, &LtIdentity::cluster}};

/// Whether `step` returns true for every setting; ends at the first for which it does not.
template <class Step>
bool for_settings(Step step) {
  return std::apply([&](const auto&... each) { return (step(each) && ...); }, settings);
}

}  // namespace

LtIdentity identity(const cublasLtMatmulAlgo_t& algorithm) {
  LtIdentity result;
  for_settings([&](const auto& setting) {
    auto& value = result.*setting.value;
    std::size_t written = 0;
    check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, setting.attribute, &value, sizeof value,
                                               &written),
          "cublasLtMatmulAlgoConfigGetAttribute");
    return true;
  });
  return result;
}

bool set_identity(cublasLtMatmulAlgo_t& algorithm, const LtIdentity& identity) {
  return for_settings([&](const auto& setting) {
    if (setting.attribute == CUBLASLT_ALGO_CONFIG_ID) return true;
    const auto& value = identity.*setting.value;
    if (!setting.is_always_set && value == 0) return true;
    return cublasLtMatmulAlgoConfigSetAttribute(&algorithm, setting.attribute, &value,
                                                sizeof value) == CUBLAS_STATUS_SUCCESS;
  });
}

harness::Algorithm algorithm_name(const LtIdentity& identity) {
  harness::Algorithm name;
  for_settings([&](const auto& setting) {
    name.append(setting.mark).append(std::to_string(identity.*setting.value));
    return true;
  });
  return name;
}

std::optional<LtIdentity> parse_algorithm_name(std::string_view text) {
  const std::string_view whole = text;
  LtIdentity found;
  const bool is_whole = for_settings([&](const auto& setting) {
    if (!text.starts_with(setting.mark)) return false;
    text.remove_prefix(setting.mark.size());
    auto& value = found.*setting.value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  });
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

std::optional<bool> claims_tensor_cores(const cublasLtMatmulAlgo_t& algorithm) {
  std::uint64_t flags = 0;
  std::size_t written = 0;
  if (cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
                                        sizeof flags, &written) != CUBLAS_STATUS_SUCCESS) {
    return std::nullopt;
  }
  if ((flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK) == 0) return std::nullopt;
  return (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK) != 0;
}

}  // namespace benanza::cublas
