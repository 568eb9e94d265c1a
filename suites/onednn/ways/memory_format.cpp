#include "suites/onednn/ways/memory_format.h"

#include <list>
#include <sstream>
#include <stdexcept>
#include <string>

#include "core/problem/text.h"
#include "suites/onednn/api/library_call.h"

namespace benanza::onednn {
namespace {

/// The strides of the axes longer than 1; all others have no meaning.
Dims meaningful_strides(const Memory::desc& format) {
  const Dims dims = api::dims(format);
  const Dims all = api::blocking(format).strides;
  Dims strides;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] > 1) strides.push_back(all[axis]);
  }
  return strides;
}

/// The format by strides alone, where its blocks follow each other without other elements between
/// them: channels in blocks, of images of one pixel. Otherwise unchanged.
Memory::desc without_blocks(const Memory::desc& format) {
  const api::Blocking blocking = api::blocking(format);
  if (blocking.blocks.size() != 1) return format;
  const std::int64_t block = blocking.blocks.front();
  const auto axis = static_cast<std::size_t>(blocking.blocked_axes.front());
  const Dims dims = api::dims(format);
  Dims strides = blocking.strides;
  if (strides[axis] != block || dims[axis] % block != 0) return format;
  strides[axis] = 1;
  return {dims, api::data_type(format), strides};
}

bool same_order(const Memory::desc& first, const Memory::desc& second) {
  const Memory::desc a = without_blocks(first);
  const Memory::desc b = without_blocks(second);
  return api::dims(a) == api::dims(b) && meaningful_strides(a) == meaningful_strides(b) &&
         api::blocking(a).blocks.empty() && api::blocking(b).blocks.empty();
}

std::string name_of(const Memory::desc& format) {
  const api::Blocking blocking = api::blocking(format);
  std::string name = join(api::dims(format), 'x') + ":s" + join(meaningful_strides(format), '.');
  if (!blocking.blocks.empty()) {
    name += ":b" + join(blocking.blocks, '.') + ":a" + join(blocking.blocked_axes, '.');
  }
  return name;
}

const Formats& formats_of(const harness::MemoryFormat& format) {
  const auto* formats = std::any_cast<Formats>(&format.description);
  if (formats == nullptr) {
    throw harness::Unsupported("oneDNN has no reorder to or from the format " + format.name);
  }
  return *formats;
}

/// The problem's own order, in the type of the library's tensor.
Memory::desc row_major(const Formats& formats) {
  return {api::dims(formats.values), api::data_type(formats.in_library),
          api::blocking(formats.values).strides};
}

/// The tensor in blocks of that name, of which the formats are a part's: more blocks of the same.
Formats whole_of(const Formats& part, const std::string& name) {
  using Tag = Memory::format_tag;
  std::istringstream extents(name.substr(0, name.find(':')));
  Dims dims;
  for (std::string extent; std::getline(extents, extent, 'x');) dims.push_back(std::stoll(extent));
  for (const Tag tag : {Tag::aBcd16b, Tag::aBcd8b, Tag::aBcde16b, Tag::aBcde8b, Tag::aBc16b,
                        Tag::aBc8b, Tag::aBcd4b}) {
    const Memory::desc whole(dims, api::data_type(part.in_library), tag, true);
    if (whole.get_size() == 0 || name_of(whole) != name) continue;
    return {whole, Memory::desc(dims, api::data_type(part.values), dense_strides(dims))};
  }
  throw harness::Unsupported("oneDNN has no format tag of " + name);
}

class Conversion final : public harness::BareCall {
 public:
  Conversion(const dnnl::engine& engine, const dnnl::stream& stream)
      : engine_(engine), stream_(stream) {}

  Memory memory(const Memory::desc& format, std::byte* place) {
    return place == nullptr ? Memory(format, engine_) : Memory(format, engine_, place);
  }
  void add(const Memory& from, const Memory& to) {
    reorders_.push_back({dnnl::reorder(from, to), from, to});
  }

  void run() override {
    library_call("a reorder", [&] {
      for (Reorder& one : reorders_) one.call.execute(stream_, one.from, one.to);
    });
  }

 private:
  struct Reorder {
    dnnl::reorder call;
    Memory from;
    Memory to;
  };

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::list<Reorder> reorders_;
};

}  // namespace

harness::MemoryFormat memory_format(const Formats& formats) {
  if (!api::is_blocked(formats.in_library)) return {.name = "packed"};
  const bool own = same_order(formats.in_library, formats.values);
  return {.name = own ? "" : name_of(formats.in_library), .description = formats};
}

harness::MemoryFormat rearranged_format(const Formats& formats) {
  return {.name = "rearranged:" + join(api::dims(formats.in_library), 'x')};
}

std::unique_ptr<harness::Primitive> make_conversion(
    const dnnl::engine& engine, const dnnl::stream& stream, const harness::MemoryFormat& from,
    std::byte* source, const harness::MemoryFormat& to, std::byte* target) {
  if (from.name.empty() && to.name.empty()) {
    throw std::logic_error("a conversion between equal formats");
  }
  return library_call("a reorder between formats", [&] {
    auto made = std::make_unique<Conversion>(engine, stream);
    if (from.name.empty()) {
      const Formats& wanted = formats_of(to);
      made->add(made->memory(row_major(wanted), source), made->memory(wanted.in_library, target));
      return made;
    }
    const Formats& known = formats_of(from);
    const bool is_part = name_of(known.in_library) != from.name;
    const Formats given = is_part ? whole_of(known, from.name) : known;
    const Memory first = made->memory(given.in_library, source);
    if (to.name.empty()) {
      made->add(first, made->memory(row_major(given), target));
      return made;
    }
    const Formats& wanted = formats_of(to);
    const Memory last = made->memory(wanted.in_library, target);
    if (same_order(given.values, wanted.values)) {
      made->add(first, last);
      return made;
    }
    const Memory between = made->memory(row_major(given), nullptr);
    made->add(first, between);
    made->add(made->memory(row_major(wanted), static_cast<std::byte*>(between.get_data_handle())),
              last);
    return made;
  });
}

}  // namespace benanza::onednn
