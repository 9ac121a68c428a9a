"""The kinds of report files, told by the end of the name."""

from __future__ import annotations

from hipport.project.request import Report


def rendered(report: Report, file: str) -> str:
    """The report as the file's name asks for: `.sarif`, `.html` or `.htm`, anything else JSON."""
    name = file.lower()
    if name.endswith(".sarif"):
        from hipport.report.sarif import to_sarif

        return to_sarif(report)
    if name.endswith((".html", ".htm")):
        from hipport.report.html import to_html

        return to_html(report)
    from hipport.report.data import to_json

    return to_json(report)
