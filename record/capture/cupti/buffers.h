#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace benanza::record {

/// Activity buffers for CUPTI: at most `most`, each of `bytes`. Thread-safe.
class Buffers {
 public:
  Buffers(std::size_t bytes, std::size_t most) : bytes_(bytes), most_(most) {}

  std::size_t bytes() const { return bytes_; }
  /// Returns null if all buffers are in use: CUPTI then drops records and counts them.
  std::uint8_t* take();
  /// Returns a buffer obtained from take().
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
