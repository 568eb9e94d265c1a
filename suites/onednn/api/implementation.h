#pragma once

#include <dnnl.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace benanza::onednn {

/// One implementation that the library offers; most kinds of primitive can step to the next one.
class Implementation {
 public:
  /// A kind with one implementation.
  explicit Implementation(const dnnl::primitive_desc_base& descriptor) : current_(descriptor) {}
  /// A kind with a list of implementations. Keeps `operation`, from which the descriptor was made,
  /// because version 2 keeps reading it.
  Implementation(const dnnl::primitive_desc& descriptor, std::shared_ptr<const void> operation)
      : current_(descriptor), list_(descriptor), operation_(std::move(operation)) {}

  const dnnl::primitive_desc_base& current() const { return current_; }
  /// The library's name for it: "jit:avx2".
  std::string name() const { return current_.impl_info_str(); }
  /// Steps to the next implementation. Returns false and changes nothing after the last one.
  /// Earlier copies may step, too.
  bool next() {
    if (!list_ || !list_->next_impl()) return false;
    current_ = *list_;
    return true;
  }

 private:
  dnnl::primitive_desc_base current_;
  std::optional<dnnl::primitive_desc> list_;
  std::shared_ptr<const void> operation_;
};

}  // namespace benanza::onednn
