#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace benanza::record {

/// Buffers that CUPTI fills: never more than `most`, each of `bytes`. For several threads at once.
class Buffers {
 public:
  Buffers(std::size_t bytes, std::size_t most) : bytes_(bytes), most_(most) {}

  std::size_t bytes() const { return bytes_; }
  /// Null where all are being filled or read: CUPTI then drops records, and says how many.
  std::uint8_t* take();
  /// One that take() gave.
  void give_back(std::uint8_t* buffer);
  std::size_t allocated() const;

 private:
  const std::size_t bytes_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t[]>> all_;
  std::vector<std::uint8_t*> free_;
};

}  // namespace benanza::record
