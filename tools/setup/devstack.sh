#!/bin/sh
# Put DevStack where the tests of our plugin look for its functions,
# build/devstack.  Where it cannot be reached they run on stand-ins, and say so.
set -eu
cd "$(dirname "$0")/../.."

source=https://opendev.org/openstack/devstack
commit=493835a61a996731a7031861f80c7629acd5d6f2
directory=build/devstack

if [ -n "${DEVSTACK_DIR:-}" ] || [ -e "$directory/functions" ]; then
    exit 0
fi
new=$directory.new
rm -rf "$new"
git init -q "$new"
if timeout 120 git -C "$new" fetch -q --depth 1 "$source" "$commit" 2>/dev/null
then
    git -C "$new" checkout -q FETCH_HEAD
    rm -rf "$directory"
    mv "$new" "$directory"
else
    rm -rf "$new"
    echo "DevStack cannot be reached: its own functions are not tested against"
fi
