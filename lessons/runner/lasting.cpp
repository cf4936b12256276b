#include "lessons/runner/lasting.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "interp/text/lexer.h"

namespace tl::lessons {

namespace {

// A view of `count` records that lie at `offset` of the library; empty where they do not.
template <class T>
std::span<const T> records(const std::string& library, std::uint64_t offset, std::uint64_t count) {
  if (offset > library.size() || count > (library.size() - offset) / sizeof(T)) return {};
  return {reinterpret_cast<const T*>(library.data() + offset), static_cast<std::size_t>(count)};
}

std::string_view text_at(const std::string& library, const Elf64_Shdr& strings, std::uint64_t at) {
  if (strings.sh_offset + at >= library.size()) return "";
  return library.c_str() + strings.sh_offset + at;
}

// tl::kernels::copy_kernel::operator()<...>(...) const::turn -> turn
std::string short_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                          &std::free);
  const std::string name = plain ? plain.get() : symbol;
  const std::string last = name.substr(name.rfind(':') + 1);
  return last.substr(0, last.find_first_of("[.("));
}

}  // namespace

std::optional<hostcc::Finding> lasting_variable(const std::string& library, const std::string& text) {
  const auto headers = records<Elf64_Ehdr>(library, 0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  const auto sections = records<Elf64_Shdr>(library, headers[0].e_shoff, headers[0].e_shnum);
  if (headers[0].e_shstrndx >= sections.size()) return std::nullopt;
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (const Elf64_Sym& s : records<Elf64_Sym>(library, table.sh_offset, table.sh_size / sizeof(Elf64_Sym))) {
      const int type = ELF64_ST_TYPE(s.st_info);
      if ((type != STT_OBJECT && type != STT_TLS) || s.st_size == 0 || s.st_shndx >= sections.size()) continue;
      const Elf64_Shdr& home = sections[s.st_shndx];
      const std::string_view place = text_at(library, sections[headers[0].e_shstrndx], home.sh_name);
      if (!(home.sh_flags & SHF_WRITE) || place.starts_with(".data.rel.ro")) continue;
      const std::string name = short_name(text_at(library, sections[table.sh_link], s.st_name).data());
      for (const text::Token& t : text::lex(text))  // what the compiler adds has names that stand in no text
        if (t.kind == text::TokenKind::name && t.text == name)
          return hostcc::Finding{
              fmt::format("{} outlives the program: what one program leaves in it, another one finds", name),
              "a static variable, or one outside of every function, is there once for all programs; on a GPU they "
              "run side by side, in no promised order",
              "each program makes what it needs from its program_id; what never changes is constexpr", t.line,
              t.column};
    }
  }
  return std::nullopt;
}

}  // namespace tl::lessons
