// The logs of cuBLAS (CUBLAS_LOGINFO_DBG, an entry of many lines for a call) and of cuBLASLt
// (CUBLASLT_LOG_LEVEL, a line for each).
#include "core/base/text.h"
#include "core/problem/problem.h"
#include "record/logs/shared/entry.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::record {
namespace {

using text::between;
using text::integer;
using text::lower_case;

/// In row-major terms, op(A) op(B) of column-major matrices is op(B)^T op(A)^T.
Gemm row_major(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b,
               std::int64_t batch) {
  Gemm gemm;
  gemm.m = n;
  gemm.n = m;
  gemm.k = k;
  gemm.transpose_a = transpose_b;
  gemm.transpose_b = transpose_a;
  if (batch > 1) gemm.batch_a = gemm.batch_b = {batch};
  return gemm;
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

/// What cuBLASLt does to the product, from the operation's fields and the whole line. Empty for
/// epilogues that no problem has.
std::optional<Epilogue> epilogue_of(std::string_view compute, std::string_view line) {
  Epilogue epilogue;
  std::string_view text = member(compute, "epilogue");
  constexpr std::string_view prefix = "EPILOGUE_";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  constexpr std::string_view bias = "BIAS";
  if (text.ends_with(bias)) {
    epilogue.bias = true;
    text.remove_suffix(bias.size());
    if (text.ends_with('_')) text.remove_suffix(1);
  }
  if (text == "RELU") {
    epilogue.activation = Activation{.input = {}, .kind = ActivationKind::relu};
  } else if (text == "GELU") {
    epilogue.activation = Activation{.input = {}, .kind = ActivationKind::gelu_tanh};
  } else if (!text.empty() && text != "DEFAULT") {
    return std::nullopt;
  }
  const std::string_view beta = between(line, " beta=", " ");
  epilogue.residual = !beta.empty() && beta != "0";
  if (epilogue.residual && beta != "1") return std::nullopt;
  return epilogue;
}

/// A product without a problem: one says one type for both operands.
LibraryCall of_other_types(const std::string& library, const std::string& function,
                           std::string_view a, std::string_view b) {
  std::string detail = "operands of " + std::string(a.empty() ? "another type" : a);
  if (!b.empty() && b != a) detail += " and " + std::string(b);
  return {.library = library, .function = function, .detail = std::move(detail)};
}

/// The precision of a product of such data by the compute type's name. Empty if none says it.
std::optional<Precision> arithmetic(std::optional<Precision> data, std::string_view compute) {
  if (data != Precision::fp32) return data;
  if (compute.find("FAST_TF32") != std::string_view::npos) return Precision::tf32;
  return compute.find("FAST_") == std::string_view::npos ? data : std::nullopt;
}

bool is_one_type(std::string_view a, std::string_view b) {
  return b.empty() || precision(a) == precision(b);
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
  std::optional<Precision> data = precision(entry.value("Atype"));
  const std::string& function = entry.function();
  if (!data && function.starts_with("cublasSgemm")) data = Precision::fp32;
  if (!data && function.starts_with("cublasHgemm")) data = Precision::fp16;
  data = arithmetic(data, entry.value("computeType"));
  if (!data || !is_one_type(entry.value("Atype"), entry.value("Btype"))) {
    return of_other_types("cublas", function, entry.value("Atype"), entry.value("Btype"));
  }
  return LibraryCall{
      .library = "cublas",
      .function = function,
      .problem = key_of(row_major(*m, *n, *k, is_transposed("transa"), is_transposed("transb"),
                                  integer(entry.value("batchCount")).value_or(1))),
      .algorithm = std::string(entry.value("algo")),
      .data = data,
      .layout = std::nullopt};
}

std::optional<LibraryCall> cublaslt_call(std::string_view line) {
  if (!line.starts_with("[Trace][cublasLtMatmul]")) return std::nullopt;
  const std::string_view a = between(line, " Adesc=[", "]");
  const std::string_view d = between(line, " Ddesc=[", "]");
  const std::string_view compute = between(line, " computeDesc=[", "]");
  const auto rows = integer(member(a, "rows"));
  const auto columns = integer(member(a, "cols"));
  const auto m = integer(member(d, "rows"));
  const auto n = integer(member(d, "cols"));
  // The line is truncated.
  if (a.empty() || d.empty()) return std::nullopt;
  if (!rows || !columns || !m || !n) {
    return LibraryCall{.library = "cublaslt", .function = "cublasLtMatmul"};
  }
  const auto is_transposed = [&](std::string_view name) {
    const std::string_view value = member(compute, name);
    return !value.empty() && value != "OP_N";
  };
  const bool transpose_a = is_transposed("transa");
  const std::string_view algorithm = member(between(line, " algo=[", "]"), "algoId");
  const Gemm product =
      row_major(*m, *n, transpose_a ? *rows : *columns, transpose_a, is_transposed("transb"),
                integer(member(a, "batchCount")).value_or(1));
  const std::string_view type_a = member(a, "type");
  const std::string_view type_b = member(between(line, " Bdesc=[", "]"), "type");
  const auto data = arithmetic(precision(type_a), member(compute, "computeType"));
  if (!data || !is_one_type(type_a, type_b)) {
    return of_other_types("cublaslt", "cublasLtMatmul", type_a, type_b);
  }
  const auto epilogue = epilogue_of(compute, line);
  return LibraryCall{.library = "cublaslt",
                     .function = "cublasLtMatmul",
                     .problem = epilogue ? key_of(product, *epilogue) : "",
                     .algorithm = algorithm.empty() ? "" : "algorithm " + std::string(algorithm),
                     .data = data,
                     .layout = std::nullopt};
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
