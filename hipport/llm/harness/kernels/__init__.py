"""One NAME.cu and one NAME.py for each kernel, found automatically in this folder."""
