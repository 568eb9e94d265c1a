#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/onednn/api/api.h"
#include "suites/onednn/api/implementation.h"
#include "suites/onednn/api/variant_context.h"

namespace benanza::onednn {

/// Post-ops, of which some read tensors.
class Chain {
 public:
  /// Adds the result's previous contents.
  Chain& sum();
  Chain& eltwise(dnnl::algorithm function, float alpha = 0, float beta = 0);
  Chain& binary(dnnl::algorithm function, const Memory::desc& tensor);

  const dnnl::post_ops& operations() const { return operations_; }
  /// The arguments (DNNL_ARG_*) of binary()'s tensors, in their order.
  const std::vector<int>& tensors() const { return tensors_; }

 private:
  dnnl::post_ops operations_;
  std::vector<int> tensors_;
};

/// A primitive that a list calls any number of times.
struct ListedCall {
  ListedCall(const Implementation& implementation, const Chain& chain = {},
             std::vector<Constant> constants = {});

  dnnl::primitive primitive;
  Memory::desc weights;
  Memory::desc scratch;
  std::vector<int> tensors;
  std::vector<Constant> constants;
};

/// Calls one after the other, which share scratch memory.
class CallList {
 public:
  explicit CallList(const dnnl::engine& engine) : engine_(engine) {}

  /// `tensors` are those of the call's chain.
  void add(const ListedCall& call, const std::vector<std::pair<int, Memory>>& arguments,
           const std::vector<Memory>& tensors = {});

  std::int64_t scratch_bytes() const;
  /// After the last add(). Null: memory of its own.
  void take_scratch(std::byte* given);

  std::size_t size() const { return entries_.size(); }
  void run(const dnnl::stream& stream) const;

 private:
  struct Entry {
    dnnl::primitive primitive;
    Memory::desc scratch;
    /// Keeps what the arguments refer to.
    std::vector<Memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  static void give(Entry& entry, int id, const Memory& memory);

  dnnl::engine engine_;
  std::vector<Entry> entries_;
  Memory scratch_;
};

/// The calls of a recurrence as products and elementwise calls. Gates are fp32 and keep the
/// problem's order, in which those with a sigmoid come first. With one sequence the gates of a step
/// follow each other, and those with the same function are one product; with more, each gate of all
/// sequences is a matrix of its own, because the library's elementwise calls are slow on others.
class CellCalls {
 public:
  /// Throws Unsupported. Products are of the library's implementation of this name wherever it
  /// offers one.
  CellCalls(const Recurrent& shape, const VariantContext& context, std::string implementation);

  /// The implementations that a state's products have, the library's first choice first.
  static std::vector<std::string> implementations(const Recurrent& shape,
                                                  const VariantContext& context);

  bool gates_together() const { return shape_.batch == 1; }
  std::int64_t sigmoid_gates() const;
  /// batch x hidden.
  Memory::desc state() const;
  Memory::desc cell() const;
  /// Weights of `inputs` columns and a row for each of `gates` gates' hidden units.
  ListedCall of_input(std::int64_t inputs) const;
  /// Gates with a sigmoid: adds the state's product to their input's.
  const ListedCall& of_sigmoids();
  /// The last gate. lstm: adds to its input's product, and reads the input gate: the product of the
  /// two. gru: reads the recurrent bias (if linear before reset and there is one), the reset gate
  /// (if linear before reset), then its input's product. rnn: reads its input's product.
  const ListedCall& of_last();
  /// lstm's state of the forget gate and the cell; reads the last gate and the output gate.
  const ListedCall& lstm_state();
  /// lstm's cell of the cell and the forget gate; reads the last gate.
  const ListedCall& lstm_cell();
  /// gru's state of the state and the last gate; reads the update gate and the last gate.
  const ListedCall& gru_state();
  /// gru: the state times the reset gate.
  const ListedCall& reset_state();
  ListedCall copy(const Memory::desc& from, const Memory::desc& to) const;

 private:
  /// Each is made when it is first asked for: all steps share its code.
  using Once = std::optional<ListedCall>;
  Chain chain_of_last() const;
  Implementation product(std::int64_t rows, std::int64_t inputs, std::int64_t columns,
                         const Memory::desc& result, const Chain& chain,
                         std::vector<Constant>& constants) const;
  ListedCall listed_product(std::int64_t rows, std::int64_t inputs, std::int64_t columns,
                            const Memory::desc& result, const Chain& chain) const;
  ListedCall binary(dnnl::algorithm function, const Memory::desc& first, const Memory::desc& second,
                    const Memory::desc& result, const Chain& chain) const;
  /// Gates that one product has.
  std::int64_t gates_of(std::int64_t gates) const { return gates_together() ? gates : 1; }

  Recurrent shape_;
  VariantContext context_;
  std::string implementation_;
  Once of_sigmoids_;
  Once of_last_;
  Once lstm_state_;
  Once lstm_cell_;
  Once gru_state_;
  Once reset_state_;
};

}  // namespace benanza::onednn
