# Turns the figures of other papers, a CSV file, into a table of C, as figures.cmake does
# with those of the paper.

file(STRINGS ${FROM} lines)
list(POP_FRONT lines)
set(field "([^,]*)")
set(rows "")
foreach(line ${lines})
  if(NOT line MATCHES "^${field},${field},${field},${field},${field},([0-9.]+),${field},${field}$")
    message(FATAL_ERROR "${FROM}: \"${line}\" is no row of figures")
  endif()
  string(APPEND rows "        {\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", \"${CMAKE_MATCH_3}\", "
    "\"${CMAKE_MATCH_4}\", \"${CMAKE_MATCH_5}\", ${CMAKE_MATCH_6}, \"${CMAKE_MATCH_7}\", "
    "\"${CMAKE_MATCH_8}\"},\n")
endforeach()
file(WRITE ${TO} "// Made from ${FROM} by cmake/rivals.cmake.

#include \"paper/rivals.h\"

static const opn_i_rival_figure figures[] = {
${rows}};

size_t opn_i_rival_figure_count(void)
{
    return sizeof(figures) / sizeof(figures[0]);
}

const opn_i_rival_figure *opn_i_rival_figure_at(size_t i)
{
    return &figures[i];
}
")
