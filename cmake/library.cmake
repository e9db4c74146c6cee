# libopine: compiled once, then archived for the command and the tests and linked as a
# shared library for everyone else.

file(GLOB_RECURSE opine_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)

# What downloads, or what says that this build cannot.
set(fetch_sources ${PROJECT_SOURCE_DIR}/src/fetch/http_get.c
  ${PROJECT_SOURCE_DIR}/src/fetch/curl_library.c)
if(OPINE_FETCH)
  list(REMOVE_ITEM opine_sources ${PROJECT_SOURCE_DIR}/src/fetch/http_none.c)
else()
  list(REMOVE_ITEM opine_sources ${fetch_sources})
endif()

# What talks to other processes is part of opine-mpi alone.
set(opine_mpi_source ${PROJECT_SOURCE_DIR}/src/comm/comm_mpi.c)
list(REMOVE_ITEM opine_sources ${opine_mpi_source})

# What serves the page, or what says that this build cannot.
if(libmicrohttpd_FOUND)
  list(REMOVE_ITEM opine_sources ${PROJECT_SOURCE_DIR}/src/explore/http_absent.c)
else()
  list(REMOVE_ITEM opine_sources ${PROJECT_SOURCE_DIR}/src/explore/http_server.c
    ${PROJECT_SOURCE_DIR}/src/explore/mhd_library.c)
endif()

# The figures of the paper travel inside the program.
set(figures ${PROJECT_SOURCE_DIR}/src/paper/paper_figures.csv)
set(figures_source ${CMAKE_BINARY_DIR}/paper_figures.c)
add_custom_command(OUTPUT ${figures_source}
  COMMAND ${CMAKE_COMMAND} -DFROM=${figures} -DTO=${figures_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/figures.cmake
  DEPENDS ${figures} ${PROJECT_SOURCE_DIR}/cmake/figures.cmake)

# So do those of other papers.
set(rivals ${PROJECT_SOURCE_DIR}/src/paper/rival_figures.csv)
set(rivals_source ${CMAKE_BINARY_DIR}/rival_figures.c)
add_custom_command(OUTPUT ${rivals_source}
  COMMAND ${CMAKE_COMMAND} -DFROM=${rivals} -DTO=${rivals_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/rivals.cmake
  DEPENDS ${rivals} ${PROJECT_SOURCE_DIR}/cmake/rivals.cmake)

# So does the page of the report, with the library that draws its charts.
set(web ${PROJECT_SOURCE_DIR}/web)
file(GLOB page_files CONFIGURE_DEPENDS ${web}/*)
set(page_source ${CMAKE_BINARY_DIR}/report_page.c)
add_custom_command(OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DTO=${page_source}
    -DLIBRARY=$<$<BOOL:${OPINE_CHART_JS}>:${OPINE_CHART_JS}>
    -DLICENCE=${PROJECT_SOURCE_DIR}/LICENSE -P ${PROJECT_SOURCE_DIR}/cmake/page.cmake
  DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/page.cmake ${PROJECT_SOURCE_DIR}/LICENSE)

# Chosen at run time by what the CPU can do, so compiled for more than the rest needs.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  file(GLOB avx2_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/math/avx2/*.c)
  set_source_files_properties(${avx2_sources} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mbmi2")
  file(GLOB avx512_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/math/avx512/*.c)
  set_source_files_properties(${avx512_sources} PROPERTIES COMPILE_OPTIONS
    "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mbmi2;-mprefer-vector-width=512")
endif()

# madvise() is not in POSIX, which all else is written to.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/memory.c
  PROPERTIES COMPILE_DEFINITIONS _DEFAULT_SOURCE)

add_library(opine_objects OBJECT ${opine_sources} ${figures_source} ${rivals_source}
  ${page_source})
set_target_properties(opine_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(opine_objects
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(opine_objects SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR}
  ${libxml2_INCLUDE_DIRS} ${libmicrohttpd_INCLUDE_DIRS})
target_compile_definitions(opine_objects PRIVATE OPN_VERSION_TEXT="${PROJECT_VERSION}"
  OPN_BUILD_TYPE="$<CONFIG>")

if(OPINE_FETCH)
  target_include_directories(opine_objects SYSTEM PRIVATE ${libcurl_INCLUDE_DIRS})
  target_compile_definitions(opine_objects PRIVATE OPN_FETCH OPN_LIBCRYPTO)
endif()

# libcrypto first: the loader looks up its 3,000 names in the libraries in this order, which
# is most of what a start of the command takes.
set(opine_parts)
if(OPINE_FETCH)
  list(APPEND opine_parts PkgConfig::libcrypto)
endif()
list(APPEND opine_parts
  PkgConfig::libzip PkgConfig::libdeflate PkgConfig::jansson PkgConfig::libutf8proc
  ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
if(OPINE_OPENMP)
  list(APPEND opine_parts OpenMP::OpenMP_C)
endif()
target_link_libraries(opine_objects PRIVATE opine_flags ${opine_parts})

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(opine_${kind} ${KIND} $<TARGET_OBJECTS:opine_objects>)
  add_library(opine::${kind} ALIAS opine_${kind})
  set_target_properties(opine_${kind} PROPERTIES OUTPUT_NAME opine EXPORT_NAME ${kind})
  target_include_directories(opine_${kind} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(opine_${kind} PRIVATE ${opine_parts} $<BUILD_INTERFACE:opine_flags>)
endforeach()
# As include/opine/opine.h promises: before 1.0 a minor version may break programs.
set(opine_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(opine_soversion 0.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(opine_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${opine_soversion})
# A missing part should fail here and not in the program of whoever links it. Under the
# sanitizers clang leaves their run-time library to the program, so there it cannot. The linker
# of macOS does not know the option, and fails by default.
include(CheckLinkerFlag)
check_linker_flag(C -Wl,--no-undefined OPINE_HAS_NO_UNDEFINED)
if(OPINE_HAS_NO_UNDEFINED AND NOT OPINE_SANITIZE)
  target_link_options(opine_shared PRIVATE -Wl,--no-undefined)
endif()
