"""A file NAME.cu and a file NAME.py for each kernel; both are found by being here."""
