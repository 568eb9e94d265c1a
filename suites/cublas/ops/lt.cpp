#include "suites/cublas/ops/lt.h"

#include <algorithm>
#include <utility>

#include "suites/cublas/ways.h"

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

template <class T>
void read(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute,
          T& value) {
  std::size_t written = 0;
  check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written),
        "cublasLtMatmulAlgoConfigGetAttribute");
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
  residual_ = result(in_place_ ? types.operand : CUDA_R_16BF);
  result_ = result(types.operand);
}

LtBatch::LtBatch(const ListedBatch& batch)
    : operation_(matmul_operation(batch.compute, batch.scale, batch.first.transposed,
                                  batch.second.transposed)),
      first_(listed_layout(batch, batch.first, batch.m, batch.k)),
      second_(listed_layout(batch, batch.second, batch.k, batch.n)),
      result_(listed_layout(batch, batch.m, batch.n, batch.ld_result)),
      alignment_bytes_(batch.alignment_bytes) {}

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

LtIdentity identity(const cublasLtMatmulAlgo_t& algorithm) {
  LtIdentity result;
  read(algorithm, CUBLASLT_ALGO_CONFIG_ID, result.config);
  read(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, result.tile);
  read(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, result.stages);
  read(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, result.split_k);
  read(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, result.reduction);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, result.swizzle);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, result.custom);
  read(algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, result.inner);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, result.cluster);
  return result;
}

harness::Algorithm algorithm_name(const LtIdentity& identity) {
  const auto field = [](const char* prefix, auto value) { return prefix + std::to_string(value); };
  return field("a", identity.config) + field(".t", identity.tile) + field(".s", identity.stages) +
         field(".k", identity.split_k) + field(".r", identity.reduction) +
         field(".z", identity.swizzle) + field(".o", identity.custom) +
         field(".i", identity.inner) + field(".c", identity.cluster);
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

namespace {

constexpr int listed = 8;
constexpr std::string_view as_given = "lt.";
/// Before the rest of an algorithm's name: the weights are stored transposed.
constexpr std::string_view transposed = "lt.wt.";

std::string_view prefix(Weights weights) {
  return weights == Weights::transposed ? transposed : as_given;
}

/// The list depends on whether there is a bias, not on its address.
std::vector<LtChoice> choices(Library& library, const Problem& problem, Precision precision,
                              Weights weights, const void* bias) {
  LtMatmul matmul(problem, precision, weights);
  if (problem.epilogue.bias) matmul.set_bias(bias);
  auto list = heuristics(library.lt(), matmul.descriptors(), precision,
                         library.lt_workspace_bytes(), listed);
  for (LtChoice& choice : list) choice.name.insert(0, prefix(weights));
  return list;
}

/// A placeholder for the bias before operands exist: aligned like every allocation, never read.
const void* no_bias(Library& library) { return library.cuda().workspace(1)->data(); }

LtChoice choice_named(Library& library, const Product& product, const harness::Variant& variant,
                      Weights weights) {
  auto list = choices(library, product.problem(), variant.precision, weights, no_bias(library));
  const auto found = std::find_if(list.begin(), list.end(), [&](const LtChoice& choice) {
    return choice.name == variant.algorithm;
  });
  if (found == list.end()) {
    throw std::runtime_error("cuBLASLt does not list " + variant.algorithm +
                             " for this problem and workspace");
  }
  return *found;
}

class LtProduct {
 public:
  LtProduct(const Request& request, const Product& product, Weights weights, const LtChoice& choice)
      : library_(request.library),
        factors_(request, product),
        matmul_(product.problem(), request.variant.precision, weights),
        algorithm_(choice.algorithm),
        alpha_(matmul_.alpha() * product.factor),
        bias_(bias_operand(request.variant.problem)),
        residual_(residual_operand(request.variant.problem)) {}

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
};

Facts facts_of(const LtChoice& choice, Weights weights) {
  Facts facts;
  // The heuristic's choice is the one for the weights as they are given.
  if (weights == Weights::as_given) facts["heuristic_rank"] = static_cast<double>(choice.rank);
  if (const auto claim = claims_tensor_cores(choice.algorithm)) {
    facts["tensor_core_claimed"] = *claim;
  }
  return facts;
}

harness::Way way_named(Library& library, const Product& product, const harness::Variant& prototype,
                       Weights weights, harness::Algorithm name) {
  return nvidia::way_of(
      library, prototype, std::move(name), [product, weights](const Request& request) {
        const LtChoice choice = choice_named(request.library, product, request.variant, weights);
        nvidia::CallSetup setup = product_setup(request.variant, weights);
        setup.workspace_bytes = choice.workspace_bytes;
        setup.facts = facts_of(choice, weights);
        LtProduct calls(request, product, weights, choice);
        setup.to_library_value = calls.stored_residual();
        return call_of(request, std::move(setup), std::move(calls));
      });
}

Ways ways(Library& library, const Product& product, const harness::Variant& prototype,
          Weights weights) {
  if (weights == Weights::transposed) {
    const bool is_free = std::holds_alternative<Gemm>(prototype.problem.shape) &&
                         product.gemm.constant_b && element_bytes(prototype.precision) > 1;
    if (!is_free) throw harness::Unsupported("the second factor's place in memory is given");
  }
  Ways found;
  for (LtChoice& choice :
       choices(library, product.problem(), prototype.precision, weights, no_bias(library))) {
    found.push_back(way_named(library, product, prototype, weights, std::move(choice.name)));
  }
  return found;
}

ProductFamily lt_family(Weights weights) {
  return {.ways =
              [=](Library& library, const Product& product, const harness::Variant& prototype) {
                return ways(library, product, prototype, weights);
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

}  // namespace

/// cublasLtMatmul() with each of the first algorithms of its heuristic lists: for weights as they
/// are given, and stored transposed.
void register_lt(WayTable& table) {
  add(table, lt_family(Weights::as_given));
  add(table, lt_family(Weights::transposed));
}

}  // namespace benanza::cublas
