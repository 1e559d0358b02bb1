// COSTA's name of this file, for programs that include it: see redist/costa.hpp.
#pragma once
#include "../../../costa.hpp"
