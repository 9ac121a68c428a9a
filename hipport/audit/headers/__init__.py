"""Declarations of C and C++ headers and of Cython's `.pxd` files: names by kind. Nothing is compiled."""

from hipport.audit.headers.declaration import Declaration
from hipport.audit.headers.folder import Folder, read_folder

__all__ = ["Declaration", "Folder", "read_folder"]
