// SPDX-License-Identifier: Apache-2.0
#include "client/cli/context.h"

#include <ostream>

#include "client/cli/render_json.h"

namespace tw::cli {

ExitCode Fail(const Context& context, const Status& status, ExitCode code) {
  context.err << "tilewright: " << status.message() << "\n";
  if (context.flags.json) {
    context.out << ErrorJson(status, code);
  }
  return code;
}

ExitCode Fail(const Context& context, const Status& status) {
  return Fail(context, status, ExitCodeOf(status.code()));
}

void Note(const Context& context, const std::string& text) {
  if (!context.flags.quiet) {
    context.err << "tilewright: " << text << "\n";
  }
}

}  // namespace tw::cli
