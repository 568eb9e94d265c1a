#include "record/store/journal.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace benanza {
namespace {

/// Pending bytes are written when they reach this size.
constexpr std::size_t full_bytes = std::size_t{1} << 18;
/// The most texts that have a number at a time.
constexpr std::size_t most_names = 1 << 15;
/// Longer texts are truncated: template names can have any length.
constexpr std::size_t longest_text = 1 << 14;
constexpr std::uint8_t name_kind = 0;

/// Calls `use` with a default event of the alternative with this number; false if there is none.
template <std::size_t At = 0, class Use>
bool with_event(std::size_t number, const Use& use) {
  if constexpr (At == std::variant_size_v<Event>) {
    return false;
  } else {
    if (number != At) return with_event<At + 1>(number, use);
    use(std::variant_alternative_t<At, Event>{});
    return true;
  }
}

template <class T>
bool take(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace

JournalWriter::JournalWriter(FileDescriptor file) : file_(std::move(file)) {
  pending_ = journal_magic;
}

std::uint32_t JournalWriter::number_of(std::string_view text) {
  text = text.substr(0, longest_text);
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  if (numbers_.size() >= most_names) numbers_.clear();
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  numbers_.emplace(text, number);
  put(static_cast<std::uint32_t>(sizeof name_kind + sizeof number + text.size()));
  put(name_kind);
  put(number);
  pending_ += text;
  return number;
}

void JournalWriter::add(const Event& event) {
  if (!is_good_) return;
  std::visit(
      [&](const auto& fields) {
        // Write the names' frames first: frames cannot be nested.
        std::uint32_t numbers[4]{};
        std::size_t texts = 0;
        std::size_t size = 1;
        fields.fields(fields, [&](const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string_view>) {
            size += sizeof numbers[0];
            numbers[texts++] = number_of(field);
          } else {
            size += sizeof field;
          }
        });
        put(static_cast<std::uint32_t>(size));
        put(static_cast<std::uint8_t>(event.index() + 1));
        texts = 0;
        fields.fields(fields, [&](const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string_view>) {
            put(numbers[texts++]);
          } else {
            put(field);
          }
        });
      },
      event);
  if (pending_.size() >= full_bytes) flush();
}

void JournalWriter::flush() noexcept {
  is_good_ = is_good_ && write_all(file_.get(), pending_);
  pending_.clear();
}

std::size_t JournalReader::feed(std::string_view bytes,
                                const std::function<void(const Event& event)>& use) {
  const std::size_t all = bytes.size();
  if (!has_begun_) {
    if (bytes.size() < journal_magic.size()) return 0;
    if (!bytes.starts_with(journal_magic)) throw Error("is no journal of this version");
    bytes.remove_prefix(journal_magic.size());
    has_begun_ = true;
  }
  while (true) {
    std::string_view rest = bytes;
    std::uint32_t size = 0;
    if (!take(rest, size) || rest.size() < size) break;
    bytes = rest.substr(size);
    rest = rest.substr(0, size);
    std::uint8_t kind = 0;
    bool whole = take(rest, kind);
    if (whole && kind == name_kind) {
      std::uint32_t number = 0;
      whole = take(rest, number);
      if (whole) names_.insert_or_assign(number, std::string(rest));
    } else if (whole) {
      whole = with_event(kind - 1u, [&](auto event) {
        bool good = true;
        event.fields(event, [&](auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string_view>) {
            std::uint32_t number = 0;
            good = take(rest, number) && good;
            const auto found = names_.find(number);
            if (found != names_.end()) field = found->second;
          } else {
            good = take(rest, field) && good;
          }
        });
        if (!good) throw Error("is damaged");
        use(Event(event));
      });
    }
    if (!whole) throw Error("is damaged");
  }
  return all - bytes.size();
}

}  // namespace benanza
