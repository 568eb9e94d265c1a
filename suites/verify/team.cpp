#include "suites/verify/team.h"

#include <algorithm>

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

}  // namespace benanza::verify
