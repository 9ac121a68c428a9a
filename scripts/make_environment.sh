#!/usr/bin/env bash
# Makes the virtual environment .venv with hipport in it. Usage: make_environment.sh [EXTRA]
set -euo pipefail
cd "$(dirname "$0")/.."
extra=${1:+[$1]}

# apt_install PACKAGE: after install_tools.sh, where that runs at the same time
apt_install() {
    local root=""
    [ "$(id -u)" -eq 0 ] || root="sudo -n"
    echo "Installing $1"
    flock scripts/install_tools.sh $root apt-get update -qq
    flock scripts/install_tools.sh $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$1" >/dev/null
}

python=${PYTHON:-}
for candidate in python3.13 python3.12 python3.11 python3.10 python3; do
    [ -n "$python" ] && break
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then python=$candidate; fi
done
[ -n "$python" ] || { echo "hipport needs Python 3.10 or newer" >&2; exit 1; }

if [ ! -x .venv/bin/pip ]; then
    rm -rf .venv
    # Debian ships venv's ensurepip in a package of its own.
    if ! "$python" -m venv .venv >/dev/null 2>&1; then
        rm -rf .venv
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        apt_install "python$version-venv"
        "$python" -m venv .venv
    fi
fi

# Packages that an index has as source only are compiled, with headers that Debian ships apart.
read -r version headers < <(.venv/bin/python -c \
    'import sysconfig; print(sysconfig.get_python_version(), sysconfig.get_path("include"))')
install=(.venv/bin/pip install --quiet --disable-pip-version-check --editable ".$extra")
if [ -e "$headers/Python.h" ]; then
    "${install[@]}"
elif ! "${install[@]}" 2>.venv/install.log; then
    command -v apt-get >/dev/null || { cat .venv/install.log >&2; exit 1; }
    apt_install "python$version-dev"
    "${install[@]}"
fi

if [ "$extra" = "[dev]" ] && ! .venv/bin/pip install --quiet --disable-pip-version-check --editable ".[peers]"; then
    echo "Without PyTorch the tests that compare with it are skipped. Its builds for CPUs are at" >&2
    echo "https://download.pytorch.org/whl/cpu: name that in PIP_EXTRA_INDEX_URL." >&2
fi
