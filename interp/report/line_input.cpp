#include "interp/report/line_input.h"

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/user_folders.h"

namespace tl::report {

namespace {

volatile sig_atomic_t had_sigint = 0;

// "" where there is no home.
std::string history_file() {
  const std::filesystem::path folder = state_home();
  return folder.empty() ? "" : (folder / "tilescope" / "history").string();
}

// The line editor itself would read any device or pipe.
void load_history(History* history, const std::string& file) {
  HistEvent event;
  if (!file.empty() && regular_file_if_any(file)) ::history(history, &event, H_LOAD, file.c_str());
}

void save_history(History* history, const std::string& file) {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* memory = file.empty() ? nullptr : open_memstream(&text, &size);
  if (!memory) return;
  HistEvent event;
  ::history(history, &event, H_SAVE_FP, memory);
  std::fclose(memory);
  try {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    write_file(file, {text, size}, 0600);
  } catch (const OutputError&) {  // a session ends all the same
  }
  std::free(text);
}

}  // namespace

struct LineInput::Editor {
  Complete complete;
  bool interactive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  bool was_interrupted = false;
  std::string prompt, file;
  EditLine* line = nullptr;
  History* history = nullptr;

  static Editor& of(EditLine* e) {
    void* data = nullptr;
    el_get(e, EL_CLIENTDATA, &data);
    return *static_cast<Editor*>(data);
  }
  static char* show_prompt(EditLine* e) { return of(e).prompt.data(); }

  // Tab: what all candidates share; a list of them when that adds nothing.
  static unsigned char on_tab(EditLine* e, int) {
    Editor& self = of(e);
    const LineInfo* info = el_line(e);
    const std::string typed(info->buffer, info->cursor);
    const std::vector<std::string> candidates = self.complete ? self.complete(typed) : std::vector<std::string>();
    if (candidates.empty()) return CC_ERROR;
    const std::size_t start = typed.find_last_of(" (+-*/[,");
    const std::string word = start == std::string::npos ? typed : typed.substr(start + 1);
    std::string common = candidates.front();
    for (const std::string& c : candidates) {
      std::size_t n = 0;
      while (n < common.size() && n < c.size() && common[n] == c[n]) ++n;
      common.resize(n);
    }
    if (candidates.size() == 1) common += ' ';
    if (common.size() > word.size()) return el_insertstr(e, common.c_str() + word.size()) == 0 ? CC_REFRESH : CC_ERROR;
    std::fputc('\n', stdout);
    for (const std::string& c : candidates) std::fprintf(stdout, "%s  ", c.c_str());
    std::fputc('\n', stdout);
    return CC_REDISPLAY;
  }

  explicit Editor(Complete c) : complete(std::move(c)) {
    if (!interactive) return;
    line = el_init("tilescope", stdin, stdout, stderr);
    history = history_init();
    HistEvent event;
    ::history(history, &event, H_SETSIZE, 1000);
    ::history(history, &event, H_SETUNIQUE, 1);
    file = history_file();
    load_history(history, file);
    el_set(line, EL_CLIENTDATA, this);
    el_set(line, EL_PROMPT, show_prompt);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_HIST, ::history, history);
    el_set(line, EL_ADDFN, "complete-name", "completes a command or a name", on_tab);
    el_set(line, EL_BIND, "\t", "complete-name", nullptr);
    el_set(line, EL_SIGNAL, 1);
    el_source(line, nullptr);
  }

  ~Editor() {
    if (!interactive) return;
    save_history(history, file);
    history_end(history);
    el_end(line);
  }

  std::optional<std::string> read() {
    was_interrupted = false;
    had_sigint = 0;
    int count = 0;
    struct sigaction action{}, before{};
    action.sa_handler = [](int) { had_sigint = 1; };
    sigaction(SIGINT, &action, &before);
    const char* text = el_gets(line, &count);
    sigaction(SIGINT, &before, nullptr);
    const bool is_whole = text && count > 0 && text[count - 1] == '\n';  // then Ctrl-C came after it
    if ((had_sigint && !is_whole) || (!text && count < 0 && errno == EINTR)) {
      el_reset(line);
      std::fputs("\n", stdout);
      was_interrupted = true;
      return "";
    }
    if (!text || count <= 0) {
      std::fputc('\n', stdout);  // behind the prompt, which Ctrl-D leaves
      return std::nullopt;
    }
    std::string result(text, static_cast<std::size_t>(count));
    while (!result.empty() && (result.back() == '\n' || result.back() == '\r')) result.pop_back();
    HistEvent event;
    if (!result.empty()) ::history(history, &event, H_ENTER, result.c_str());
    return result;
  }
};

LineInput::LineInput(Complete complete) : editor_(std::make_unique<Editor>(std::move(complete))) {}
LineInput::~LineInput() = default;
bool LineInput::is_interactive() const { return editor_->interactive; }
bool LineInput::was_interrupted() const { return editor_->was_interrupted; }

std::optional<std::string> LineInput::read(const std::string& prompt) {
  editor_->prompt = prompt;
  std::fflush(stdout);
  if (editor_->interactive) return editor_->read();
  std::string line;
  std::cout << prompt << std::flush;
  if (!std::getline(std::cin, line)) {
    if (!prompt.empty()) std::cout << '\n';
    return std::nullopt;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (!prompt.empty()) std::cout << line << '\n';  // a transcript reads as a session does
  return line;
}

}  // namespace tl::report
