#include "interp/dap/serve.h"

#include <ostream>

#include "interp/dap/inbox.h"

namespace tl::dap {

void serve(std::istream& in, std::ostream& out, Record record, Why why) {
  std::int64_t last = 0;
  const auto send = [&](Json message) {
    message["seq"] = ++last;
    out << with_header(message) << std::flush;
  };
  Inbox inbox(in);
  Adapter adapter(std::move(record), send, inbox.stop(), std::move(why));
  while (!adapter.is_done()) {
    try {
      const auto message = inbox.next();
      if (!message) return;
      adapter.handle(*message);
    } catch (const Error& damage) {
      adapter.refuse(damage);
    }
  }
}

}  // namespace tl::dap
