#!/bin/sh
# Installs what pip cannot: a browser for the tests of the pages, and OpenGL without a display.
# Says what to do where it may not install.
set -u

have_browser() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

have_egl() {
    ldconfig -p 2>/dev/null | grep -q 'libEGL\.so\.1' && ldconfig -p | grep -q 'libEGL_mesa\.so\.0\|libEGL_nvidia'
}

missing=""
have_browser || missing="$missing chromium"
have_egl || missing="$missing libegl1 libegl-mesa0 libgl1-mesa-dri"
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo"
    else
        echo "The tests need these system packages:$missing"
        echo "Install them first, for example: sudo apt-get install$missing"
        exit 1
    fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The tests need Chromium and EGL (Mesa). This system has no apt-get: install them with its own package manager."
    exit 1
fi
echo "Installing$missing"
$as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qq -y --no-install-recommends $missing >/dev/null || {
    echo "apt-get could not install$missing; install them by hand and run make test again."
    exit 1
}
