#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// Extracts the rows of "benchmarks" while a results file is read. It splits the JSON text without
/// parsing it.
class RowSplitter {
 public:
  /// Texts of complete rows, concatenated.
  struct Rows {
    std::string text;
    /// End offset of each row.
    std::vector<std::size_t> ends;
  };

  /// Adds the next part of the file.
  void feed(std::string_view part);
  /// Returns the complete rows not taken yet.
  Rows take();

  /// The file with each row replaced by 0; valid JSON if the file is.
  const std::string& skeleton() const { return skeleton_; }
  /// The skeleton up to the first row, with its brackets closed; empty before the first row.
  const std::string& head() const { return head_; }
  /// Rows so far, including those already taken.
  std::size_t count() const { return count_; }

 private:
  bool opens_rows() const;
  /// Goes on in a string at `at`. Returns where the text behind it begins, or the end of `part`.
  std::size_t behind_string(std::string_view part, std::size_t at);

  Rows rows_;
  std::string skeleton_;
  std::string head_;
  std::size_t count_ = 0;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool in_list_ = false;
  bool in_row_ = false;
};

}  // namespace benanza
