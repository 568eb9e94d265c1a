#include "suites/onednn/plans/packed_rows.h"

#include "suites/onednn/api/library_call.h"
#include "suites/onednn/api/variant_context.h"

namespace benanza::onednn {
namespace {

std::int64_t aligned(std::size_t bytes) {
  constexpr std::int64_t line = 64;
  return (static_cast<std::int64_t>(bytes) + line - 1) / line * line;
}

}  // namespace

void PackedRows::place(harness::Operands& places, std::size_t operand,
                       const std::string& format_name, const dnnl::engine& engine) {
  std::int64_t bytes = 0;
  for (const Memory::desc& format : formats_) bytes += aligned(format.get_size());
  std::byte* next = places.operand(operand, bytes, {.name = format_name, .description = {}});
  for (const Memory::desc& format : formats_) {
    library_call("memory", [&] { pieces_.emplace_back(format, engine, next); });
    next += aligned(format.get_size());
  }
}

void PackedRows::upload(std::span<const float> values, const dnnl::stream& stream) const {
  for (const Memory& piece : pieces_) {
    const Memory::desc packed = piece.get_desc();
    const Dims dims = api::dims(packed);
    const auto count = static_cast<std::size_t>(element_count(dims));
    // The library's API takes a non-const pointer even for reading.
    const Memory rows(floats(dims, {1, dims.front()}), piece.get_engine(),
                      const_cast<float*>(values.first(count).data()));
    converted(stream, rows, piece);
    values = values.subspan(count);
  }
}

void converted(const dnnl::stream& stream, const Memory& from, const Memory& to) {
  library_call("conversion of values", [&] {
    Memory source = from;
    Memory target = to;
    dnnl::reorder(source, target).execute(stream, source, target);
    dnnl::stream(stream).wait();
  });
}

}  // namespace benanza::onednn
