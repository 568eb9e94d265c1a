#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/harness/backend.h"
#include "suites/harness/operands.h"
#include "suites/onednn/api/api.h"
#include "suites/onednn/plans/cell_calls.h"
#include "suites/onednn/ways/implementations.h"
#include "suites/onednn/ways/planned_call.h"
#include "suites/onednn/ways/threads.h"

namespace benanza::onednn {

/// An operand of weights, packed in pieces for several products: consecutive rows of the operand's
/// floats, each for one column of a product.
class PackedRows {
 public:
  /// Adds a piece of which `format` is the packed form: inputs x rows. The pieces follow each other
  /// in the operand.
  void add(const Memory::desc& format) { formats_.push_back(format); }
  /// After the last add(): asks for the operand's place.
  void place(harness::Operands& places, std::size_t operand, const std::string& format_name,
             const dnnl::engine& engine);
  void upload(std::span<const float> values, const dnnl::stream& stream) const;
  const Memory& piece(std::size_t index) const { return pieces_.at(index); }

 private:
  std::vector<Memory::desc> formats_;
  std::vector<Memory> pieces_;
};

/// A reorder, which has ended when this returns.
void converted(const dnnl::stream& stream, const Memory& from, const Memory& to);

/// How a recurrence is called, beside the shape.
struct RecurrentSettings {
  VariantContext context;
  dnnl::stream stream;
  CellCalls calls;
  /// Of packed operands.
  std::string format_name;
  LeastWork least_work;
  std::optional<int> threads;
};

/// Memory beside the operands and results, zero at first.
class Buffers {
 public:
  explicit Buffers(dnnl::engine engine) : engine_(std::move(engine)) {}

  Memory at(const Memory::desc& format, void* place) const;
  /// Lives as long as this.
  Memory own(const Memory::desc& format);
  /// `format` from element `begin` on.
  Memory part(const Memory& whole, const Memory::desc& format, std::int64_t begin) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  dnnl::engine engine_;
  std::vector<Memory> owned_;
  std::int64_t bytes_ = 0;
};

/// A recurrence of inference: the product of the inputs of all steps, and for each step those of
/// the state and the elementwise calls.
class RecurrentProducts final : public JudgedCall {
 public:
  RecurrentProducts(const Recurrent& shape, RecurrentSettings settings, harness::Operands& places);

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  void run() override {
    const ThreadCount count(settings_.threads);
    list_.run(settings_.stream);
  }
  std::vector<float> download() override;
  std::int64_t workspace_bytes() const override { return buffers_.bytes() + list_.scratch_bytes(); }
  const LeastWork& least_work() const override { return settings_.least_work; }

 private:
  /// A step of a direction of a layer.
  struct Step {
    std::int64_t layer;
    std::int64_t direction;
    std::int64_t step;
    Memory h;
    Memory c;
    /// The results.
    Memory next_h;
    Memory next_c;
    bool is_last;
  };

  void place_weights(harness::Operands& places);
  void place_others(harness::Operands& places);
  void place_results(harness::Operands& places);
  void add_layer(std::int64_t layer);
  void add_inputs(std::int64_t layer);
  void add_steps(std::int64_t layer, std::int64_t direction);
  void add_step(const Step& step);
  void add_lstm_state(const Step& step);
  void add_gru_state(const Step& step);
  void add_concatenation();

  Memory::desc dense(const Dims& dims) const { return settings_.context.plain(dims); }
  std::int64_t directions() const { return shape_.directions(); }
  std::int64_t gates() const { return shape_.gates(); }
  std::int64_t cell(std::int64_t layer, std::int64_t direction) const {
    return layer * directions() + direction;
  }
  std::int64_t state_elements() const { return shape_.batch * shape_.hidden; }
  bool together() const { return settings_.calls.gates_together(); }
  bool has_recurrent_bias() const { return shape_.bias && shape_.linear_before_reset; }
  bool reorders_batch() const { return shape_.batch_first && shape_.batch > 1; }
  /// The argument of a step's gate, and later its value: batch x hidden; of several gates that are
  /// together, 1 x (gates hidden).
  Memory gate(const Step& step, std::int64_t first, std::int64_t count = 1) const;
  /// The weights of gate `first` of a cell, or of the product that begins with it.
  const Memory& recurrence(const Step& step, std::int64_t first) const;

  Recurrent shape_;
  RecurrentSettings settings_;
  Buffers buffers_;
  CallList list_;
  PackedRows weights_;
  PackedRows recurrence_;
  Memory x_;
  /// Of every gate; those of a state's product that come later follow.
  Memory bias_;
  Memory first_h_;
  Memory first_c_;
  Memory zeros_;
  Memory gates_;
  Memory candidate_;
  /// A layer's input: steps x batch x inputs.
  Memory input_;
  /// A layer's output: steps x directions x batch x hidden.
  Memory output_;
  Memory y_;
  Memory last_h_;
  Memory last_c_;
};

/// Ways to compute a recurrence of inference, which is faster for many shapes than the library's
/// own calls for it: the inputs of all steps are one product (one a gate for several sequences);
/// each step is a product with its state, or two, whose post-ops are the gates' functions, and one
/// or two elementwise calls. Named "products.brg:avx512_core", for the implementation of the
/// products, with `prefix` before it. Throws Unsupported if there is none.
std::vector<harness::Way> recurrent_product_ways(Library& library, const Recurrent& shape,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set,
                                                 const std::string& prefix);

}  // namespace benanza::onednn
