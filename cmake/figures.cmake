# Turns the figures of the paper, a CSV file, into a table of C: run as a script with
# -DFROM=FILE.csv -DTO=FILE.c, so that the program carries them and parses nothing.

file(STRINGS ${FROM} lines)
list(POP_FRONT lines)
set(field "([^,]*)")
set(rows "")
foreach(line ${lines})
  if(NOT line MATCHES "^${field},${field},${field},${field},${field},${field},([0-9.]+),([0-9.]*)$")
    message(FATAL_ERROR "${FROM}: \"${line}\" is no row of figures")
  endif()
  set(std "${CMAKE_MATCH_8}")
  if("${std}" STREQUAL "")
    set(std NAN)
  endif()
  string(APPEND rows "        {\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", \"${CMAKE_MATCH_3}\", "
    "\"${CMAKE_MATCH_4}\", \"${CMAKE_MATCH_5}\", \"${CMAKE_MATCH_6}\", ${CMAKE_MATCH_7}, (double)${std}},\n")
endforeach()
file(WRITE ${TO} "// Made from ${FROM} by cmake/figures.cmake.

#include \"opine/evaluate.h\"

#include <math.h>

static const opn_figure figures[] = {
${rows}};

size_t opn_figure_count(void)
{
    return sizeof(figures) / sizeof(figures[0]);
}

const opn_figure *opn_figure_at(size_t i)
{
    return i < opn_figure_count() ? &figures[i] : 0;
}
")
