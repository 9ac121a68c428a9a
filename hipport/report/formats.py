"""Select the format of a report file by its suffix."""

from __future__ import annotations

from hipport.project.request import Report
from hipport.report.about import About


def rendered(report: Report, file: str, about: About | None = None) -> str:
    """Render the report in the format of the file name: `.sarif`, `.html` or `.htm`, else JSON.

    The command line takes no other names than these and `.json`, so that a typing error overwrites no source.
    """
    name = file.lower()
    if name.endswith(".sarif"):
        from hipport.report.sarif import to_sarif

        return to_sarif(report)
    if name.endswith((".html", ".htm")):
        from hipport.report.html import to_html

        return to_html(report, about or About())
    from hipport.report.data import to_json

    return to_json(report)
