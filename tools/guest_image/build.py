"""``python -m tools.guest_image.build``: make the guest image.

From Debian's kernel and busybox packages, which are unpacked, not installed:

* ``guest.raw`` and ``guest.qcow2``: one FAT partition that starts by BIOS
  (syslinux) and by UEFI (a unified kernel image)
* ``vmlinuz`` and ``initrd.gz``: the same without a boot loader

Nothing is done while the recipe stays as it is.
"""

from collections.abc import Iterable, Iterator
import gzip
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
DIRECTORY = pathlib.Path("build/guest-image")
KERNEL_PACKAGE = "linux-image-cloud-amd64"
COMMAND_LINE = "console=ttyS0,115200 loglevel=3"
MODULES = (
    "virtio_pci", "virtio_blk", "virtio_net", "virtio_scsi", "virtio_rng",
    "virtio_balloon", "virtio_console", "sd_mod", "sr_mod", "ata_piix",
    "isofs", "vfat", "nls_ascii", "nls_utf8", "nls_cp437", "button", "evdev")
IMAGE_MIB = 40
# Where the partition begins; the BIOS loader's second part lies before it.
START_SECTOR = 2048
STUB = pathlib.Path("/usr/lib/systemd/boot/efi/linuxx64.efi.stub")
MBR = pathlib.Path("/usr/lib/syslinux/mbr/mbr.bin")
TOOLS = {
    "apt-get": "apt", "dpkg-deb": "dpkg", "cpio": "cpio",
    "modprobe": "kmod", "depmod": "kmod", "sfdisk": "fdisk",
    "mformat": "mtools", "mcopy": "mtools", "syslinux": "syslinux",
    "objcopy": "binutils", "qemu-img": "qemu-utils"}


def main() -> None:
    """Build the image if its recipe has changed."""
    recipe = DIRECTORY / "recipe"
    wanted = _recipe()
    if recipe.exists() and recipe.read_text() == wanted:
        return
    _check_tools()
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    recipe.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="ncd-guest-") as name:
        work = pathlib.Path(name)
        kernel = _unpack(work)
        _initrd(work, kernel)
        _image(work)
    recipe.write_text(wanted)
    _say(f"the guest image is in {DIRECTORY}")


def _recipe() -> str:
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _check_tools() -> None:
    missing = {package for tool, package in TOOLS.items()
               if shutil.which(tool, path=SEARCH) is None}
    missing |= {package for path, package in (
        (STUB, "systemd-boot-efi"), (MBR, "syslinux-common"))
        if not path.exists()}
    if missing:
        sys.exit("The guest image needs these Debian packages: "
                 + " ".join(sorted(missing)))


SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def _unpack(work: pathlib.Path) -> str:
    """Unpack kernel and busybox; return the kernel's version."""
    package = _kernel_package()
    _say(f"fetching {package} and busybox-static")
    # As another user apt could not write here.
    _run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download",
         package, "busybox-static", cwd=work)
    for archive in work.glob("*.deb"):
        _run("dpkg-deb", "-x", str(archive), str(work / "root"))
    version = package.removeprefix("linux-image-")
    _run("depmod", "-b", str(work / "root"), version)
    shutil.copy(work / f"root/boot/vmlinuz-{version}", DIRECTORY / "vmlinuz")
    return version


def _kernel_package() -> str:
    """Return the package that Debian's current cloud kernel is in."""
    found = subprocess.run(
        ["apt-cache", "depends", KERNEL_PACKAGE], capture_output=True,
        text=True, check=False).stdout
    names = re.findall(r"Depends: (linux-image-\S+-cloud-amd64)$", found,
                       re.MULTILINE)
    if not names:
        sys.exit(f"apt does not know {KERNEL_PACKAGE}; run 'apt-get update'")
    return str(names[0])


def _initrd(work: pathlib.Path, version: str) -> None:
    _say("making the initial RAM disk")
    tree = work / "initrd"
    for name in ("bin", "modules"):
        (tree / name).mkdir(parents=True)
    shutil.copy(work / "root/bin/busybox", tree / "bin/busybox")
    shutil.copy(HERE / "init", tree / "init")
    (tree / "init").chmod(0o755)
    names = []
    for path in _modules(work / "root", version):
        shutil.copy(path, tree / "modules")
        names.append(path.name)
    (tree / "modules.list").write_text("".join(f"{n}\n" for n in names))
    entries = "\n".join(
        str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    archive = subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet"], input=entries.encode(),
        cwd=tree, capture_output=True, check=True).stdout
    (DIRECTORY / "initrd.gz").write_bytes(gzip.compress(archive, mtime=0))


def _modules(root: pathlib.Path, version: str) -> Iterator[pathlib.Path]:
    """Yield the modules' files, each after those it needs."""
    seen = set()
    for module in MODULES:
        # One that is built into the kernel, or not there, yields nothing.
        found = subprocess.run(
            ["modprobe", "-d", str(root), "-S", version, "--show-depends",
             module], capture_output=True, text=True, check=False).stdout
        for line in found.splitlines():
            if line.startswith("insmod ") and line not in seen:
                seen.add(line)
                yield pathlib.Path(line.split()[1])


def _image(work: pathlib.Path) -> None:
    _say("making the disk image")
    image = DIRECTORY / "guest.raw"
    with image.open("wb") as file:
        file.write(MBR.read_bytes())
        file.truncate(IMAGE_MIB << 20)
    _run("sfdisk", "-q", str(image), text_input=(
        f"label: dos\nstart={START_SECTOR}, type=e, bootable\n"))
    part = f"{image}@@{START_SECTOR * 512}"
    sectors = (IMAGE_MIB << 11) - START_SECTOR
    _run("mformat", "-i", part, "-T", str(sectors), "-h", "64", "-s", "32",
         "-H", str(START_SECTOR), "-v", "NCDGUEST", "::")
    _run("syslinux", "--install", "--offset", str(START_SECTOR * 512),
         str(image))
    config = work / "syslinux.cfg"
    config.write_text(
        "DEFAULT guest\nPROMPT 0\nTIMEOUT 0\nLABEL guest\n KERNEL vmlinuz\n"
        f" APPEND initrd=initrd.gz {COMMAND_LINE}\n")
    _copy_in(part, "::", (DIRECTORY / "vmlinuz", DIRECTORY / "initrd.gz",
                          config))
    _run("mmd", "-i", part, "::EFI", "::EFI/BOOT")
    _copy_in(part, "::EFI/BOOT/BOOTX64.EFI", (_unified_kernel(work),))
    _run("qemu-img", "convert", "-O", "qcow2", str(image),
         str(DIRECTORY / "guest.qcow2"))


def _unified_kernel(work: pathlib.Path) -> pathlib.Path:
    """Return a kernel that UEFI starts, with its RAM disk and arguments.

    See "Unified Kernel Images" of the UAPI group for the sections.
    """
    line, kernel = work / "cmdline", work / "BOOTX64.EFI"
    line.write_text(COMMAND_LINE)
    sections = (("cmdline", line, 0x30000),
                ("linux", DIRECTORY / "vmlinuz", 0x2000000),
                ("initrd", DIRECTORY / "initrd.gz", 0x4000000))
    arguments = []
    for name, path, address in sections:
        arguments += ["--add-section", f".{name}={path}",
                      "--change-section-vma", f".{name}={address:#x}"]
    _run("objcopy", *arguments, str(STUB), str(kernel))
    return kernel


def _copy_in(part: str, target: str,
             paths: Iterable[pathlib.Path]) -> None:
    _run("mcopy", "-o", "-i", part, *map(str, paths), target)


def _run(*command: str, cwd: pathlib.Path | None = None,
         text_input: str | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, input=text_input, text=True, capture_output=True,
        check=False, env={"PATH": SEARCH, "LC_ALL": "C"})
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _say(text: str) -> None:
    print(f"guest image: {text}", flush=True)


if __name__ == "__main__":
    main()
