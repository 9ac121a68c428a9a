"""The user may open the devices: they belong to the groups render and video."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.machine import Machine, text_of
from hipport.doctor.model import Area, Finding, JoinGroups, error, ok

TITLE = "groups of the user"
AREA = Area.MACHINE
_GROUPS = ("render", "video")


def run(machine: Machine) -> Iterator[Finding]:
    """Compare the user's groups with those that the system has for GPUs."""
    kfd = machine.path("dev/kfd")
    if not kfd.exists():
        return
    there = {line.split(":")[0] for line in text_of(machine.path("etc/group")).splitlines()}
    lacking = tuple(name for name in _GROUPS if name in there and name not in machine.user.groups)
    if machine.user.uid == 0 or _is_open(kfd) or not lacking:
        yield ok(f"{machine.user.name} may open /dev/kfd")
        return
    fix = JoinGroups(machine.user.name, lacking)
    groups = f"the group {lacking[0]}" if len(lacking) == 1 else f"the groups {' and '.join(lacking)}"
    yield error(f"{machine.user.name} is not in {groups}, to which GPUs belong", f"sudo {fix}; then log in again", fix)


def _is_open(device: Path) -> bool:
    """Whether everybody may read and write a device, as some distributions have it."""
    both = stat.S_IROTH | stat.S_IWOTH
    return device.stat().st_mode & both == both
