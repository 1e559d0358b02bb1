/* Checks of the tests in C, which count what fails and go on. */
#ifndef REDIST_TEST_CHECKS_H
#define REDIST_TEST_CHECKS_H

#include <redist.h>
#include <stdio.h>
#include <string.h>

/* This rank, where a test sets it. */
static int rank;
/* Checks that have failed on this rank. */
static int failures;

#define CHECK(condition)                                                                                \
  do {                                                                                                  \
    if (!(condition)) {                                                                                 \
      ++failures;                                                                                       \
      fprintf(stderr, "rank %d, line %d: %s; last message: %s\n", rank, __LINE__, #condition,            \
              redist_last_message());                                                                   \
    }                                                                                                   \
  } while (0)
#define SAYS(words) CHECK(strstr(redist_last_message(), words) != NULL)

#endif
