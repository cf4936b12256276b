// What is wrong with a user's kernel, in the words of the language.
#pragma once

#include <string>

namespace tl::hostcc {

// A sentence on what is wrong, the evidence for it, and where to look.
struct Finding {
  std::string headline;      // every program copies the same block
  std::string detail;        // what the run showed: lines
  std::string fix;           // a direction, not the solution
  int line = 0, column = 0;  // in the kernel's file; 0: none
  std::string source = {};   // that line
};

// The definitions that a text must hold to be run.
struct Wanted {
  std::string functor;     // tl::kernels::copy_kernel; "": only to compile it
  std::string parameters;  // of it after tl: t tensor, d descriptor, i int, f float, c constant
  std::string restore;     // how to get the original text back: "`tilescope learn reset copy` puts the starter back"
  std::string example;     // where one is to be seen: "`tilescope learn solution copy` shows it"
  // tl::problems::relu, which makes the problem of a kernel; the text is then its C++, and the kernel's stands in the
  // header beside it. "": a functor is wanted.
  std::string problem = "";
  std::string loop = "";  // tl::kernels::copy_loop, which says what the functor's outputs should be; "": none is wanted
  std::string name() const { return functor.substr(functor.rfind(':') + 1); }  // copy_kernel
};

}  // namespace tl::hostcc
