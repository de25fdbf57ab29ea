"""``python -m tools.stack.guest.build``: the tests' guest, with ssh.

A second archive follows the first in the initial RAM disk: the kernel
unpacks both, and the later ``/init`` wins.
"""

import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from tools.guest_image import build as plain

HERE = pathlib.Path(__file__).parent
DIRECTORY = pathlib.Path("build/stack-guest")
DROPBEAR = pathlib.Path("/usr/sbin/dropbear")
PASSWD = "root:x:0:0:root:/root:/bin/sh\n"


def main() -> None:
    """Build the image if its recipe, or the plain guest, has changed."""
    plain.main()
    built = DIRECTORY / "recipe"
    wanted = recipe()
    if built.exists() and built.read_text() == wanted:
        return
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    built.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="stack-guest-") as name:
        work = pathlib.Path(name)
        _image(work, _more(work / "more"))
    built.write_text(wanted)


def recipe() -> str:
    """Return what changes whenever the image is to be made anew."""
    digest = hashlib.sha256((plain.DIRECTORY / "recipe").read_bytes())
    for path in sorted(HERE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _more(tree: pathlib.Path) -> bytes:
    """Return the second archive of the initial RAM disk."""
    for name in ("bin", "etc/dropbear", "root/.ssh", "var/log", "run", "tmp"):
        (tree / name).mkdir(parents=True)
    for name in ("init", "dhcp"):
        shutil.copy(HERE / name, tree / name)
    for program in (HERE / "bin").iterdir():
        shutil.copy(program, tree / "bin")
    for path in (tree / "init", tree / "dhcp", *(tree / "bin").iterdir()):
        path.chmod(0o755)
    (tree / "etc/passwd").write_text(PASSWD)
    (tree / "etc/group").write_text("root:x:0:\n")
    (tree / "etc/shells").write_text("/bin/sh\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy(DROPBEAR, tree / "bin/dropbear")
    for library in _libraries(DROPBEAR):
        target = tree / library.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    # sshd trusts no key file that others might write.
    for path in (tree, tree / "root", tree / "root/.ssh"):
        path.chmod(0o700)
    entries = "\n".join(str(path.relative_to(tree))
                        for path in sorted(tree.rglob("*")))
    return gzip.compress(subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=tree,
        input=entries.encode(), capture_output=True, check=True).stdout)


def _libraries(program: pathlib.Path) -> list[pathlib.Path]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True,
                          check=True).stdout
    return [pathlib.Path(path) for path in re.findall(r"(/\S+)", said)]


def _image(work: pathlib.Path, more: bytes) -> None:
    """Put the longer RAM disk into a copy of the plain image."""
    disk, ramdisk = work / "guest.raw", work / "initrd.gz"
    shutil.copy(plain.DIRECTORY / "guest.raw", disk)
    first = (plain.DIRECTORY / "initrd.gz").read_bytes()
    # An archive begins at a multiple of four bytes.
    ramdisk.write_bytes(first + b"\0" * (-len(first) % 4) + more)
    part = f"{disk}@@{plain.START_SECTOR * 512}"
    environment = {"PATH": plain.SEARCH, "LC_ALL": "C"}
    for command in (
            # The kernel for UEFI has the plain RAM disk in it.
            ("mdeltree", "-i", part, "::EFI"),
            ("mcopy", "-o", "-i", part, str(ramdisk), "::initrd.gz"),
            ("qemu-img", "convert", "-c", "-O", "qcow2", str(disk),
             str(work / "guest.qcow2"))):
        subprocess.run(command, check=True, env=environment)
    os.replace(shutil.move(work / "guest.qcow2", DIRECTORY / "new"),
               DIRECTORY / "guest.qcow2")


if __name__ == "__main__":
    main()
