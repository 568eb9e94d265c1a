#include "suites/harness/host_places.h"

#include <sys/mman.h>

#include <new>

namespace benanza::harness {

HostPlaces::HostPlaces(std::int64_t bytes)
    : regions_{map(bytes), map(bytes), map(bytes), map(4 * bytes)} {}

void HostPlaces::Unmap::operator()(std::byte* memory) const noexcept { ::munmap(memory, bytes); }

HostPlaces::Region HostPlaces::map(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return Region(static_cast<std::byte*>(memory), Unmap{size});
}

SharedPlaces HostPlaces::places() const {
  const auto span = [](const Region& region) {
    return std::span<std::byte>(region.get(), region.get_deleter().bytes);
  };
  return {{span(regions_[0]), span(regions_[1]), span(regions_[2])}, span(regions_[3])};
}

}  // namespace benanza::harness
