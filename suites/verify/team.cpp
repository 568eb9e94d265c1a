#include "suites/verify/team.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>

namespace benanza::verify {

Team::~Team() {
  ended_ = true;
  pieces_.fetch_add(1, std::memory_order_release);
  pieces_.notify_all();
}

void Team::in_parts(std::int64_t count, std::int64_t products, const Work& work) {
  constexpr std::int64_t alone = 1 << 20;
  if (products < alone || std::thread::hardware_concurrency() < 2) return work(0, count);
  if (others_.empty()) start();
  work_ = &work;
  count_ = count;
  working_.store(static_cast<std::int64_t>(others_.size()), std::memory_order_relaxed);
  pieces_.fetch_add(1, std::memory_order_release);
  pieces_.notify_all();
  do_part(0);
  for (std::int64_t left = 0; (left = working_.load(std::memory_order_acquire)) != 0;) {
    working_.wait(left, std::memory_order_acquire);
  }
}

void Team::start() {
  const auto size = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  for (std::int64_t part = 1; part < size; ++part) {
    others_.emplace_back([this, part] { take_part(part); });
  }
}

void Team::take_part(std::int64_t part) {
  for (std::uint32_t piece = 0;; ++piece) {
    pieces_.wait(piece, std::memory_order_acquire);
    if (ended_) return;
    do_part(part);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
  }
}

void Team::do_part(std::int64_t part) const {
  const auto parts = static_cast<std::int64_t>(others_.size()) + 1;
  (*work_)(count_ * part / parts, count_ * (part + 1) / parts);
}

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::chrono::milliseconds alone{1};
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next = 0;
  while (next < count && std::chrono::steady_clock::now() - begin < alone) work(next++);
  if (next >= count) return;
  std::mutex guard;
  std::exception_ptr first_error;
  const auto do_some = [&] {
    try {
      for (std::size_t i = 0; (i = next++) < count;) work(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!first_error) first_error = std::current_exception();
      next = count;
    }
  };
  {
    const std::size_t all =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count - next);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < all; ++i) others.emplace_back(do_some);
    do_some();
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace benanza::verify
