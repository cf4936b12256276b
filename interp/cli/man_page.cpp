#include "interp/cli/man_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace tl::cli {

namespace {

// Escapes text for troff, so that no line of it is read as a request.
std::string plain(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
    for (const char c : line) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    out += '\n';
  }
  return out;
}

std::string as_it_stands(const std::string& text) { return ".nf\n" + plain(text) + ".fi\n"; }

std::string option_text(const CLI::Option& o) {
  std::string name = o.get_positional() ? o.get_name(true) : o.get_name(false, true);
  if (o.get_expected_max() > 0 && !o.get_type_name().empty()) name += " " + o.get_type_name();
  return ".TP\n.B " + plain(name) + plain(o.get_description());
}

std::string command_text(const CLI::App& command, const std::string& name) {
  std::string text = ".SS \"" + name + "\"\n" + plain(command.get_description());
  for (const CLI::Option* o : command.get_options())
    if (!o->get_group().empty() && !o->check_lname("help")) text += option_text(*o);
  if (!command.get_footer().empty()) text += ".PP\n" + as_it_stands(command.get_footer());
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
    text += command_text(*sub, name + " " + sub->get_name());
  return text;
}

}  // namespace

std::string man_page(const CLI::App& program, const std::string& overview) {
  std::string text = fmt::format(".TH TILESCOPE 1 \"\" \"tilescope {}\"\n.SH NAME\ntilescope \\- {}\n",
                                 TILESCOPE_VERSION, plain(program.get_description()));
  text +=
      ".SH SYNOPSIS\n.B tilescope\n.I COMMAND\n[...]\n.SH DESCRIPTION\n" + as_it_stands(overview) + ".SH COMMANDS\n";
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
    text += command_text(*sub, "tilescope " + sub->get_name());
  return text +
         ".SH EXIT STATUS\n0: right. 1: a run that failed, a mismatch, something that the machine lacks, or an output "
         "that could not be written. 2: wrong use. 130: Ctrl\\-C.\n";
}

}  // namespace tl::cli
