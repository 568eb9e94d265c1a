#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "core/library/library_call.h"

namespace benanza {

/// Identifies a call: sizes and settings, never data.
struct CallText {
  /// The library that logged it: "onednn", "cudnn", "cublas", "cublaslt".
  std::string source{};
  /// "cpu", "gpu".
  std::string engine{};
  /// "convolution"; for NVIDIA's libraries the function, "cudnnConvolutionForward".
  std::string kind{};
  /// "jit:avx512_core"; for NVIDIA's libraries the algorithm.
  std::string implementation{};
  /// "forward_training"; "undef" if the kind has none.
  std::string prop_kind{};
  /// Types and formats of the tensors; for NVIDIA's libraries a CallMemory.
  std::string memory{};
  /// For NVIDIA's libraries LibraryCall::remarks.
  std::string attributes{};
  /// For NVIDIA's libraries LibraryCall::detail.
  std::string auxiliary{};
  /// As oneDNN writes it; for NVIDIA's libraries the problem's key.
  std::string problem{};
  auto operator<=>(const CallText&) const = default;
};

CallText call_text(const LibraryCall& call);

/// The operands of a call of NVIDIA's libraries, as far as the log tells: "fp16 nhwc", "fp16",
/// "nhwc" behind a space, or nothing.
struct CallMemory {
  std::optional<Precision> data{};
  std::optional<Layout> layout{};
  bool operator==(const CallMemory&) const = default;
};

std::string to_string(const CallMemory& memory);
/// Words that are unknown are left out.
CallMemory read_call_memory(std::string_view text);

}  // namespace benanza
