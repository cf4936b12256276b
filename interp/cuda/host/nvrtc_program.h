// A text on its way through NVRTC: created, compiled, read back, destroyed. What the library refuses
// for another reason than the text throws Error.
#pragma once

#include <string>
#include <vector>

#include "interp/cuda/host/nvrtc_api.h"
#include "interp/cuda/host/own_signals.h"
#include "interp/cuda/host/sources.h"
#include "interp/lang/error.h"

namespace tl::cuda {

class Program {
 public:
  Program(const Nvrtc& api, const std::string& text, const Sources& sources) : api_(api) {
    std::vector<const char*> names, texts;
    for (const auto& [name, source] : sources) {
      names.push_back(name.c_str());
      texts.push_back(source.c_str());
    }
    check(api.nvrtcCreateProgram(&program_, text.c_str(), "launch", static_cast<int>(names.size()), texts.data(),
                                 names.data()));
  }
  ~Program() { api_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add_expression(const std::string& expression) {
    check(api_.nvrtcAddNameExpression(program_, expression.c_str()));
  }
  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const auto& option : options) pointers.push_back(option.c_str());
    const OwnSignals own_signals;
    return api_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }
  std::string log() const {
    auto text = bytes(api_.nvrtcGetProgramLogSize, api_.nvrtcGetProgramLog);
    return text.substr(0, text.find('\0'));
  }
  std::string ptx() const {
    auto text = bytes(api_.nvrtcGetPTXSize, api_.nvrtcGetPTX);
    return text.substr(0, text.find('\0'));
  }
  std::string cubin() const { return bytes(api_.nvrtcGetCUBINSize, api_.nvrtcGetCUBIN); }
  std::string mangled(const std::string& expression) const {
    const char* name = nullptr;
    check(api_.nvrtcGetLoweredName(program_, expression.c_str(), &name));
    return name;
  }
  void check(nvrtcResult result) const {
    if (result != NVRTC_SUCCESS)
      throw Error(std::string("NVRTC failed: ") + api_.nvrtcGetErrorString(result), "reinstall the CUDA toolkit");
  }

 private:
  std::string bytes(nvrtcResult (*size_of)(nvrtcProgram, std::size_t*), nvrtcResult (*get)(nvrtcProgram, char*)) const {
    std::size_t size = 0;
    check(size_of(program_, &size));
    std::string text(size, '\0');
    check(get(program_, text.data()));
    return text;
  }
  const Nvrtc& api_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace tl::cuda
