#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// Removes log lines from a stream, each from a marker, which may be anywhere in a line, to the end
/// of the line. All other bytes pass unchanged and in order. Holds back at most one line of
/// `longest_line` bytes; longer lines pass.
class LineFilter {
 public:
  static constexpr std::size_t longest_line = 65536;
  /// Receives a line from its marker on, without the line break. Returns true to remove it.
  using TakeLine = std::function<bool(std::string_view line)>;
  using Pass = std::function<void(std::string_view bytes)>;

  LineFilter(std::vector<std::string_view> markers, TakeLine take, Pass pass);

  void feed(std::string_view bytes);
  /// To be called when no input has arrived for a while: passes what may be the start of a marker,
  /// e.g. a prompt that waits for an answer.
  void idle();
  /// Passes all bytes held back.
  void end();

 private:
  struct Found {
    std::size_t at = std::string::npos;
    std::size_t length = 0;
  };
  Found find_marker(std::size_t from) const;
  /// The number of bytes at the end of `held_` that may be the start of a marker.
  std::size_t open_end(std::size_t from) const;
  void pass(std::size_t from, std::size_t to);

  std::vector<std::string_view> markers_;
  TakeLine take_;
  Pass pass_;
  std::string held_;
};

}  // namespace benanza::record
