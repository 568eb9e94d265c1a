#include <algorithm>
#include <cstring>

#include "suites/harness/int8_scale.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/api/variant_context.h"
#include "suites/onednn/plans/int8_lstm.h"
#include "suites/onednn/plans/recurrent_call.h"

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

namespace {

/// The biases of every gate, added up; then those of the state's product that act alone.
std::vector<float> bias_of_products(const Recurrent& shape, std::span<const float> values) {
  const std::int64_t rows = shape.gates() * shape.hidden;
  const std::int64_t apart = shape.linear_before_reset ? shape.hidden : 0;
  std::vector<float> folded;
  std::vector<float> alone;
  for (std::int64_t cell = 0; cell < shape.layers * shape.directions(); ++cell) {
    const float* const input = values.data() + cell * 2 * rows;
    const float* const recurrent = input + rows;
    for (std::int64_t row = 0; row < rows; ++row) {
      folded.push_back(input[row] + (row < rows - apart ? recurrent[row] : 0));
    }
    alone.insert(alone.end(), recurrent + rows - apart, recurrent + rows);
  }
  folded.insert(folded.end(), alone.begin(), alone.end());
  return folded;
}

}  // namespace

void RecurrentProducts::upload(std::size_t index, std::span<const float> values) {
  if (index == 1) return weights_.upload(values, settings_.stream);
  if (index == 2) return recurrence_.upload(values, settings_.stream);
  const bool integers = settings_.context.integers();
  const std::size_t first_state = shape_.bias ? 4 : 3;
  std::vector<float> own(values.begin(), values.end());
  const bool is_bias = shape_.bias && index == first_state - 1;
  const bool is_cell = index == first_state + 1;
  if (is_bias) own = bias_of_products(shape_, values);
  if (integers && (is_bias || is_cell)) {
    const float unit = is_bias ? harness::int8_unit_of_bias : 1 / harness::int8_steps_of_data;
    for (float& value : own) value *= unit;
  }
  const Memory& target = is_bias ? bias_ : is_cell ? first_c_ : index == 0 ? x_ : first_h_;
  converted(settings_.stream,
            buffers_.at(floats({static_cast<std::int64_t>(own.size())}), own.data()), target);
}

void RecurrentProducts::poison_output() {
  constexpr int least_byte = 0x80;
  constexpr int not_a_number = 0xFF;
  for (const Memory* result : {&y_, &last_h_, &last_c_}) {
    if (!*result) continue;
    const Memory::desc format = result->get_desc();
    const bool bytes = api::data_type(format) == Memory::data_type::s8;
    std::memset(result->get_data_handle(), bytes ? least_byte : not_a_number, format.get_size());
  }
}

std::vector<float> RecurrentProducts::download() {
  check(dnnl_stream_wait(settings_.stream.get()), "could not wait for a stream");
  std::vector<float> values;
  const auto append = [&](const Memory& result) {
    const auto count = element_count(api::dims(result.get_desc()));
    std::vector<float> own(static_cast<std::size_t>(count));
    converted(settings_.stream, result, buffers_.at(floats({count}), own.data()));
    values.insert(values.end(), own.begin(), own.end());
    return own.size();
  };
  append(y_);
  if (!shape_.final) return values;
  append(last_h_);
  if (shape_.states() == 1) return values;
  const auto cells = static_cast<std::ptrdiff_t>(append(last_c_));
  if (settings_.context.integers()) {
    std::transform(values.end() - cells, values.end(), values.end() - cells, cell_in_steps);
  }
  return values;
}

}  // namespace benanza::onednn
