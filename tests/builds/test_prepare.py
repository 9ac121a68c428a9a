from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.builds.prepare import install, make_link, remove_others, write_if_changed
from hipport.errors import HipportError


def test_a_file_that_is_right_keeps_its_time(tmp_path: Path) -> None:
    path = tmp_path / "deep/file"
    assert write_if_changed(path, b"one")
    os.utime(path, (1, 1))
    assert not write_if_changed(path, b"one")
    assert path.stat().st_mtime == 1
    assert write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_translations_that_are_no_longer_made_go_away(tmp_path: Path) -> None:
    keep, old = tmp_path / "a/keep.h", tmp_path / "b/c/old.h"
    for path in (keep, old):
        path.parent.mkdir(parents=True)
        path.write_text("")
    remove_others(tmp_path, [keep])
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", keep]
    remove_others(tmp_path / "missing", [])


def test_links_are_made_and_mended(tmp_path: Path) -> None:
    link = tmp_path / "overlay/ocml.bc"
    make_link(link, "/one")
    make_link(link, "/two")
    make_link(link, "/two")
    assert link.readlink() == Path("/two")


def test_a_product_is_installed_once_and_again_when_it_differs(tmp_path: Path) -> None:
    product, output = tmp_path / "product", tmp_path / "new/folder/out"
    product.write_text("one")
    product.chmod(0o755)
    assert install(product, output)
    assert not install(product, output)
    assert os.access(output, os.X_OK)
    output.unlink()
    assert install(product, output)
    output.write_text("other")
    assert install(product, output)
    assert [p.name for p in output.parent.iterdir()] == ["out"]


def test_an_output_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "product").write_text("")
    (tmp_path / "out").mkdir()
    with pytest.raises(HipportError, match="it is a folder"):
        install(tmp_path / "product", tmp_path / "out")
