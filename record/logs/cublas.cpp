// The logs of cuBLAS (CUBLAS_LOGINFO_DBG, an entry of many lines for a call) and of cuBLASLt
// (CUBLASLT_LOG_LEVEL, a line for each).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/base/text.h"
#include "core/problem/problem.h"
#include "record/logs/shared/entry.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

using text::between;
using text::integer;
using text::lower_case;

/// A matrix as it is stored, by columns. What the log does not say is empty.
struct Matrix {
  std::string_view type{};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::optional<std::int64_t> leading{};
  /// Elements from one matrix of a batch to the next.
  std::optional<std::int64_t> stride{};
};

/// What either library logs of a product.
struct LoggedProduct {
  std::string library{};
  std::string function{};
  std::string algorithm{};
  Matrix a{};
  Matrix b{};
  Matrix result{};
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t batch = 1;
  /// "COMPUTE_32F_FAST_TF32".
  std::string_view compute{};
  std::string_view math_mode{};
  Epilogue epilogue{};
  /// What no problem says; empty if there is nothing.
  std::string unsaid{};
};

bool is_repeated(const Matrix& matrix) { return matrix.stride == 0; }

bool has_gaps(const Matrix& matrix, std::int64_t batch) {
  const bool is_wide = matrix.leading.value_or(matrix.rows) != matrix.rows && matrix.columns > 1;
  const std::int64_t dense = matrix.rows * matrix.columns;
  const bool is_apart = batch > 1 && !is_repeated(matrix) && matrix.stride.value_or(dense) != dense;
  return is_wide || is_apart;
}

/// In row-major terms, op(A) op(B) of column-major matrices is op(B)^T op(A)^T.
Gemm row_major(const LoggedProduct& logged) {
  Gemm gemm;
  gemm.m = logged.result.columns;
  gemm.n = logged.result.rows;
  gemm.k = logged.transpose_a ? logged.a.rows : logged.a.columns;
  gemm.transpose_a = logged.transpose_b;
  gemm.transpose_b = logged.transpose_a;
  if (logged.batch > 1) {
    gemm.batch_a = {is_repeated(logged.b) ? 1 : logged.batch};
    gemm.batch_b = {is_repeated(logged.a) ? 1 : logged.batch};
  }
  return gemm;
}

std::string operands_text(std::string_view a, std::string_view b) {
  std::string text = "operands of " + std::string(a.empty() ? "another type" : a);
  if (!b.empty() && b != a) text += " and " + std::string(b);
  return text;
}

/// The precision of a product of such data; empty, with the reason in `unsaid`, for arithmetic that
/// no precision has.
std::optional<Precision> arithmetic(Precision data, const LoggedProduct& logged,
                                    std::string& unsaid) {
  constexpr std::string_view pedantic = "_PEDANTIC";
  std::string_view compute = logged.compute.substr(0, logged.compute.find('('));
  const bool is_pedantic = compute.ends_with(pedantic);
  if (is_pedantic) compute.remove_suffix(pedantic.size());
  // "CUBLAS_COMPUTE_32F"; of older calls "CUDA_R_32F".
  const std::string_view usual = data == Precision::int8 ? "_32I" : "_32F";
  if (data == Precision::fp32 && compute.ends_with("COMPUTE_32F_FAST_TF32")) return Precision::tf32;
  if (!compute.empty() && !compute.ends_with(usual)) {
    unsaid = "computeType " + std::string(logged.compute);
    return std::nullopt;
  }
  if (data != Precision::fp32 || is_pedantic) return data;
  const std::string_view mode = logged.math_mode;
  if (mode.find("TF32") != mode.npos) return Precision::tf32;
  if (mode.find("FP32_EMULATED") != mode.npos || mode.starts_with("CUBLAS_TENSOR_OP_MATH")) {
    unsaid = "MathMode " + std::string(mode);
    return std::nullopt;
  }
  return data;
}

/// The problem, or what none says. A bias' type, the scales of 8-bit tensors and how many
/// multiprocessors may work are passed over.
LibraryCall call_of_product(const LoggedProduct& logged) {
  LibraryCall call{
      .library = logged.library, .function = logged.function, .algorithm = logged.algorithm};
  const std::string_view a = type_name(logged.a.type);
  const std::string_view b = type_name(logged.b.type);
  std::string unsaid = logged.unsaid;
  const auto data = precision(a);
  if (!data || (!b.empty() && a != b)) {
    unsaid = operands_text(a, b);
  } else if (const auto precision = arithmetic(*data, logged, unsaid)) {
    call.data = precision;
  }
  const bool is_copied = logged.batch > 1 && is_repeated(logged.a) && is_repeated(logged.b);
  if (unsaid.empty() && is_copied) unsaid = "one product for all of a batch";
  const std::string key = key_of(row_major(logged), logged.epilogue);
  if (!unsaid.empty()) {
    call.detail = unsaid + ", " + key;
    return call;
  }
  call.problem = key;
  const std::string_view result = type_name(logged.result.type);
  if (!result.empty() && result != a) remark_result(result, call.remarks);
  for (const Matrix* matrix : {&logged.a, &logged.b, &logged.result}) {
    if (!has_gaps(*matrix, logged.batch)) continue;
    remark_gaps(call.remarks);
    break;
  }
  return call;
}

/// The type that a function's name says: cublasSgemm_v2, cublasCgemm3m.
std::string_view type_of_name(std::string_view function) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {{"cublasSgemm", "R_32F"},
                                                                     {"cublasHgemm", "R_16F"},
                                                                     {"cublasDgemm", "R_64F"},
                                                                     {"cublasCgemm", "C_32F"},
                                                                     {"cublasZgemm", "C_64F"}};
  for (const auto& [name, type] : types) {
    if (function.starts_with(name)) return type;
  }
  return {};
}

/// A residual of `beta` times the result's old values, or what no problem says. cuBLAS logs a
/// pointer, which says nothing.
void read_beta(std::string_view beta, LoggedProduct& product) {
  if (beta.empty() || beta.find("POINTER") != beta.npos) return;
  const std::string text(beta);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  product.epilogue.residual = end != text.c_str() && value == 1;
  if (end == text.c_str() || (value != 0 && value != 1)) product.unsaid = "beta " + text;
}

/// Only products; with or without a problem.
std::optional<LibraryCall> cublas_call(const Entry& entry) {
  const std::string name = lower_case(entry.function());
  if (name.find("gemm") == std::string::npos || name.find("workspace") != std::string::npos) {
    return std::nullopt;
  }
  const auto m = integer(entry.value("m"));
  const auto n = integer(entry.value("n"));
  const auto k = integer(entry.value("k"));
  if (!m || !n || !k) return LibraryCall{.library = "cublas", .function = entry.function()};
  const auto is_transposed = [&](std::string_view name) {
    const std::string_view value = entry.value(name);
    return !value.empty() && value.find("OP_N") == std::string_view::npos;
  };
  const std::string_view named = type_of_name(entry.function());
  const auto matrix = [&](const std::string& letter, std::int64_t rows, std::int64_t columns) {
    const std::string_view type = entry.value(letter + "type");
    return Matrix{.type = type.empty() ? named : type,
                  .rows = rows,
                  .columns = columns,
                  .leading = integer(entry.value("ld" + lower_case(letter))),
                  .stride = integer(entry.value("stride" + letter))};
  };
  LoggedProduct product{.library = "cublas",
                        .function = entry.function(),
                        .algorithm = std::string(entry.value("algo")),
                        .transpose_a = is_transposed("transa"),
                        .transpose_b = is_transposed("transb"),
                        .batch = integer(entry.value("batchCount")).value_or(1),
                        .compute = entry.value("computeType"),
                        .math_mode = entry.value("MathMode")};
  product.a = product.transpose_a ? matrix("A", *k, *m) : matrix("A", *m, *k);
  product.b = product.transpose_b ? matrix("B", *n, *k) : matrix("B", *k, *n);
  product.result = matrix("C", *m, *n);
  if (named == "R_16F") product.unsaid = "sums in fp16";
  read_beta(entry.value("beta"), product);
  return call_of_product(product);
}

/// The value of `name=` in "[type=R_32F rows=2048 cols=1000 ld=2048]".
std::string_view member(std::string_view list, std::string_view name) {
  for (auto at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
    const bool whole = at == 0 || list[at - 1] == ' ' || list[at - 1] == '[';
    const std::string_view rest = list.substr(at + name.size());
    if (whole && rest.starts_with('=')) return rest.substr(1, rest.find_first_of(" ]") - 1);
  }
  return {};
}

/// Fields of cuBLASLt that are read, or that change neither the result nor the arithmetic. The
/// others are only passed over at their usual values.
bool is_accounted(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 19> read{"type",
                                                  "rows",
                                                  "cols",
                                                  "ld",
                                                  "batchCount",
                                                  "computeType",
                                                  "scaleType",
                                                  "stridedBatchOffset",
                                                  "transa",
                                                  "transb",
                                                  "epilogue",
                                                  "biasPointer",
                                                  "biasDataType",
                                                  "smCountTarget",
                                                  "aScalePointer",
                                                  "bScalePointer",
                                                  "cScalePointer",
                                                  "dScalePointer",
                                                  "fastAccumulationFlag"};
  if (std::ranges::find(read, name) != read.end()) return true;
  if (name.ends_with("ScaleMode")) return value.starts_with("SCALAR");
  if (name == "pointerMode") return value.find("VECTOR") == value.npos;
  if (name == "order") return value.ends_with("COL");
  if (name == "transc") return value == "OP_N";
  return name == "fillMode" && value.ends_with("FULL");
}

/// The first field of a list that changes the work and that nothing reads: "order=ROW".
std::string unread_field(std::string_view list) {
  for (const std::string_view field : text::split(list, ' ')) {
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string_view value = field.substr(std::min(equals + 1, field.size()));
    if (!field.empty() && !is_accounted(field.substr(0, equals), value)) return std::string(field);
  }
  return "";
}

/// What cuBLASLt does to the product.
void read_epilogue(std::string_view epilogue, LoggedProduct& product) {
  std::string_view text = epilogue;
  constexpr std::string_view prefix = "EPILOGUE_";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  const std::string_view whole = text;
  constexpr std::string_view bias = "BIAS";
  if (text.ends_with(bias)) {
    product.epilogue.bias = true;
    text.remove_suffix(bias.size());
    if (text.ends_with('_')) text.remove_suffix(1);
  }
  if (text == "RELU") {
    product.epilogue.activation = Activation{.input = {}, .kind = ActivationKind::relu};
  } else if (text == "GELU") {
    product.epilogue.activation = Activation{.input = {}, .kind = ActivationKind::gelu_tanh};
  } else if (!text.empty() && text != "DEFAULT") {
    product.epilogue.bias = false;
    product.unsaid = "epilogue " + std::string(whole);
  }
}

Matrix matrix_of(std::string_view list, std::int64_t batch) {
  Matrix matrix{.type = member(list, "type"),
                .rows = integer(member(list, "rows")).value_or(0),
                .columns = integer(member(list, "cols")).value_or(0),
                .leading = integer(member(list, "ld"))};
  // Fields at their default are left out.
  if (batch > 1) matrix.stride = integer(member(list, "stridedBatchOffset")).value_or(0);
  return matrix;
}

std::optional<LibraryCall> cublaslt_call(std::string_view line) {
  if (!line.starts_with("[Trace][cublasLtMatmul]")) return std::nullopt;
  const std::string_view a = between(line, " Adesc=[", "]");
  const std::string_view b = between(line, " Bdesc=[", "]");
  const std::string_view c = between(line, " Cdesc=[", "]");
  const std::string_view d = between(line, " Ddesc=[", "]");
  const std::string_view compute = between(line, " computeDesc=[", "]");
  // The line is truncated.
  if (a.empty() || d.empty()) return std::nullopt;
  const auto is_transposed = [&](std::string_view name) {
    const std::string_view value = member(compute, name);
    return !value.empty() && value != "OP_N";
  };
  const std::string_view algorithm = member(between(line, " algo=[", "]"), "algoId");
  const std::int64_t batch = integer(member(a, "batchCount")).value_or(1);
  LoggedProduct product{.library = "cublaslt",
                        .function = "cublasLtMatmul",
                        .algorithm = algorithm.empty() ? "" : "algorithm " + std::string(algorithm),
                        .a = matrix_of(a, batch),
                        .b = matrix_of(b, batch),
                        .result = matrix_of(d, batch),
                        .transpose_a = is_transposed("transa"),
                        .transpose_b = is_transposed("transb"),
                        .batch = batch,
                        .compute = member(compute, "computeType")};
  if (product.a.rows < 1 || product.a.columns < 1 || product.result.rows < 1 ||
      product.result.columns < 1) {
    return LibraryCall{.library = product.library, .function = product.function};
  }
  for (const auto& [name, list] : {std::pair("Adesc ", a), std::pair("Bdesc ", b),
                                   std::pair("Ddesc ", d), std::pair("", compute)}) {
    const std::string field = unread_field(list);
    if (!field.empty() && product.unsaid.empty()) product.unsaid = name + field;
  }
  read_beta(between(line, " beta=", " "), product);
  const std::string_view added = member(c, "type");
  if (product.epilogue.residual && !added.empty() && added != product.result.type) {
    product.unsaid =
        "Cdesc of " + std::string(added) + " beside one of " + std::string(product.result.type);
  }
  read_epilogue(member(compute, "epilogue"), product);
  return call_of_product(product);
}

std::optional<LibraryCall> call_of_either(std::string_view source, std::string_view words) {
  return source == "cublas" ? cublas_call(entry_of(words)) : cublaslt_call(words);
}

SwitchedOn switch_cublas_on(Environment& environment, const std::filesystem::path& folder) {
  SwitchedOn result;
  log_to(environment, folder / "cublas_%i.log", "CUBLAS_LOGDEST_DBG", {{"CUBLAS_LOGINFO_DBG", "1"}},
         result);
  log_to(environment, folder / "cublaslt_%i.log", "CUBLASLT_LOG_FILE",
         {{"CUBLASLT_LOG_LEVEL", "2"}}, result);
  return result;
}

}  // namespace

Log cublas_log() {
  return {.sources = {"cublas", "cublaslt"},
          .on_request = true,
          .switch_on = switch_cublas_on,
          .call_of = call_of_either,
          .problems_of = problems_of_key};
}

}  // namespace benanza::record
