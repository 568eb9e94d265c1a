#include "suites/onednn/ways/call_list.h"

#include <algorithm>
#include <stdexcept>

#include "suites/onednn/api/library_call.h"
#include "suites/onednn/api/variant_context.h"

namespace benanza::onednn {

Chain& Chain::sum() {
  operations_.append_sum();
  return *this;
}

Chain& Chain::eltwise(dnnl::algorithm function, float alpha, float beta) {
  api::append_eltwise(operations_, function, alpha, beta);
  return *this;
}

Chain& Chain::binary(dnnl::algorithm function, const Memory::desc& tensor) {
  tensors_.push_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations_.len()) | DNNL_ARG_SRC_1);
  operations_.append_binary(function, tensor);
  return *this;
}

ListedCall::ListedCall(const Implementation& implementation, const Chain& chain,
                       std::vector<Constant> constant_arguments)
    : primitive(library_call("creation of a primitive",
                             [&] { return dnnl::primitive(implementation.current().get()); })),
      weights(implementation.current().query_md(dnnl::query::exec_arg_md, DNNL_ARG_WEIGHTS)),
      scratch(implementation.current().scratchpad_desc()),
      tensors(chain.tensors()),
      constants(std::move(constant_arguments)) {}

void CallList::give(Entry& entry, int id, const Memory& memory) {
  entry.memories.push_back(memory);
  entry.arguments.push_back({id, memory.get()});
}

void CallList::add(const ListedCall& call, const std::vector<std::pair<int, Memory>>& arguments,
                   const std::vector<Memory>& tensors) {
  if (tensors.size() != call.tensors.size()) {
    throw std::logic_error("a call's post-ops read other tensors than it is given");
  }
  Entry entry{
      .primitive = call.primitive, .scratch = call.scratch, .memories = {}, .arguments = {}};
  for (const auto& [id, memory] : arguments) give(entry, id, memory);
  for (std::size_t i = 0; i < tensors.size(); ++i) give(entry, call.tensors[i], tensors[i]);
  for (const Constant& constant : call.constants) {
    const auto count = static_cast<std::int64_t>(constant.values.size());
    const Memory memory = library_call("memory", [&] { return Memory(floats({count}), engine_); });
    std::ranges::copy(constant.values, static_cast<float*>(memory.get_data_handle()));
    give(entry, constant.id, memory);
  }
  entries_.push_back(std::move(entry));
}

std::int64_t CallList::scratch_bytes() const {
  std::size_t most = 0;
  for (const Entry& entry : entries_) most = std::max(most, entry.scratch.get_size());
  return static_cast<std::int64_t>(most);
}

void CallList::take_scratch(std::byte* given) {
  const std::int64_t bytes = scratch_bytes();
  if (bytes == 0) return;
  library_call("memory", [&] {
    const Memory::desc all({bytes}, Memory::data_type::u8, Dims{1});
    scratch_ = given == nullptr ? Memory(all, engine_) : Memory(all, engine_, given);
    for (Entry& entry : entries_) {
      if (entry.scratch.get_size() == 0) continue;
      give(entry, DNNL_ARG_SCRATCHPAD, Memory(entry.scratch, engine_, scratch_.get_data_handle()));
    }
  });
}

void CallList::run(const dnnl::stream& stream) const {
  for (const Entry& entry : entries_) {
    check(dnnl_primitive_execute(entry.primitive.get(), stream.get(),
                                 static_cast<int>(entry.arguments.size()), entry.arguments.data()),
          "could not execute a primitive");
  }
}

}  // namespace benanza::onednn
