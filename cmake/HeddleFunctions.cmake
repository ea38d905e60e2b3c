# For projects that use heddle, after find_package(heddle):
#
#   heddle_instrument(target...)
#       Compiles and links these targets as `heddle c++` would.
#   heddle_add_test(NAME name SOURCES file... [LIBRARIES target...] [ARGS argument...]
#                   [STRATEGY name[:key=value,...]] [RUNS n] [TIME 90s|10m|SECONDS] [LABELS label...])
#       An instrumented executable `name`, and a test of that name which searches its schedules. Libraries of the same
#       project are seen in full only if they are instrumented too.

# What `heddle c++` would add, asked from it because it depends on the compiler.
function(_heddle_flags result question)
  if(CMAKE_CXX_COMPILER)
    set(wrapper ${CMAKE_COMMAND} -E env HEDDLE_CXX=${CMAKE_CXX_COMPILER} ${heddle_COMMAND} c++)
  elseif(CMAKE_C_COMPILER)
    set(wrapper ${CMAKE_COMMAND} -E env HEDDLE_CC=${CMAKE_C_COMPILER} ${heddle_COMMAND} cc)
  else()
    message(FATAL_ERROR "heddle needs a project with C or C++: name them in project() before find_package(heddle)")
  endif()
  execute_process(COMMAND ${wrapper} ${question}
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${heddle_COMMAND} can't serve this compiler: ${errors}")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

function(heddle_instrument)
  _heddle_flags(flags --heddle-print-compile-flags)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${flags}>")
    # An archive hands the runtime on to the executable that takes it in.
    target_link_libraries(${target} PRIVATE heddle::heddle)
  endforeach()
endfunction()

function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;STRATEGY;RUNS;TIME" "SOURCES;LIBRARIES;ARGS;LABELS")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_NAME OR NOT ARG_SOURCES)
    message(FATAL_ERROR "heddle_add_test(NAME name SOURCES file... [LIBRARIES target...] [ARGS argument...] "
                        "[STRATEGY ...] [RUNS n] [TIME ...] [LABELS label...]); not understood: "
                        "'${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBRARIES})
  heddle_instrument(${ARG_NAME})
  set(options --out ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.heddle)
  foreach(option STRATEGY RUNS TIME)
    if(DEFINED ARG_${option})
      string(TOLOWER ${option} name)
      list(APPEND options --${name} ${ARG_${option}})
    endif()
  endforeach()
  add_test(NAME ${ARG_NAME} COMMAND ${heddle_COMMAND} run ${options} -- $<TARGET_FILE:${ARG_NAME}> ${ARG_ARGS})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
