# find_package(redist): the targets
#   redist::redist        the C library, its header, and MPI for C
#   redist::redist_cxx    the same with the C++17 layer
#   redist::redist_costa  the C++17 layer by COSTA's names, found under COSTA's own paths
#   redist::redist_fortran  the module `redist`, compiled in the project that asks for it, since modules belong to a
#                         compiler; where the project has enabled Fortran
# The MPI library is the project's own, whichever it is: libredist is linked with none.
cmake_minimum_required(VERSION 3.16)
include(CMakeFindDependencyMacro)
get_filename_component(redist_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

find_library(redist_LIBRARY redist HINTS "${redist_prefix}" PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}"
             NO_DEFAULT_PATH)
if(NOT redist_LIBRARY)
  set(redist_FOUND FALSE)
  set(redist_NOT_FOUND_MESSAGE "libredist is not below ${redist_prefix}")
  return()
endif()

find_dependency(MPI COMPONENTS C)
if(NOT TARGET redist::redist)
  add_library(redist::redist UNKNOWN IMPORTED)
  set_target_properties(redist::redist PROPERTIES
    IMPORTED_LOCATION "${redist_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${redist_prefix}/include"
    INTERFACE_LINK_LIBRARIES MPI::MPI_C)
endif()

get_property(redist_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST redist_languages AND NOT TARGET redist::redist_cxx)
  find_dependency(MPI COMPONENTS CXX)
  add_library(redist::redist_cxx INTERFACE IMPORTED)
  set_target_properties(redist::redist_cxx PROPERTIES
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_LINK_LIBRARIES "redist::redist;MPI::MPI_CXX")
  add_library(redist::redist_costa INTERFACE IMPORTED)
  set_target_properties(redist::redist_costa PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${redist_prefix}/include/redist/costa"
    INTERFACE_LINK_LIBRARIES redist::redist_cxx)
endif()
if("Fortran" IN_LIST redist_languages AND NOT TARGET redist::redist_fortran)
  find_dependency(MPI COMPONENTS Fortran)
  add_library(redist_fortran STATIC "${redist_prefix}/share/redist/fortran/redist.F90")
  set_target_properties(redist_fortran PROPERTIES
    Fortran_MODULE_DIRECTORY "${CMAKE_BINARY_DIR}/redist_fortran")
  target_include_directories(redist_fortran PUBLIC "${CMAKE_BINARY_DIR}/redist_fortran")
  target_link_libraries(redist_fortran PUBLIC redist::redist MPI::MPI_Fortran)
  add_library(redist::redist_fortran ALIAS redist_fortran)
endif()
