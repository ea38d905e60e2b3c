# For projects that use heddle, after find_package(heddle):
#
#   heddle_instrument(target...)
#       Compiles and links these targets as `heddle c++` would.
#   heddle_add_test(NAME name SOURCES file... [LIBRARIES target...] [ARGS argument...]
#                   [STRATEGY name[:key=value,...]] [RUNS n] [TIME 90s|10m|SECONDS] [LABELS label...])
#       An instrumented executable `name`, and a test of that name which searches its schedules. Libraries of the same
#       project are seen in full only if they are instrumented too.
#
# In a project that is built with CXX="heddle c++" as a whole, everything is instrumented already.

# Answers of `heddle cc` and `heddle c++` about the project's compilers: what they add depends on those.
function(_heddle_ask result language)
  if(language STREQUAL "C")
    set(wrapper HEDDLE_CC=${CMAKE_C_COMPILER} ${heddle_COMMAND} cc)
  else()
    set(wrapper HEDDLE_CXX=${CMAKE_CXX_COMPILER} ${heddle_COMMAND} c++)
  endif()
  get_filename_component(compiler "${CMAKE_${language}_COMPILER}" REALPATH)
  get_filename_component(heddle "${heddle_COMMAND}" REALPATH)
  if(compiler STREQUAL heddle)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${wrapper} ${ARGN}
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${errors}")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

function(_heddle_languages result)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(ours)
  foreach(language C CXX)
    if(language IN_LIST languages)
      list(APPEND ours ${language})
    endif()
  endforeach()
  if(NOT ours)
    message(FATAL_ERROR "heddle needs C or C++: name one of them in project(), before find_package(heddle)")
  endif()
  set(${result} ${ours} PARENT_SCOPE)
endfunction()

# The headers, and for what is linked the runtime. Instrumentation is heddle_instrument's.
function(_heddle_define_target include_directory)
  _heddle_languages(languages)
  list(GET languages -1 language) # the runtime is the same for both
  _heddle_ask(for_executable ${language} --heddle-print-link-flags)
  _heddle_ask(for_library ${language} --heddle-print-link-flags -shared)
  # Global: a target may hand it on to one of another directory.
  add_library(heddle::heddle INTERFACE IMPORTED GLOBAL)
  set_target_properties(heddle::heddle PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${include_directory})
  # Options, because they stand before all libraries: the engine has to be asked first for pthread_create.
  set(type $<TARGET_PROPERTY:TYPE>)
  set_property(TARGET heddle::heddle PROPERTY INTERFACE_LINK_OPTIONS
    "$<$<STREQUAL:${type},EXECUTABLE>:SHELL:${for_executable}>"
    "$<$<OR:$<STREQUAL:${type},SHARED_LIBRARY>,$<STREQUAL:${type},MODULE_LIBRARY>>:SHELL:${for_library}>")
endfunction()

function(heddle_instrument)
  _heddle_languages(languages)
  foreach(language IN LISTS languages)
    _heddle_ask(flags ${language} --heddle-print-compile-flags)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} BEFORE PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:SHELL:${flags}>")
    endforeach()
  endforeach()
  # By properties: target_link_libraries with a keyword is an error for a target whose project calls it without, and
  # the other way round.
  foreach(target IN LISTS ARGN)
    # What `heddle c++` takes back, behind the project's own flags: both would hide memory accesses.
    set_property(TARGET ${target} PROPERTY INTERPROCEDURAL_OPTIMIZATION OFF)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-lto>
      $<$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-U_FORTIFY_SOURCE>)
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES heddle::heddle)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL STATIC_LIBRARY OR type STREQUAL OBJECT_LIBRARY)
      # An archive hands the runtime on to the executable that takes it in.
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:heddle::heddle>)
    endif()
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
  set_property(TARGET ${ARG_NAME} APPEND PROPERTY LINK_LIBRARIES ${ARG_LIBRARIES})
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
