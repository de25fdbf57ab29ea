# DevStack plugin nova-custom-driver: "source plugin.sh MODE [PHASE]".
#
# DevStack keeps VIRT_DRIVER=libvirt and installs libvirt and QEMU; this adds
# the driver to Nova's environment and names it in nova.conf.
#
# shellcheck shell=bash disable=SC2153,SC2154

# unstack.sh and clean.sh source no settings.
# shellcheck source=devstack/settings
source "$(dirname "${BASH_SOURCE[0]}")/settings"

_NOVA_CUSTOM_DRIVER_ETC=$NOVA_CUSTOM_DRIVER_DIR/etc/nova_custom_driver
NOVA_CUSTOM_DRIVER_FILTERS=$_NOVA_CUSTOM_DRIVER_ETC/nova_custom_driver.filters

# Stop where the driver would refuse to start, before anything is installed.
function check_nova_custom_driver {
    if [[ "$VIRT_DRIVER" != "libvirt" ]]; then
        die $LINENO "nova-custom-driver needs VIRT_DRIVER=libvirt," \
            "not $VIRT_DRIVER"
    fi
    if [[ ! "$LIBVIRT_TYPE" =~ ^(kvm|qemu)$ ]]; then
        die $LINENO "nova-custom-driver needs LIBVIRT_TYPE=kvm or qemu," \
            "not $LIBVIRT_TYPE"
    fi
    if [[ "$(trueorfalse False ENABLE_FILE_INJECTION)" == "True" ]]; then
        die $LINENO "nova-custom-driver injects no files into images:" \
            "set ENABLE_FILE_INJECTION=False"
    fi
}

function check_nova_custom_driver_release {
    local release
    release=$($PYTHON -c \
        'from importlib import metadata; print(metadata.version("nova"))')
    if [[ "$release" == "$NOVA_CUSTOM_DRIVER_NOVA_RELEASE".* ]]; then
        return
    fi
    if [[ "$(trueorfalse False NOVA_CUSTOM_DRIVER_ANY_NOVA)" == "True" ]]; then
        echo_summary "nova-custom-driver meets Nova $release"
        return
    fi
    die $LINENO "nova-custom-driver is made for Nova" \
        "$NOVA_CUSTOM_DRIVER_NOVA_RELEASE, not $release: take DevStack of" \
        "its branch, or try with NOVA_CUSTOM_DRIVER_ANY_NOVA=True"
}

# Nova is DevStack's: pip must not put another one in its place.
function install_nova_custom_driver {
    local requirements
    requirements=$(mktemp)
    grep -v '^nova[<>=~!]' "$NOVA_CUSTOM_DRIVER_DIR/requirements.txt" \
        >"$requirements"
    pip_install -r "$requirements"
    rm -f "$requirements"
    pip_install --no-deps -e "$NOVA_CUSTOM_DRIVER_DIR"
}

function configure_nova_custom_driver {
    local section=custom_driver
    iniset "$NOVA_CONF" DEFAULT compute_driver "$NOVA_CUSTOM_DRIVER_CLASS"
    if [[ -n "$NOVA_CUSTOM_DRIVER_CALL_TIMEOUT" ]]; then
        iniset "$NOVA_CONF" $section libvirt_call_timeout \
            "$NOVA_CUSTOM_DRIVER_CALL_TIMEOUT"
    fi
    if [[ -n "$NOVA_CUSTOM_DRIVER_METRICS_FILE" ]]; then
        sudo install -d -o "$STACK_USER" \
            "$(dirname "$NOVA_CUSTOM_DRIVER_METRICS_FILE")"
        iniset "$NOVA_CONF" $section metrics_file \
            "$NOVA_CUSTOM_DRIVER_METRICS_FILE"
    fi
    # Nova's own have been put there just before.
    sudo install -o root -g root -m 644 "$NOVA_CUSTOM_DRIVER_FILTERS" \
        "$NOVA_CONF_DIR/rootwrap.d"
}

function configure_nova_custom_driver_tempest {
    local feature
    # The in-tree driver can do all that DevStack expects.
    if [[ "$NOVA_CUSTOM_DRIVER_CLASS" == libvirt.* ]]; then
        return
    fi
    for feature in $NOVA_CUSTOM_DRIVER_TEMPEST_OFF; do
        iniset "$TEMPEST_CONFIG" compute-feature-enabled "$feature" False
    done
}

# Leave nova.conf to the in-tree driver.
function unconfigure_nova_custom_driver {
    local option
    sudo rm -f \
        "$NOVA_CONF_DIR/rootwrap.d/$(basename "$NOVA_CUSTOM_DRIVER_FILTERS")"
    if [[ ! -f "$NOVA_CONF" ]]; then
        return
    fi
    iniset "$NOVA_CONF" DEFAULT compute_driver libvirt.LibvirtDriver
    for option in libvirt_call_timeout metrics_file; do
        inidelete "$NOVA_CONF" custom_driver $option
    done
}

# After DevStack has deleted the guests nothing of the driver stays.
function cleanup_nova_custom_driver {
    local venv=${PIP_VIRTUAL_ENV:-}
    # DevStack's pip_uninstall does not know its own environment.
    if [[ "$GLOBAL_VENV" == "True" ]]; then
        venv=$DEVSTACK_VENV
    fi
    PIP_VIRTUAL_ENV=$venv pip_uninstall nova-custom-driver
    sudo rm -rf "$NOVA_INSTANCES_PATH/.journal"
    if [[ -n "$NOVA_CUSTOM_DRIVER_METRICS_FILE" ]]; then
        sudo rm -f "$NOVA_CUSTOM_DRIVER_METRICS_FILE"
    fi
}

if is_service_enabled n-cpu; then
    case "$1 $2" in
        "stack pre-install")
            check_nova_custom_driver
            ;;
        "stack install")
            echo_summary "Installing nova-custom-driver"
            check_nova_custom_driver_release
            install_nova_custom_driver
            ;;
        "stack post-config")
            echo_summary "Configuring nova-custom-driver"
            configure_nova_custom_driver
            ;;
        "unstack "*)
            unconfigure_nova_custom_driver
            ;;
        "clean "*)
            unconfigure_nova_custom_driver
            cleanup_nova_custom_driver
            ;;
    esac
fi

# Where tempest runs there need not be a compute service.
if [[ "$1 $2" == "stack test-config" ]] && is_service_enabled tempest; then
    configure_nova_custom_driver_tempest
fi
