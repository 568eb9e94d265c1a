#include "core/library/algorithm.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

namespace benanza {
namespace {

/// cudnnBackendKnobType_t of cuDNN 9, by value.
constexpr std::string_view knob_names[] = {"SPLIT_K",
                                           "SWIZZLE",
                                           "TILE_SIZE",
                                           "USE_TEX",
                                           "EDGE",
                                           "KBLOCK",
                                           "LDGA",
                                           "LDGB",
                                           "CHUNK_K",
                                           "SPLIT_H",
                                           "WINO_TILE",
                                           "MULTIPLY",
                                           "SPLIT_K_BUF",
                                           "TILEK",
                                           "STAGES",
                                           "REDUCTION_MODE",
                                           "CTA_SPLIT_K_MODE",
                                           "SPLIT_K_SLC",
                                           "IDX_MODE",
                                           "SLICED",
                                           "SPLIT_RS",
                                           "SINGLEBUFFER",
                                           "LDGC",
                                           "SPECFILT",
                                           "KERNEL_CFG",
                                           "WORKSPACE",
                                           "TILE_CGA",
                                           "TILE_CGA_M",
                                           "TILE_CGA_N",
                                           "BLOCK_SIZE",
                                           "OCCUPANCY",
                                           "ARRAY_SIZE_PER_THREAD",
                                           "NUM_C_PER_BLOCK",
                                           "SPLIT_COLS",
                                           "TILE_ROWS",
                                           "TILE_COLS",
                                           "LOAD_SIZE",
                                           "CTA_COUNT",
                                           "STREAM_K",
                                           "SPLIT_P_SLC",
                                           "TILE_M",
                                           "TILE_N",
                                           "WARP_SPEC_CFG",
                                           "SWAP_AB"};

struct Engine {
  std::int64_t number = 0;
  std::map<std::int64_t, std::int64_t> knobs{};
  bool operator==(const Engine&) const = default;
};

/// Consumes a number at the start of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Where the name of an engine begins, after an optional word and a dot; npos if there is none.
std::size_t engine_in(std::string_view text) {
  const std::size_t begin = text.find("engine");
  return begin == text.npos || begin == 0 || text[begin - 1] == '.' ? begin : text.npos;
}

/// Parses "engine 62 TILEK=1", optionally after a word and a dot.
std::optional<Engine> logged_engine(std::string_view text) {
  const std::size_t begin = engine_in(text);
  if (begin == text.npos) return std::nullopt;
  text.remove_prefix(begin);
  if (!take(text, "engine ")) return std::nullopt;
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  Engine engine{.number = *number};
  while (take(text, " ")) {
    const auto equals = text.find('=');
    const auto* const name =
        std::find(std::begin(knob_names), std::end(knob_names), text.substr(0, equals));
    if (equals == text.npos || name == std::end(knob_names)) return std::nullopt;
    text.remove_prefix(equals + 1);
    const auto value = take_number(text);
    if (!value) return std::nullopt;
    engine.knobs[name - std::begin(knob_names)] = *value;
  }
  return text.empty() ? std::optional(engine) : std::nullopt;
}

/// Parses "engine62.k13=1", optionally after a word and a dot.
std::optional<Engine> suite_engine(std::string_view text) {
  const std::size_t begin = engine_in(text);
  if (begin == text.npos) return std::nullopt;
  text.remove_prefix(begin);
  take(text, "engine");
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  Engine engine{.number = *number};
  while (take(text, ".k")) {
    const auto knob = take_number(text);
    if (!knob || !take(text, "=")) return std::nullopt;
    const auto value = take_number(text);
    if (!value) return std::nullopt;
    engine.knobs[*knob] = *value;
  }
  return text.empty() ? std::optional(engine) : std::nullopt;
}

}  // namespace

std::string suite_algorithm(std::string_view logged) {
  if (logged.starts_with("CUBLAS_GEMM_DEFAULT")) return "gemm_ex";
  const std::size_t begin = engine_in(logged);
  if (begin == logged.npos) return std::string(logged.find(' ') == logged.npos ? logged : "");
  const auto engine = logged_engine(logged);
  if (!engine) return "";
  std::string name =
      std::string(logged.substr(0, begin)) + "engine" + std::to_string(engine->number);
  for (const auto& [knob, value] : engine->knobs) {
    name += ".k" + std::to_string(knob) + '=' + std::to_string(value);
  }
  return name;
}

bool is_same_algorithm(std::string_view logged, std::string_view suite) {
  if (logged.empty() || suite.empty()) return false;
  if (const auto engine = logged_engine(logged)) return engine == suite_engine(suite);
  if (logged.starts_with("CUBLAS_GEMM_DEFAULT")) return suite == "gemm_ex";
  return logged == suite;
}

bool is_reference_code(std::string_view implementation) {
  constexpr std::string_view separators = "_:+.";
  while (!implementation.empty()) {
    const std::size_t end =
        std::min(implementation.find_first_of(separators), implementation.size());
    if (implementation.substr(0, end) == "ref") return true;
    implementation.remove_prefix(std::min(end + 1, implementation.size()));
  }
  return false;
}

}  // namespace benanza
