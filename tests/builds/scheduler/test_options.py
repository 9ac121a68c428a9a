from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.builds.scheduler.options import Options, read_options
from hipport.errors import UsageError


def test_options_of_slurm() -> None:
    texts = ["partition=build,long", "account=p_123", "minutes=90", "memory=8GB", "cpus=4", "wait=0"]
    found = read_options("slurm", texts)
    assert found == Options(0, "build,long", "p_123", minutes=90, memory="8GB", cpus=4)
    assert read_options("dask", []) == Options()


@pytest.mark.parametrize(
    ("scheduler", "text", "message"),
    [
        ("dask", "partition=a", "dask has no option 'partition'"),
        ("slurm", "memry=3GB", "did you mean 'memory'"),
        ("slurm", "memory", "memory= is not valid, such as memory=4GB"),
        ("slurm", "memory=3", "memory=3 is not valid"),
        ("slurm", "cpus=0", "cpus=0 is not valid"),
        ("slurm", "partition=a\n#SBATCH --wrap", "is not valid"),
        ("slurm", "partition=a --x", "is not valid"),
        ("slurm", "python=sh -c x", "is not valid"),
    ],
)
def test_mistakes(scheduler: str, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("[", r"\[")):
        read_options(scheduler, [text])


@given(st.sampled_from(["partition", "account", "qos", "constraint", "python", "memory"]), st.text())
def test_no_value_can_add_to_a_job_script(key: str, value: str) -> None:
    try:
        read_options("slurm", [f"{key}={value}"])
    except UsageError:
        return
    assert value and not set(value) & set(" \n\r\t;$`'\"<>#\\")
