# What the plugin needs of DevStack, for machines where DevStack is not at
# hand: each function does what the one of that name does, as far as the plugin
# can tell.  The same tests run on DevStack's own where that is.
#
# shellcheck shell=bash disable=SC1090,SC2034

declare -A -g GITDIR SYSTEMD_ENV_VARS

function die {
    shift
    echo "[ERROR] $*" >&2
    exit 1
}

function trueorfalse {
    case "${!2:-}" in
        1|[yY]es|YES|[tT]rue|TRUE) echo True ;;
        0|[nN]o|NO|[fF]alse|FALSE) echo False ;;
        *) echo "$1" ;;
    esac
}

function is_service_enabled {
    [[ ",$ENABLED_SERVICES," == *",$1,"* ]]
}

function define_plugin {
    :
}

function enable_plugin {
    DEVSTACK_PLUGINS+=",$1"
    GITDIR[$1]=$DEST/$1
}

function run_phase {
    local plugin file
    case "$1" in
        override_defaults) file=override-defaults ;;
        source) file=settings ;;
        *) file=plugin.sh ;;
    esac
    for plugin in ${DEVSTACK_PLUGINS//,/ }; do
        if [[ -f "${GITDIR[$plugin]}/devstack/$file" ]]; then
            source "${GITDIR[$plugin]}/devstack/$file" "$1" "$2"
        fi
    done
}

# _ini FILE SECTION OPTION [VALUE]: drop the option, and set it to a value.
function _ini {
    touch "$1"
    python3 - "$@" <<'PROGRAM'
import configparser
import sys
path, section, option, *value = sys.argv[1:]
parser = configparser.RawConfigParser(default_section="")
parser.optionxform = str
parser.read(path)
if parser.has_section(section):
    parser.remove_option(section, option)
if value:
    if not parser.has_section(section):
        parser.add_section(section)
    parser.set(section, option, value[0])
with open(path, "w") as file:
    parser.write(file)
PROGRAM
}

function iniset {
    _ini "$@"
}

function inidelete {
    _ini "$@"
}

function pip_install {
    "$DEVSTACK_VENV/bin/pip" install -c constraints "$@"
}

function pip_uninstall {
    "$PIP_VIRTUAL_ENV/bin/pip" uninstall -y "$1"
}
