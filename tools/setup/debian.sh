#!/bin/sh
# Install the packages of bindep.txt, and of further lists given by absolute
# path, that are missing; nothing else is changed.
# Services that come with them are not started.
set -eu
cd "$(dirname "$0")/../.."

wanted=$(sed -e 's/#.*//' -e 's/\[.*//' bindep.txt "$@")
missing=
for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null \
        | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    sudo=
elif command -v sudo >/dev/null; then
    sudo=sudo
else
    echo "These packages are missing:$missing" >&2
    echo "Install them, or run this as root or where sudo is." >&2
    exit 1
fi
if ! command -v apt-get >/dev/null; then
    echo "These packages (of Debian) are missing:$missing" >&2
    exit 1
fi
echo "installing:$missing"

# Without systemd a package's attempt to start its service fails the install.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | $sudo tee "$policy" >/dev/null
    $sudo chmod 755 "$policy"
    trap '$sudo rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get -q update >/dev/null
log=$(mktemp)
# shellcheck disable=SC2086 # one word a package
if ! $sudo apt-get -q -y --no-install-recommends install $missing >"$log" 2>&1
then
    tail -n 20 "$log" >&2
    exit 1
fi
rm -f "$log"
