#!/usr/bin/env bash
# Runs hipport's two commands on several systems, each in a folder of its own that debootstrap makes (as root):
#   matrix.sh [--fresh] [SYSTEM...] [SUITE]
# SYSTEM: debian12, debian13, sid; all three if none is named. SUITE: demo (`make demo`), quick (`make quick`, the tests
# that are not slow) or all (`make test`); demo and quick if none is named.
# A system begins with make, gcc, python3 and git, and nothing else: hipport's own files install the rest. It gets a
# clone of what is committed here. Systems are kept, with what was installed, in $MATRIX_FOLDER (build/matrix if not
# set), and used again; --fresh puts them back to how they began. Logs are beside them: SYSTEM-SUITE.log.
# pip's settings, certificates and proxies of this machine are used there, too.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
folder=${MATRIX_FOLDER:-$PWD/build/matrix}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
declare -A suites=([debian12]=bookworm [debian13]=trixie [sid]=sid)
declare -A targets=([demo]=demo [quick]=quick [all]=test)

fresh='' systems=() runs=()
for word in "$@"; do
    if [ "$word" = --fresh ]; then fresh=yes
    elif [ -n "${suites[$word]:-}" ]; then systems+=("$word")
    elif [ -n "${targets[$word]:-}" ]; then runs+=("$word")
    else echo "matrix.sh: no system or suite $word; there are debian12, debian13, sid, and demo, quick, all" >&2; exit 2
    fi
done
[ ${#systems[@]} -gt 0 ] || systems=(debian12 debian13 sid)
[ ${#runs[@]} -gt 0 ] || runs=(demo quick)
[ "$(id -u)" -eq 0 ] || { echo "matrix.sh: changing roots needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "matrix.sh: install debootstrap first" >&2; exit 1; }
mkdir -p "$folder"

# made SYSTEM: its folder, made unless it is there
made() {
    local system=$1 base="$folder/$1.base" root="$folder/$1"
    if [ ! -e "$base/made" ]; then
        rm -rf "$base"
        debootstrap --variant=minbase --include=ca-certificates,make,gcc,python3,git "${suites[$system]}" "$base" \
            "$mirror" >"$folder/$system-debootstrap.log" 2>&1 || { tail -n 5 "$folder/$system-debootstrap.log" >&2; return 1; }
        # The mirror's sid may be a while behind.
        echo 'Acquire::Check-Valid-Until "false";' >"$base/etc/apt/apt.conf.d/99matrix"
        touch "$base/made"
    fi
    if [ -n "$fresh" ]; then rm -rf "$root"; fi
    if [ ! -e "$root/made" ]; then
        rm -rf "$root"
        cp -a --reflink=auto "$base" "$root"
    fi
    # Runs may not begin with what an earlier one has left in its clone.
    rm -rf "$root/src"
    git clone -q --no-hardlinks "$repository" "$root/src"
}

# settings: NAME=VALUE lines that a system gets from this machine
settings() {
    env | grep -iE '^(pip_[a-z_]+|(http|https|no|all)_proxy)=' | grep -v '^PIP_CERT=' || true
    if [ -e "${SSL_CERT_FILE:-}" ]; then
        echo SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
        echo PIP_CERT=/etc/ssl/certs/ca-certificates.crt
    fi
}

# inside SYSTEM COMMAND...: runs a command in the system, in namespaces of its own: nothing stays mounted
inside() {
    local root="$folder/$1" variables
    shift
    mapfile -t variables < <(settings)
    if [ -e "${SSL_CERT_FILE:-}" ]; then cp "$SSL_CERT_FILE" "$root/etc/ssl/certs/ca-certificates.crt"; fi
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1 wheels=$2
        shift 2
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys"
        if [ -d "$wheels" ]; then mkdir -p "$root$wheels" && mount --bind "$wheels" "$root$wheels"; fi
        exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 TERM=dumb CI=true \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
    ' - "$root" "${PIP_FIND_LINKS:-}" "${variables[@]}" "$@" </dev/null
}

# run SYSTEM SUITE: prints a line with time, status and the tests' own counts
run() {
    local log="$folder/$1-$2.log" status=0 start=$SECONDS counts
    inside "$1" make -C /src "${targets[$2]}" >"$log" 2>&1 || status=$?
    counts=$(grep -E '^=+ .*(passed|failed|error).* =+$' "$log" | tail -n 1 | tr -d '=' || true)
    printf '%-9s %-6s %4d s  %s %s\n' "$1" "$2" $((SECONDS - start)) \
        "$([ "$status" -eq 0 ] && echo ok || echo "failed ($status), see $log")" "${counts# }"
    return "$status"
}

failed=0
for system in "${systems[@]}"; do
    made "$system" || { failed=1; continue; }
    for suite in "${runs[@]}"; do run "$system" "$suite" || failed=1; done
done
exit "$failed"
