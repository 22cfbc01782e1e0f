#!/bin/sh
# Completes the library: builds an archive for each core, and copies the header. Run it in a checkout of this repository;
# then copy or zip the folder Gallium.
#
#     kit/c/arduino/make.sh                    # all cores
#     kit/c/arduino/make.sh cortex-m0plus      # one core, by Arduino's name (build.mcu)
set -eu
cd "$(dirname "$0")"
features=${GALLIUM_FEATURES:-bare,lanes-16,mesh}
profile=${GALLIUM_PROFILE:-firmware}
folder=${CARGO_TARGET_DIR:-../../../target}

# Arduino's folder for a core, and Rust's name of the core.
archive() {
    rustup target add "$2" 2> /dev/null || true
    cargo rustc --package gallium-c --lib --crate-type staticlib --profile "$profile" --target "$2" \
        --no-default-features --features "$features"
    mkdir -p "Gallium/src/$1"
    cp "$folder/$2/$profile/libgallium_c.a" "Gallium/src/$1/"
}

cp ../include/gallium.h Gallium/src/
for core in "${@:-all}"; do
    case $core in
        all)
            "$0" cortex-m0plus cortex-m3 cortex-m4 cortex-m33
            ;;
        cortex-m0plus) archive cortex-m0plus thumbv6m-none-eabi ;;
        cortex-m3) archive cortex-m3 thumbv7m-none-eabi ;;
        cortex-m4) archive cortex-m4/fpv4-sp-d16-hard thumbv7em-none-eabihf ;;
        cortex-m33) archive cortex-m33 thumbv8m.main-none-eabi ;;
        *)
            echo "no archive for $core: name cortex-m0plus, cortex-m3, cortex-m4 or cortex-m33" >&2
            exit 1
            ;;
    esac
done
