#include "generator/onnx/read/read.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/tensor.h"
#include "generator/onnx/read/wire.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;

std::int64_t stored_bytes(int type) {
  if (type == TensorProto::FLOAT16 || type == TensorProto::BFLOAT16) return 2;
  if (type == TensorProto::DOUBLE) return 8;
  return type_bytes(type);
}

/// Of a type that weights have.
bool is_real(const TensorProto& tensor) {
  const int type = tensor.data_type();
  return is_floating(type) || type == TensorProto::INT8 || type == TensorProto::UINT8;
}

bool may_shape(const TensorProto& tensor, const Dims& dims) {
  constexpr std::int64_t most_reals = 16;
  const int type = tensor.data_type();
  if (stored_bytes(type) == 0 || !keeps_values(type, dims)) return false;
  return !is_real(tensor) || *checked_element_count(dims) <= most_reals;
}

/// Whether the tensor may be a mask: truth values or real numbers, not too many.
bool may_mask(const TensorProto& tensor, const Dims& dims) {
  const int type = tensor.data_type();
  const auto count = checked_element_count(dims);
  return dims.size() >= 2 && count && *count > 1 &&
         (type == TensorProto::BOOL || is_floating(type)) &&
         *count * stored_bytes(type) <= max_mask_bytes;
}

std::uint64_t number(const std::string& text, const std::string& what) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (error != std::errc{} || stop != end || value > most) {
    throw Error(what + " \"" + text + "\" is no number of bytes: export the model again");
  }
  return value;
}

/// A part of a file.
struct Place {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::size_t size = 0;
};

Place place_of(const TensorProto& tensor, const Dims& dims, const std::filesystem::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : tensor.external_data()) entries[entry.key()] = entry.value();
  const std::filesystem::path location = entries["location"];
  const bool leaves = std::ranges::find(location, "..") != location.end();
  if (location.empty() || location.is_absolute() || leaves) {
    throw Error("its file \"" + location.string() + "\" is not inside the model's folder");
  }
  const auto size =
      static_cast<std::uint64_t>(*checked_element_count(dims) * stored_bytes(tensor.data_type()));
  const std::uint64_t offset = entries.contains("offset") ? number(entries["offset"], "offset") : 0;
  if (entries.contains("length") && number(entries["length"], "length") != size) {
    throw Error("its length of " + entries["length"] + " bytes does not fill its shape");
  }
  return {folder / location, offset, static_cast<std::size_t>(size)};
}

void hold(TensorProto& tensor, std::string bytes) {
  tensor.set_raw_data(std::move(bytes));
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::DEFAULT);
}

/// Loads the tensor if it is a mask. `mask_bytes`: those of all masks so far.
void load_mask(TensorProto& tensor, const Dims& dims, const std::filesystem::path& folder,
               std::int64_t& mask_bytes) {
  // Weights differ within their first elements.
  constexpr std::size_t enough = 64;
  const Place place = place_of(tensor, dims, folder);
  if (mask_bytes + static_cast<std::int64_t>(place.size) > max_bytes_of_masks) return;
  const std::size_t size = place.size / static_cast<std::size_t>(*checked_element_count(dims));
  const std::size_t probed = std::min(enough * size, place.size);
  const std::string probe = read_part(place.file, place.offset, probed);
  const bool is_uniform = probe.substr(size) == probe.substr(0, probe.size() - size);
  if (!is_uniform && !is_mask(probe, {1, static_cast<std::int64_t>(probed / size)})) return;
  std::string bytes = read_part(place.file, place.offset, place.size);
  if (!is_mask(bytes, dims)) return;
  mask_bytes += std::ssize(bytes);
  hold(tensor, std::move(bytes));
}

/// Reads tensors from external files if constant folding of shapes may need their values: small
/// ones of integers and booleans (shapes, indices), and up to 16 values of floating-point and 8-bit
/// integer types (scales, bounds). Masks are read, too (see is_mask), where their file has them.
/// All others keep their reference.
class SmallTensors {
 public:
  /// `folder`: the model's.
  explicit SmallTensors(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Those of a graph, its nodes' attributes and their graphs. Throws Error, naming the tensor, if
  /// the file of a small one is missing, too short or outside the folder; real numbers whose file
  /// is missing stay unknown, as the weights that they may be.
  void load(::onnx::GraphProto& graph) {
    for (TensorProto& tensor : *graph.mutable_initializer()) load(tensor, tensor.name());
    for (auto& node : *graph.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) {
          const bool has_result = node.op_type() == "Constant" && node.output_size() > 0;
          load(*attribute.mutable_t(), has_result ? node.output(0) : node.name());
        }
        if (attribute.has_g()) load(*attribute.mutable_g());
      }
    }
  }

 private:
  void load(TensorProto& tensor, const std::string& name) {
    // A tensor without external_data has lost its values in without_weights().
    if (tensor.data_location() != TensorProto::EXTERNAL || tensor.external_data().empty()) return;
    const Dims dims(tensor.dims().begin(), tensor.dims().end());
    const bool shapes = may_shape(tensor, dims);
    if (!shapes && !may_mask(tensor, dims)) return;
    try {
      if (!shapes) return load_mask(tensor, dims, folder_, mask_bytes_);
      const Place place = place_of(tensor, dims, folder_);
      if (is_real(tensor) && !std::filesystem::exists(place.file)) return;
      hold(tensor, read_part(place.file, place.offset, place.size));
    } catch (const Error& error) {
      // Weights may be left out.
      if (shapes) throw Error("tensor \"" + name + "\": " + error.what());
    }
  }

  std::filesystem::path folder_;
  std::int64_t mask_bytes_ = 0;
};

constexpr std::string_view remedy = "pass a complete .onnx file";

/// What a file that cannot be read as an ONNX model is instead; `otherwise` if that is unknown.
std::string other_format(std::string_view bytes, std::string otherwise) {
  struct Format {
    std::size_t offset;
    std::string_view mark;
    std::string_view message;
  };
  static constexpr Format formats[]{
      {0, "version https://git-lfs",
       "is a pointer to a file that Git LFS stores: run git lfs pull"},
      {0, "\x1f\x8b", "is compressed: unpack it with gunzip"},
      {0, "PK\x03\x04", "is a ZIP archive: unpack it, or export the model as .onnx"},
      {4, "ORTM", "is in ONNX Runtime's own format: pass the .onnx file that it was made from"},
      {4, "TFL3", "is a TensorFlow Lite model: convert it to .onnx"},
  };
  for (const Format& format : formats) {
    if (bytes.substr(std::min(format.offset, bytes.size())).starts_with(format.mark)) {
      return std::string(format.message);
    }
  }
  return otherwise;
}

}  // namespace

::onnx::ModelProto parse_model(std::string_view bytes, const std::string& where,
                               const std::function<void(const char*)>& passed) {
  if (bytes.empty()) throw Error(where + ": is empty: " + std::string(remedy));
  std::string stripped;
  try {
    stripped = without_weights(bytes, passed);
  } catch (const Error& error) {
    throw Error(where + ": " + other_format(bytes, error.what()));
  }
  ::onnx::ModelProto model;
  if (!model.ParseFromArray(stripped.data(), static_cast<int>(stripped.size()))) {
    const std::string otherwise = "is truncated or not an ONNX model: " + std::string(remedy);
    throw Error(where + ": " + other_format(bytes, otherwise));
  }
  check_model(model, where);
  return model;
}

::onnx::ModelProto read_model(const std::filesystem::path& path) {
  const std::string where = path.string();
  MappedFile file(path);
  ::onnx::ModelProto model =
      parse_model(file.bytes(), where, [&](const char* position) { file.forget_before(position); });
  try {
    SmallTensors(path.parent_path()).load(*model.mutable_graph());
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
  return model;
}

}  // namespace benanza::onnx
