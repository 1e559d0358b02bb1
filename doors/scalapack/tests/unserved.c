/* Calls pdgemr2d_ where the library cannot serve it: the routine is the program's own (-DOWN), as from an archive; or the
 * program has no BLACS; or it has one (-DBLACS), of an MPI library that is not initialised. */
#include <stddef.h>

void pdgemr2d_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *context);

#ifdef OWN
void pdgemr2d_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *context) {
  (void)ia, (void)ja, (void)desca, (void)ib, (void)jb, (void)descb, (void)context;
  for (int at = 0; at < *m * *n; ++at) b[at] = a[at];
}
#endif

#ifdef BLACS
/* Of one process, and the communicator that no library has made. */
void blacs_get_(const int *context, const int *what, int *value) { (void)context, (void)what, *value = 0; }
void blacs_gridinfo_(const int *context, int *rows, int *columns, int *row, int *column) {
  (void)context, *rows = *columns = 1, *row = *column = 0;
}
#endif

int main(void) {
  int one = 1, context = 0, desc[9] = {1, 0, 1, 1, 1, 1, 0, 0, 1};
  double a = 1.0, b = 0.0;
  pdgemr2d_(&one, &one, &a, &one, &one, desc, &b, &one, &one, desc, &context);
  return b != 1.0;
}
