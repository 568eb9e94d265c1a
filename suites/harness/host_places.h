#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "suites/harness/shared_places.h"

namespace benanza::harness {

/// Places in the host's memory, which is taken when it is written to.
class HostPlaces {
 public:
  /// `bytes` for each place of data, and four times as many for scratch memory. Throws
  /// std::bad_alloc.
  explicit HostPlaces(std::int64_t bytes);

  SharedPlaces places() const;

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const noexcept;
  };
  using Region = std::unique_ptr<std::byte, Unmap>;
  static Region map(std::int64_t bytes);

  std::array<Region, 4> regions_;
};

}  // namespace benanza::harness
