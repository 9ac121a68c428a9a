"""The binary interface of HIP's host functions, release by release: layouts, numbers of enumerators, arguments."""
