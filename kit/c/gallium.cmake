# Defines the targets `gallium` (header, archive, linker options) and `gallium_archive`, which runs cargo. Projects add
# this folder; the components in esp-idf and zephyr include this file.

# Declares an option. A variable that the project has set before is its value: before CMake 3.21,
# `set(… CACHE …)` would remove it.
macro(gallium_option name value type text)
    if(NOT DEFINED ${name})
        set(${name} "${value}" CACHE ${type} "${text}")
    endif()
endmacro()

gallium_option(GALLIUM_RUST_TARGET "" STRING
    "Rust's name of the core, such as thumbv7em-none-eabihf; empty for this machine")
if(GALLIUM_RUST_TARGET)
    set(gallium_features bare,lanes-16,mesh)
    set(gallium_profile firmware)
    set(gallium_target --target ${GALLIUM_RUST_TARGET})
elseif(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "GALLIUM_RUST_TARGET is empty and the compiler is for another machine: set it to "
        "Rust's name of the core, such as thumbv7em-none-eabihf")
else()
    set(gallium_features std,lanes-16,mesh)
    set(gallium_profile release)
endif()
gallium_option(GALLIUM_FEATURES ${gallium_features} STRING "All features of the archive, with commas")
gallium_option(GALLIUM_PROFILE ${gallium_profile} STRING "Cargo's profile")
gallium_option(GALLIUM_TARGET_DIR ${CMAKE_CURRENT_BINARY_DIR}/cargo PATH "Cargo's target folder")

set(gallium_folder ${GALLIUM_PROFILE})
if(GALLIUM_PROFILE STREQUAL dev)
    set(gallium_folder debug)
endif()
set(gallium_archive ${GALLIUM_TARGET_DIR}/${GALLIUM_RUST_TARGET}/${gallium_folder}/libgallium_c.a)

# Cargo finds out whether something changed.
add_custom_target(gallium_archive
    COMMAND cargo rustc --package gallium-c --lib --crate-type staticlib --profile ${GALLIUM_PROFILE}
        ${gallium_target} --target-dir ${GALLIUM_TARGET_DIR} --no-default-features
        --features ${GALLIUM_FEATURES}
    BYPRODUCTS ${gallium_archive}
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    USES_TERMINAL
    VERBATIM)

add_library(gallium STATIC IMPORTED GLOBAL)
add_dependencies(gallium gallium_archive)
set_target_properties(gallium PROPERTIES
    IMPORTED_LOCATION ${gallium_archive}
    INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_LIST_DIR}/include)
if(GALLIUM_RUST_TARGET)
    set_target_properties(gallium PROPERTIES INTERFACE_LINK_OPTIONS LINKER:--gc-sections)
else()
    set_target_properties(gallium PROPERTIES INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
