"""Any guest the planner could ask for.

Values keep what the planner and libvirt know of them (names are unique, a
model goes with the mode "custom"); beyond that everything goes with
everything.
"""

import dataclasses
import pathlib
import string

from hypothesis import HealthCheck
from hypothesis import settings
from hypothesis import strategies as st

from nova_custom_driver.spec import cpu
from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest
from nova_custom_driver.spec import metadata
from nova_custom_driver.spec import nic
from tests import factories

WORDS = string.ascii_letters + string.digits + "._-"
PREFIXES = {disk.Bus.VIRTIO: "vd", disk.Bus.IDE: "hd", disk.Bus.FDC: "fd"}
MOST_MEMORY_KIB = 1 << 40

# A whole guest takes a while to draw, on a busy machine even longer.
patient = settings(max_examples=50, deadline=None,
                   suppress_health_check=[HealthCheck.too_slow])


def words():
    return st.text(WORDS, min_size=1, max_size=12)


def maybe(strategy):
    return st.none() | strategy


def numbers(most=1 << 31):
    return st.integers(1, most)


def paths():
    """Return absolute paths; spaces and other scripts are no mistake."""
    names = st.text(st.characters(
        categories=("L", "N", "Zs", "P"), exclude_characters="/\\<>\"'&"),
        min_size=1, max_size=12).map(str.strip).filter(
            lambda name: name.strip("."))
    return names.map(lambda name: factories.ROOT / name)


def macs():
    return st.binary(min_size=5, max_size=5).map(
        lambda octets: "fa:" + octets.hex(":"))


def uuids():
    return st.uuids().map(str)


def topologies():
    return st.builds(cpu.Topology, sockets=numbers(8), cores=numbers(8),
                     threads=numbers(4))


def cpus():
    features = st.lists(
        st.builds(cpu.Feature, name=words(),
                  policy=st.sampled_from(cpu.Policy)),
        unique_by=lambda feature: feature.name, max_size=3).map(tuple)
    default = st.builds(cpu.Cpu, mode=st.none(), topology=topologies())
    by_mode = st.builds(
        cpu.Cpu, mode=st.sampled_from((
            cpu.Mode.HOST_MODEL, cpu.Mode.HOST_PASSTHROUGH)),
        topology=topologies(), features=features, address_width=maybe(
            st.builds(cpu.AddressWidth, mode=st.just(cpu.AddressMode.EMULATE),
                      bits=st.integers(32, 52))))
    named = st.builds(cpu.Cpu, mode=st.just(cpu.Mode.CUSTOM), model=words(),
                      topology=topologies(), features=features)
    return default | by_mode | named


def tunings():
    return st.builds(
        cpu.Tuning, shares=st.integers(2, 262144),
        period=maybe(st.integers(1000, 1000000)),
        quota=maybe(st.just(-1) | st.integers(1000, 1 << 40)))


def records():
    return st.builds(
        firmware.Record, loader=paths(),
        loader_type=st.sampled_from(("rom", "pflash")),
        loader_readonly=st.booleans(), loader_secure=maybe(st.booleans()),
        nvram=maybe(paths()), nvram_template=maybe(paths()),
        smm=maybe(st.booleans()))


def firmwares():
    uefi = firmware.Kind.UEFI
    return st.just(firmware.Firmware()) | st.builds(
        firmware.Firmware, kind=st.just(uefi), secure_boot=st.booleans(),
        record=maybe(records())
    ) | st.just(firmware.Firmware(kind=uefi, stateless=True))


def smbioses():
    return st.builds(
        guest.Smbios, manufacturer=words(), product=words(), version=words(),
        serial=maybe(uuids()), uuid=st.just(factories.UUID))


def boots():
    kernels = st.builds(firmware.Kernel, kernel=paths(),
                        ramdisk=maybe(paths()), command_line=words())
    return st.builds(
        guest.Boot, arch=st.sampled_from((None, "x86_64", "aarch64")),
        machine=st.sampled_from(("pc", "q35", "pc-i440fx-7.2", "virt")),
        firmware=firmwares(), kernel=maybe(kernels), menu=st.booleans(),
        devices=st.lists(st.sampled_from(("hd", "cdrom", "fd")),
                         unique=True).map(tuple),
        smbios=maybe(smbioses()))


def features():
    return st.builds(
        guest.Features, acpi=st.booleans(), apic=st.booleans(),
        vmcoreinfo=st.booleans(), hidden=st.booleans(), hyperv=st.booleans(),
        hyperv_vendor_id=st.sampled_from((None, "1234567890ab")),
        pmu=maybe(st.booleans()), tb_cache_mib=maybe(numbers()))


def clocks():
    timers = st.lists(st.sampled_from((
        guest.Timer(name="pit", tickpolicy="delay"),
        guest.Timer(name="rtc", tickpolicy="catchup"),
        guest.Timer(name="hpet", present=False),
        guest.Timer(name="hypervclock", present=True))), unique=True)
    return st.builds(guest.Clock, offset=st.sampled_from(("utc", "localtime")),
                     timers=timers.map(tuple))


def metadatas():
    """Return what users write: any text at all."""
    anything = st.text(max_size=20)
    properties = st.dictionaries(words(), anything, max_size=3)
    flavors = st.builds(
        metadata.Flavor, name=anything, id=maybe(words()),
        memory_mib=numbers(), disk_gib=numbers(), swap_mib=numbers(),
        ephemeral_gib=numbers(), vcpus=numbers(), extra_specs=properties)
    images = st.builds(
        metadata.Image, id=maybe(uuids()), container_format=maybe(words()),
        disk_format=maybe(words()), min_disk_gib=numbers(),
        min_ram_mib=numbers(), properties=properties)
    addresses = st.builds(
        metadata.Address, type=st.just("fixed"), version=st.just(6),
        address=st.ip_addresses(v=6).map(str))
    ports = st.builds(metadata.Port, id=uuids(),
                      addresses=st.lists(addresses, max_size=2).map(tuple))
    return st.builds(
        metadata.Metadata, package_version=words(), display_name=anything,
        created_at=st.datetimes().map(lambda time: f"{time:%F %T}"),
        flavor=flavors, image=images,
        owner=st.builds(metadata.Owner, user_id=maybe(words()),
                        user_name=maybe(anything), project_id=maybe(words()),
                        project_name=maybe(anything)),
        ports=st.lists(ports, max_size=2).map(tuple),
        root_type=st.sampled_from(("image", "volume")))


def limits():
    """Return limits of a disk: one in total, or one each way, never both."""
    total = st.builds(
        disk.IoTune, total_bytes_sec=numbers(), total_iops_sec=numbers(),
        total_bytes_sec_max=maybe(numbers()),
        total_iops_sec_max=maybe(numbers()), size_iops_sec=maybe(numbers()))
    each_way = st.builds(
        disk.IoTune, read_bytes_sec=maybe(numbers()),
        write_bytes_sec=maybe(numbers()), read_iops_sec=maybe(numbers()),
        write_iops_sec=maybe(numbers()))
    return total | each_way


@st.composite
def disks(draw):
    """Return disks that differ in target, serial number and place."""
    return tuple(draw(_disk(index)) for index in range(draw(
        st.integers(0, 4))))


@st.composite
def _disk(draw, index):
    bus = draw(st.sampled_from(disk.Bus))
    kinds = ((disk.Device.FLOPPY,) if bus is disk.Bus.FDC
             else (disk.Device.DISK, disk.Device.CDROM)
             if bus is not disk.Bus.VIRTIO else (disk.Device.DISK,))
    plan = disk.DiskPlan(
        name=f"disk{index}", bus=bus, content=disk.SwapContent(),
        target=PREFIXES.get(bus, "sd") + string.ascii_lowercase[index],
        device=draw(st.sampled_from(kinds)), size_bytes=1 << 30,
        cache=draw(st.sampled_from(("none", "writeback", "directsync",
                                    "writethrough", "unsafe"))),
        io=draw(st.sampled_from((None, "native", "threads"))),
        discard=draw(st.sampled_from((None, "ignore", "unmap"))),
        iotune=draw(maybe(limits())),
        serial=draw(maybe(st.just(f"serial-{index}"))),
        alias=draw(maybe(st.just(f"ua-{index}"))),
        block_sizes=draw(maybe(st.just(disk.BlockSizes(
            logical=512, physical=4096)))),
        unit=index if bus is disk.Bus.SCSI else None)
    return disk.Disk(plan=plan, source=disk.FileSource(
        path=draw(paths()), format=draw(st.sampled_from(("raw", "qcow2")))))


def nics():
    targets = st.text(string.ascii_lowercase, min_size=1, max_size=10).map(
        lambda name: f"tap{name}")
    bandwidths = st.builds(
        nic.Bandwidth, average=maybe(numbers()), peak=maybe(numbers()),
        burst=maybe(numbers(1 << 20)))
    queue_sizes = st.sampled_from((None, 256, 512, 1024))
    plans = st.builds(
        nic.NicPlan, vif_id=uuids(), mac=macs(),
        model=st.sampled_from((None, "virtio", "e1000e", "rtl8139")),
        driver=st.sampled_from((None, "qemu", "vhost")),
        queues=maybe(numbers(8)), rx_queue_size=queue_sizes,
        tx_queue_size=queue_sizes, mtu=maybe(st.integers(68, 65535)),
        inbound=maybe(bandwidths), outbound=maybe(bandwidths))
    sources = (
        st.builds(nic.TapSource, target=targets,
                  made_by_libvirt=st.booleans())
        | st.builds(nic.BridgeSource, bridge=targets, target=targets)
        | st.builds(nic.OpenVSwitchSource, bridge=targets, target=targets,
                    interface_id=uuids()))
    return st.lists(st.builds(nic.Nic, plan=plans, source=sources),
                    unique_by=lambda item: item.plan.mac, max_size=3)


def devices():
    ports = st.integers(1024, 65535)
    serials = st.lists(
        st.builds(device.SerialPty, log=paths())
        | st.builds(device.SerialTcp, host=st.just("127.0.0.1"), port=ports,
                    log=maybe(paths())), max_size=3)
    channels = st.lists(st.sampled_from((
        device.SpiceChannel(), device.AgentChannel(path=factories.ROOT))),
        unique=True)
    spices = st.builds(
        device.Spice, listen=st.just("::1"), secure=st.booleans(),
        image_compression=st.sampled_from((None, "auto_glz", "off")),
        jpeg_compression=st.sampled_from((None, "auto", "always")),
        zlib_compression=st.sampled_from((None, "auto", "never")),
        playback_compression=maybe(st.booleans()),
        streaming_mode=st.sampled_from((None, "filter", "all", "off")))
    inputs = st.lists(
        st.builds(device.Input, kind=st.sampled_from(device.InputKind),
                  bus=st.sampled_from(("usb", "virtio"))), max_size=2)
    controllers = st.tuples(
        st.builds(device.UsbController, model=st.sampled_from(
            (None, "none", "qemu-xhci", "nec-xhci"))),
        st.builds(device.ScsiController, model=st.sampled_from(
            ("virtio-scsi", "lsilogic", "lsisas1068"))))
    rngs = st.builds(
        device.Rng, path=st.just(pathlib.PurePosixPath("/dev/urandom")),
        rate_bytes=numbers(), rate_period_ms=maybe(numbers()))
    return st.builds(
        device.Devices, serials=serials.map(tuple),
        consoles=serials.map(tuple), redirected_usb_ports=st.integers(0, 15),
        channels=channels.map(tuple), inputs=inputs.map(tuple),
        graphics=st.sampled_from(((), (device.Vnc(listen="::"),)))
        | spices.map(lambda spice: (spice,)),
        video=maybe(st.builds(
            device.Video, model=st.sampled_from(
                ("virtio", "vga", "qxl", "cirrus", "none", "bochs")),
            vram_kib=maybe(numbers(1 << 20)))),
        controllers=controllers, rng=maybe(rngs),
        watchdog=maybe(st.sampled_from(device.WatchdogAction)),
        balloon=maybe(st.builds(device.Balloon,
                                stats_period_seconds=maybe(numbers(3600)))),
        sound=st.sampled_from((None, "ich9", "ac97")))


@st.composite
def guests(draw):
    """Return whole guests."""
    stored, parts = draw(disks()), draw(devices())
    if parts.redirected_usb_ports or any(
            item.plan.bus is disk.Bus.USB for item in stored) or any(
            item.bus == "usb" for item in parts.inputs):
        # Without a bus the planner puts nothing on it.
        parts = dataclasses.replace(parts, controllers=(
            device.UsbController(model=None), *parts.controllers[1:]))
    return draw(st.builds(
        factories.a_guest, disks=st.just(stored), devices=st.just(parts),
        nics=nics(), name=words(), virt_type=st.sampled_from(guest.VirtType),
        memory_kib=numbers(MOST_MEMORY_KIB), vcpus=numbers(255), cpu=cpus(),
        cpu_tuning=maybe(tunings()),
        cpuset=maybe(st.frozensets(st.integers(0, 255), min_size=1)),
        boot=boots(), features=features(), clock=clocks(),
        metadata=metadatas(),
        perf_events=st.sampled_from(((), ("cpu_clock", "page_faults")))))
