# Packs the page of the report into a table of C: run as a script with -DWEB=FOLDER
# -DLIBRARY=FILE.js -DLICENCE=FILE -DTO=FILE.c. Without a library the table is empty, and
# the program says what it lacks. What changes from report to report stays a marker.

set(scripts data colour terms proportion scatter maps node explain near decide verdict compare
  queue images curves simplex tables link server live main)

# Adds the bytes of a file to the table.
function(add_part name file)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${twenty})" "\\1\n" bytes "${bytes}")
  set(arrays "${arrays}static const unsigned char part_${name}[] = {\n${bytes}};\n\n" PARENT_SCOPE)
  set(rows "${rows}        {\"${name}\", part_${name}, sizeof(part_${name})},\n" PARENT_SCOPE)
endfunction()

# Joins texts in a file, none of which may hold what would end its element early.
function(join_parts to)
  set(all "")
  foreach(part ${ARGN})
    file(READ ${part} text)
    string(TOLOWER "${text}" lower)
    if(lower MATCHES "</(script|style)|<!--")
      message(FATAL_ERROR "${part} holds what would end its element early")
    endif()
    string(APPEND all "${text}\n")
  endforeach()
  file(WRITE ${to} "${all}")
endfunction()

string(REPEAT "." 100 twenty)
set(arrays "")
set(rows "")
if(LIBRARY)
  list(TRANSFORM scripts PREPEND ${WEB}/)
  list(TRANSFORM scripts APPEND .js)
  join_parts(${TO}.script ${scripts})
  join_parts(${TO}.style ${WEB}/style.css ${WEB}/screen.css ${WEB}/parts.css)
  join_parts(${TO}.library ${LIBRARY})
  # Chart.js is under the same licence as opine; its copyright stands in its first line.
  file(READ ${LICENCE} licence)
  string(REGEX REPLACE "^.*(Permission is hereby)" "\\1" licence "${licence}")
  file(WRITE ${TO}.licence "${licence}")
  add_part(FRAME ${WEB}/page.html)
  add_part(STYLE ${TO}.style)
  add_part(LIBRARY ${TO}.library)
  add_part(LICENCE ${TO}.licence)
  add_part(SCRIPT ${TO}.script)
  set(count "sizeof(opn_i_page_parts) / sizeof(opn_i_page_parts[0])")
else()
  set(rows "        {\"\", 0, 0},\n")
  set(count 0)
endif()
file(WRITE ${TO} "// Made from web/ by cmake/page.cmake.

#include \"report/page.h\"

${arrays}const opn_i_page_part opn_i_page_parts[] = {
${rows}};
const int opn_i_n_page_parts = ${count};
")
