#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "suites/onednn/api/api.h"
#include "suites/onednn/api/implementation.h"

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

}  // namespace benanza::onednn
