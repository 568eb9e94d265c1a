#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// The rows of "benchmarks" taken out of a results file as it is read: JSON text is cut, not
/// parsed.
class RowSplitter {
 public:
  /// Texts of complete rows, one after the other.
  struct Rows {
    std::string text;
    /// Where each ends.
    std::vector<std::size_t> ends;
  };

  /// The next part of the file.
  void feed(std::string_view part);
  /// The complete rows that were not taken yet.
  Rows take();

  /// The file without its rows, each of them replaced by 0: JSON where the file is JSON.
  const std::string& skeleton() const { return skeleton_; }
  /// The skeleton up to the first row, its brackets closed; empty while there was no row.
  const std::string& head() const { return head_; }
  /// Rows so far, the taken ones included.
  std::size_t count() const { return count_; }

 private:
  bool opens_rows() const;

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
