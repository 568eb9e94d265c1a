#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// Takes lines out of a stream that begin with one of some markers, wherever in a line they stand;
/// everything else passes in its order, byte by byte. It holds back at most one line of
/// `longest_line` bytes: what is longer passes.
class LineFilter {
 public:
  static constexpr std::size_t longest_line = 65536;
  /// Gets a line from its marker on, without its end. True: it is taken out.
  using TakeLine = std::function<bool(std::string_view line)>;
  using Pass = std::function<void(std::string_view bytes)>;

  LineFilter(std::vector<std::string_view> markers, TakeLine take, Pass pass);

  void feed(std::string_view bytes);
  /// Nothing came for a while: passes what may be the beginning of a marker, as of a prompt that
  /// waits for an answer.
  void idle();
  /// Passes what is held back.
  void end();

 private:
  struct Found {
    std::size_t at = std::string::npos;
    std::size_t length = 0;
  };
  Found find_marker(std::size_t from) const;
  /// Letters at the end of what is held that a marker may begin with.
  std::size_t open_end(std::size_t from) const;
  void pass(std::size_t from, std::size_t to);

  std::vector<std::string_view> markers_;
  TakeLine take_;
  Pass pass_;
  std::string held_;
};

}  // namespace benanza::record
