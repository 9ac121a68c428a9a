#!/usr/bin/env bash
# Makes the virtual environment .venv with hipport in it. Usage: make_environment.sh [EXTRA]
set -euo pipefail
cd "$(dirname "$0")/.."
extra=${1:+[$1]}

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
        root=""
        [ "$(id -u)" -eq 0 ] || root="sudo -n"
        echo "Installing python$version-venv"
        $root apt-get update -qq && $root apt-get install -qq -y --no-install-recommends "python$version-venv" >/dev/null
        "$python" -m venv .venv
    fi
fi
.venv/bin/pip install --quiet --disable-pip-version-check --editable ".$extra"
