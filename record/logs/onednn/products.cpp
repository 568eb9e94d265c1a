// Convolutions and products, forward and backward.
#include <algorithm>

#include "record/logs/onednn/problems.h"

namespace benanza::record::onednn {
namespace {

using Numbers = std::map<std::string, double>;

/// The problem is the same whatever their values are.
void take_any(const CallFields& call, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) static_cast<void>(call.auxiliary(name));
}

std::int64_t number(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  if (found == numbers.end()) throw std::invalid_argument("\"" + name + "\" is missing");
  return static_cast<std::int64_t>(found->second);
}

/// A window as logged, "ih56oh56kh3sh1dh0ph1_iw56...", with the extents of input and output.
struct Windowed {
  Dims input{};
  Dims output{};
  Window window{};
  Dims begins{};
};

Windowed read_window(const Numbers& numbers) {
  Windowed read;
  for (const std::string axis : {"d", "h", "w"}) {
    if (!numbers.contains("i" + axis)) continue;
    read.input.push_back(number(numbers, "i" + axis));
    read.output.push_back(number(numbers, "o" + axis));
    read.window.kernel.push_back(number(numbers, "k" + axis));
    read.window.strides.push_back(number(numbers, "s" + axis));
    // Version 2.0 prints no dilations for pooling.
    read.window.dilations.push_back(numbers.contains("d" + axis) ? number(numbers, "d" + axis) + 1
                                                                 : 1);
    read.begins.push_back(number(numbers, "p" + axis));
  }
  if (read.input.empty()) throw std::invalid_argument("no spatial axis");
  return read;
}

/// Begin and end pads. The log omits the end pads: the same as the begin pads if that gives the
/// output's extents, otherwise the smallest that do.
Dims forward_pads(const Windowed& read) {
  Dims pads = read.begins;
  for (std::size_t axis = 0; axis < read.input.size(); ++axis) {
    const Window& window = read.window;
    const std::int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t begin = read.begins[axis];
    if (window.strides[axis] < 1) throw std::invalid_argument("a stride below 1");
    const std::int64_t even = read.input[axis] + 2 * begin - reach;
    const bool fits = even >= 0 && even / window.strides[axis] + 1 == read.output[axis];
    const std::int64_t least =
        (read.output[axis] - 1) * window.strides[axis] + reach - read.input[axis] - begin;
    pads.push_back(fits ? begin : std::max<std::int64_t>(least, 0));
  }
  return pads;
}

/// The pads of the transposed convolution from `from` pixels to `to`.
Dims transposed_pads(const Windowed& read, const Dims& from, const Dims& to) {
  Dims pads = read.begins;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    const Window& window = read.window;
    const std::int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    pads.push_back((from[axis] - 1) * window.strides[axis] + reach - to[axis] - read.begins[axis]);
  }
  return pads;
}

Dims with_channels(std::int64_t batch, std::int64_t channels, const Dims& pixels) {
  Dims dims{batch, channels};
  dims.insert(dims.end(), pixels.begin(), pixels.end());
  return dims;
}

/// True if a matrix's last two axes are swapped in memory; blocked formats are the library's own.
bool is_transposed(const TensorText* tensor, std::size_t rank) {
  if (tensor == nullptr || rank < 2 || tensor->tag.size() != rank) return false;
  const auto last = static_cast<char>('a' + rank - 1);
  const std::size_t rows = tensor->tag.find(static_cast<char>(last - 1));
  const std::size_t columns = tensor->tag.find(last);
  return rows != std::string::npos && columns != std::string::npos && columns < rows;
}

bool is_blocked(const TensorText* tensor) {
  return tensor != nullptr && std::ranges::any_of(tensor->tag, [](unsigned char letter) {
           return letter >= 'A' && letter <= 'Z';
         });
}

Problem of_source(Problem problem, const CallFields& call) {
  const TensorText* const source = call.tensor({"src"});
  return with_unsigned_data(std::move(problem), source != nullptr && source->type == "u8");
}

Problem with_bias(Problem problem, const CallFields& call) {
  problem = of_source(std::move(problem), call);
  problem.epilogue.bias = call.tensor({"bia", "bias"}) != nullptr;
  return with_post_operations(std::move(problem), call);
}

}  // namespace

Problems convolution_problems(const CallFields& call) {
  take_any(call, {"alg"});
  const Numbers numbers = call.numbers_of_problem();
  Windowed read = read_window(numbers);
  const std::int64_t batch = number(numbers, "mb");
  const std::int64_t channels = number(numbers, "ic");
  const std::int64_t filters = number(numbers, "oc");
  const std::int64_t groups = numbers.contains("g") ? number(numbers, "g") : 1;
  if (call.text.prop_kind == "backward_data") {
    read.window.pads = transposed_pads(read, read.output, read.input);
    return {with_post_operations({Deconvolution{.input = with_channels(batch, filters, read.output),
                                                .filters = channels,
                                                .window = read.window,
                                                .groups = groups},
                                  {}},
                                 call)};
  }
  read.window.pads = forward_pads(read);
  const Convolution forward{.input = with_channels(batch, channels, read.input),
                            .filters = filters,
                            .window = read.window,
                            .groups = groups};
  if (call.text.prop_kind == "backward_weights") {
    const bool bias = call.tensor({"bia", "bias"}) != nullptr;
    return {{ConvolutionFilterGradient{.forward = forward, .bias = bias}, {}}};
  }
  if (call.is_backward()) throw Unsaid(call.text.prop_kind);
  return {with_bias({forward, {}}, call)};
}

Problems deconvolution_problems(const CallFields& call) {
  take_any(call, {"alg"});
  const Numbers numbers = call.numbers_of_problem();
  Windowed read = read_window(numbers);
  const std::int64_t batch = number(numbers, "mb");
  const std::int64_t groups = numbers.contains("g") ? number(numbers, "g") : 1;
  if (call.text.prop_kind == "backward_data") {
    // The data gradient is a convolution of the output's gradient.
    std::swap(read.input, read.output);
    read.window.pads = forward_pads(read);
    return {{Convolution{.input = with_channels(batch, number(numbers, "oc"), read.input),
                         .filters = number(numbers, "ic"),
                         .window = read.window,
                         .groups = groups},
             {}}};
  }
  if (call.is_backward()) throw Unsaid("the weights' gradient of a deconvolution");
  read.window.pads = transposed_pads(read, read.input, read.output);
  return {with_bias({Deconvolution{.input = with_channels(batch, number(numbers, "ic"), read.input),
                                   .filters = number(numbers, "oc"),
                                   .window = read.window,
                                   .groups = groups},
                     {}},
                    call)};
}

Problems inner_product_problems(const CallFields& call) {
  const Numbers numbers = call.numbers_of_problem();
  const std::int64_t rows = number(numbers, "mb");
  const std::int64_t columns = number(numbers, "oc");
  std::int64_t inputs = number(numbers, "ic");
  for (const std::string axis : {"id", "ih", "iw"}) {
    if (numbers.contains(axis)) inputs *= number(numbers, axis);
  }
  // The weights are columns x inputs.
  const bool swapped = is_transposed(call.tensor({"wei", "diff_wei"}), 2);
  if (call.text.prop_kind == "backward_data") {
    return {{Gemm{.m = rows,
                  .n = inputs,
                  .k = columns,
                  .transpose_b = swapped,
                  .batch_a = {},
                  .batch_b = {}},
             {}}};
  }
  if (call.text.prop_kind == "backward_weights") {
    Problems problems{{Gemm{.m = columns,
                            .n = inputs,
                            .k = rows,
                            .transpose_a = true,
                            .batch_a = {},
                            .batch_b = {}},
                       {}}};
    if (call.tensor({"bia", "bias"}) != nullptr) {
      problems.push_back({Reduction{ReductionKind::sum, {rows, columns}, {0}}, {}});
    }
    return problems;
  }
  const bool constant = call.text.prop_kind == "forward_inference";
  return {with_bias({Gemm{.m = rows,
                          .n = columns,
                          .k = inputs,
                          .transpose_b = !swapped,
                          .batch_a = {},
                          .batch_b = {},
                          .constant_b = constant},
                     {}},
                    call)};
}

Problems matmul_problems(const CallFields& call) {
  take_any(call, {"runtime_dims_masks"});
  const std::vector<Dims> dims = call.tensors_of_problem();
  if (dims.size() < 2 || dims[0].size() < 2 || dims[0].size() != dims[1].size()) {
    throw std::invalid_argument("\"" + call.text.problem + "\" is no product of two matrices");
  }
  const Dims& a = dims[0];
  const Dims& b = dims[1];
  const std::size_t rank = a.size();
  Gemm gemm{.m = a[rank - 2],
            .n = b[rank - 1],
            .k = a[rank - 1],
            .transpose_a = is_transposed(call.tensor({"src"}), rank),
            .transpose_b = is_transposed(call.tensor({"wei"}), rank),
            .batch_a = {},
            .batch_b = {},
            // Only a weight is worth storing in a library's own format.
            .constant_b = is_blocked(call.tensor({"wei"}))};
  if (b[rank - 2] != gemm.k) throw std::invalid_argument("the matrices do not fit");
  if (rank > 2) {
    gemm.batch_a.assign(a.begin(), a.end() - 2);
    gemm.batch_b.assign(b.begin(), b.end() - 2);
  }
  const TensorText* bias = call.tensor({"bia", "bias"});
  Problem problem = of_source({gemm, {}}, call);
  if (bias == nullptr) return {with_post_operations(std::move(problem), call)};
  // "f0_mask2": a mask of the axes that the bias has.
  const std::size_t at = call.text.memory.find("_mask");
  const std::uint64_t last = std::uint64_t{1} << (rank - 1);
  const std::uint64_t mask =
      at == std::string::npos ? last : std::stoull(call.text.memory.substr(at + 5));
  if (mask == last) return {with_bias(std::move(problem), call)};
  Dims y = output(problem);
  for (std::size_t axis = 0; axis < y.size(); ++axis) {
    if ((mask >> axis & 1) == 0) y[axis] = 1;
  }
  return {
      with_post_operations(with_step(std::move(problem), Combine{.y = y, .constant = true}), call)};
}

Problems pooling_problems(const CallFields& call) {
  const Numbers numbers = call.numbers_of_problem();
  Windowed read = read_window(numbers);
  read.window.pads = forward_pads(read);
  const std::string algorithm = call.auxiliary("alg").value_or("");
  PoolingMode mode = PoolingMode::average_exclude_pad;
  if (algorithm == "pooling_max") {
    mode = PoolingMode::max;
  } else if (algorithm == "pooling_avg_include_padding" && read.window.has_padding()) {
    mode = PoolingMode::average_include_pad;
  } else if (!algorithm.starts_with("pooling_avg")) {
    throw Unsaid(algorithm);
  }
  const Pooling forward{
      .input = with_channels(number(numbers, "mb"), number(numbers, "ic"), read.input),
      .window = read.window,
      .mode = mode};
  if (call.is_backward()) return {{PoolingGradient{forward}, {}}};
  return {with_post_operations({forward, {}}, call)};
}

Problems resampling_problems(const CallFields& call) {
  if (call.is_backward()) throw Unsaid("the gradient of a resampling");
  const Numbers numbers = call.numbers_of_problem();
  Dims input{number(numbers, "mb"), number(numbers, "ic")};
  Dims extents;
  for (const std::string axis : {"d", "h", "w"}) {
    if (!numbers.contains("i" + axis)) continue;
    input.push_back(number(numbers, "i" + axis));
    extents.push_back(number(numbers, "o" + axis));
  }
  const bool linear = call.auxiliary("alg").value_or("") == "resampling_linear";
  return {with_post_operations(
      {Resampling{.input = input,
                  .extents = extents,
                  .mode = linear ? ResamplingMode::linear : ResamplingMode::nearest},
       {}},
      call)};
}

Problems rnn_problems(const CallFields& call) {
  if (call.is_backward()) throw Unsaid("the gradient of a recurrent network");
  const Numbers numbers = call.numbers_of_problem();
  const std::string cell = call.auxiliary("alg").value_or("");
  const std::string activation = call.auxiliary("activation").value_or("");
  const std::string direction = call.auxiliary("direction").value_or("");
  take_any(call, {"flags"});
  Recurrent shape{.steps = number(numbers, "t"),
                  .batch = number(numbers, "mb"),
                  .input_size = number(numbers, "slc"),
                  .hidden = number(numbers, "dhc"),
                  .layers = number(numbers, "l"),
                  .bias = call.has("bias"),
                  .initial = call.has("src_iter"),
                  .final = call.has("dst_iter")};
  if (cell == "vanilla_lstm") {
    shape.kind = RecurrentKind::lstm;
  } else if (cell == "vanilla_gru" || cell == "lbr_gru") {
    shape.kind = RecurrentKind::gru;
    shape.linear_before_reset = cell == "lbr_gru";
  } else if (cell == "vanilla_rnn" && activation == "eltwise_tanh") {
    shape.kind = RecurrentKind::rnn_tanh;
  } else if (cell == "vanilla_rnn" && activation == "eltwise_relu") {
    shape.kind = RecurrentKind::rnn_relu;
  } else {
    throw Unsaid(cell);
  }
  if (direction == "bidirectional_concat") {
    shape.direction = RecurrentDirection::bidirectional;
  } else if (direction == "unidirectional_right2left") {
    shape.direction = RecurrentDirection::reverse;
  } else if (direction != "unidirectional_left2right") {
    throw Unsaid(direction);
  }
  return {{shape, {}}};
}

}  // namespace benanza::record::onednn
