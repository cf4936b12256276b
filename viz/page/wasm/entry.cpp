// What the page's worker calls: JSON in, JSON out.
#include "viz/page/page.h"

extern "C" const char* tilescope_call(const char* question) {
  static tl::page::Page page;
  static std::string answer;
  answer = page.call(question);
  return answer.c_str();
}
