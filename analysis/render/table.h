#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "analysis/render/page.h"

namespace benanza::analysis {

namespace detail {
template <class T>
inline constexpr bool is_count = std::integral<T> && !std::same_as<T, bool>;
template <class T>
inline constexpr bool is_count<std::optional<T>> = is_count<T>;
}  // namespace detail

/// A column of a table of `Row`: what it is called, and which member of a row it shows. `Member` is
/// a pointer to a member or a function of a row.
template <class Row>
struct Column {
  Sheet::Column head;
  std::function<Cell(const Row&)> cell_of;

  /// Of values that cell() knows.
  template <std::invocable<const Row&> Member>
  Column(std::string title, std::string name, Member member, std::size_t width = usual_width)
      : head{std::move(title), std::move(name), is_count<Member>, width},
        cell_of([member = std::move(member)](const Row& row) {
          return cell(std::invoke(member, row));
        }) {}

  /// Of numbers; a Cell is shown as it is.
  template <std::invocable<const Row&> Member>
  Column(std::string title, std::string name, const Unit& unit, Member member)
      : head{std::move(title), std::move(name), true},
        cell_of([member = std::move(member), unit](const Row& row) {
          if constexpr (std::same_as<Result<Member>, Cell>) {
            return std::invoke(member, row);
          } else {
            return cell(std::invoke(member, row), unit);
          }
        }) {}

 private:
  template <class Member>
  using Result = std::remove_cvref_t<std::invoke_result_t<const Member&, const Row&>>;
  template <class Member>
  static constexpr bool is_count = detail::is_count<Result<Member>>;
};

/// A fact is a column, said once: text, JSON, CSV, HTML and Markdown come from it.
template <class Row>
class Table {
 public:
  Table(std::initializer_list<Column<Row>> columns) : columns_(columns) {}

  void add(Column<Row> column) { columns_.push_back(std::move(column)); }
  /// Columns that only some answers have.
  void add_if(bool has_them, std::initializer_list<Column<Row>> columns) {
    if (has_them) columns_.insert(columns_.end(), columns);
  }

  /// `about` with the columns, and a row for each of `rows`.
  template <class Rows>
  Sheet sheet(const Rows& rows, Sheet about = {}) const {
    for (const Column<Row>& column : columns_) about.columns.push_back(column.head);
    for (const Row& row : rows) {
      std::vector<Cell>& cells = about.rows.emplace_back();
      for (const Column<Row>& column : columns_) cells.push_back(column.cell_of(row));
    }
    return about;
  }

  /// A list of objects; columns without a name are left out.
  template <class Rows>
  nlohmann::ordered_json json(const Rows& rows) const {
    return rows_json(sheet(rows));
  }

 private:
  std::vector<Column<Row>> columns_;
};

/// `about` with a category for each of `rows`, and their `values` in its series.
template <class Rows, class Name, class... Value>
Bars bars(Bars about, const Rows& rows, Name name, Value... values) {
  for (const auto& row : rows) {
    about.categories.push_back(std::invoke(name, row));
    auto series = about.series.begin();
    ((series++)->values.push_back(std::invoke(values, row)), ...);
  }
  return about;
}

}  // namespace benanza::analysis
