"""Check that the user may open the GPU devices, each of which belongs to a group, usually render or video."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, JoinGroups, error, ok
from hipport.doctor.machine import Machine, text_of

TITLE = "user groups"
AREA = Area.MACHINE


def run(machine: Machine) -> Iterator[Finding]:
    """Compare the user's groups with those of the devices."""
    devices = [machine.path("dev/kfd"), *sorted(machine.path("dev/dri").glob("renderD*"))]
    devices = [device for device in devices if device.exists()]
    closed = {device.stat().st_gid for device in devices if not _may_open(machine, device)}
    names = _names(machine)
    if lacking := tuple(names[number] for number in sorted(closed) if number in names):
        fix = JoinGroups(machine.user.name, lacking)
        groups = f"the group {lacking[0]}" if len(lacking) == 1 else f"the groups {' and '.join(lacking)}"
        yield error(
            f"{machine.user.name} is not in {groups} that the GPU devices belong to",
            f"sudo {fix}; then log in again",
            fix,
        )
    for number in sorted(closed - set(names)):
        yield error(
            f"the GPU devices belong to group {number}, which has no name and does not include {machine.user.name}",
            f"In a container: --group-add {number}",
        )
    if devices and not closed:
        yield ok(f"{machine.user.name} can open {', '.join(str(device) for device in devices)}")


def _may_open(machine: Machine, device: Path) -> bool:
    """Return whether the user may read and write a device: as root, as a member of its group, or as anybody."""
    found, everybody = device.stat(), stat.S_IROTH | stat.S_IWOTH
    user = machine.user
    return user.uid == 0 or found.st_gid in user.groups or found.st_mode & everybody == everybody


def _names(machine: Machine) -> dict[int, str]:
    """Return the names of the system's groups by number."""
    fields = (line.split(":") for line in text_of(machine.path("etc/group")).splitlines())
    return {int(row[2]): row[0] for row in fields if len(row) > 2 and row[2].isdigit()}
