// A question a line in, an answer a line out: the page's calls without a browser.
#include <iostream>

#include "viz/page/page.h"

int main() {
  tl::page::Page page;
  for (std::string line; std::getline(std::cin, line);) std::cout << page.call(line) << std::endl;
}
