// Checks of the tests in C++, which count what fails and go on.
#pragma once

#include <cstdio>
#include <redist.hpp>

namespace {

/// This rank, where a test sets it, and the checks that have failed on it.
int rank = 0, failures = 0;

void must(bool is_so, int line) {
  if (is_so) return;
  ++failures;
  std::fprintf(stderr, "rank %d, line %d; last message: %s\n", rank, line, redist_last_message());
}

/// The status that a call throws.
template <typename Call>
redist_status status_of(Call call) {
  try {
    call();
    return REDIST_OK;
  } catch (const redist::Error &error) {
    return error.status();
  }
}

}  // namespace
