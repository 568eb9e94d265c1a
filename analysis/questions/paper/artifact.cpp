#include "analysis/questions/paper/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "analysis/render/svg.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

/// "Speed-up by layer fusion, fp32" -> "speed_up_by_layer_fusion_fp32"; of a long title the first
/// words.
std::string file_name(std::string_view title) {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : title) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (name.size() > longest) name.resize(std::min(longest, name.find_last_of('_', longest)));
  while (name.ends_with('_')) name.pop_back();
  return name;
}

std::string csv_of(const Sheet& sheet) {
  Section section{.csv_facts = {}};
  section.csv = sheet;
  Page page{.command = "paper"};
  page.sections.push_back(std::move(section));
  return page_csv(page);
}

/// Files of a folder; remove_others() deletes .csv and .svg files not written.
class FileSet {
 public:
  explicit FileSet(fs::path folder) : folder_(std::move(folder)) { make_directories(folder_); }
  void write(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    written_.insert(name);
  }
  void remove_others() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      const bool is_ours = name.ends_with(".csv") || name.ends_with(".svg");
      if (is_ours && !written_.contains(name)) fs::remove(entry.path());
    }
  }

 private:
  fs::path folder_;
  std::set<std::string> written_;
};

}  // namespace

void write_paper(const Study& study, const std::string& title, const fs::path& folder) {
  std::vector<Chapter> all = chapters();
  std::ranges::stable_sort(all, {}, &Chapter::place);
  Page page{
      .command = "paper", .systems = study.inputs.results.systems, .note = study.inputs.left_out};
  const std::string caption = conditions(study);
  for (const Chapter& chapter : all) {
    std::optional<Section> section = chapter.section(study);
    if (!section) continue;
    section->heading = chapter.title;
    if (section->plot_caption.empty()) section->plot_caption = caption;
    page.sections.push_back(*std::move(section));
  }
  if (page.sections.empty()) throw Error("paper: no chapter has data for these models");

  make_directories(folder);
  FileSet tables(folder / "tables");
  FileSet figures(folder / "figures");
  int number = 0;
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      std::visit(
          [&]<class T>(const T& one) {
            if constexpr (std::is_same_v<T, Sheet>) {
              if (!one.name.empty()) tables.write(one.name + ".csv", csv_of(one));
            } else if constexpr (requires { svg_file(one, section.plot_caption); }) {
              const std::string picture = svg_file(one, section.plot_caption);
              if (!picture.empty()) {
                figures.write(fmt::format("{:02}_{}.svg", ++number, file_name(one.title)), picture);
              }
            }
          },
          block);
    }
  }
  tables.remove_others();
  figures.remove_others();
  write_file(folder / "index.html", page_html(page, title));
}

}  // namespace benanza::analysis
