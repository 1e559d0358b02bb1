// COSTA's name of this file, for programs that include it: see redist/costa_scalapack.hpp.
#pragma once
#include "../../costa_scalapack.hpp"
