#!/usr/bin/env bash
# Builds the sdist, and the wheel from it, checks both with twine, and tries the wheel in an environment that has nothing
# else, in an empty folder. Usage: check_release.sh [FOLDER], by default dist. Needs the packages `build` and `twine`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dist=$(mkdir -p "${1:-$root/dist}" && cd "${1:-$root/dist}" && pwd)
python=${PYTHON:-python3}

rm -f "$dist"/hipport-*
"$python" -m build --outdir "$dist" "$root"
"$python" -m twine check --strict "$dist"/hipport-*

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check "$(echo "$dist"/hipport-*.whl)[lsp]"
cp "$root/scripts/smoke.py" "$scratch/"
cd "$scratch"
env -u PYTHONPATH XDG_CACHE_HOME="$scratch/cache" "$scratch/venv/bin/python" smoke.py
