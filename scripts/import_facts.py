"""Merge a table of API facts (tab-separated, one CUDA name per line) into `mappings/*.yaml`.

    python -m scripts.import_facts FACTS.tsv [--headers FOLDER ...]

Values in a YAML file are never changed: facts only add names, and fill in fields that an entry leaves open; an
entry's own reason means that a name has no counterpart. Where both have a value and disagree, the difference is
printed. The kind of a new name comes from the headers, or else from its section and spelling.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from hipport.mappings.entry import HipName, Life
from hipport.mappings.life import EVENTS, parse_life, parse_target
from hipport.mappings.life import format_life as life_text
from hipport.mappings.life import format_target as target_text
from scripts import headers, tablefile
from scripts.tablefile import Spec, TableFile

MAPPINGS = Path(__file__).parents[1] / "mappings"
_NAME = re.compile(r"[A-Za-z_]\w*(::\w+)*(<\w+>)?\Z")
_TYPE = re.compile(r".*(_t|_st|_enum|_union|_v\d+)\Z|CU[a-z].*|make_\w+\Z")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--headers", type=Path, nargs="*", default=[], help="folders with headers, the best first")
    options = parser.parse_args()
    evidence = headers.kinds(path for folder in options.headers for path in headers.under(folder))
    with options.facts.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for library in sorted({row["library"] for row in rows}):
        import_library(library, [row for row in rows if row["library"] == library], evidence)


def import_library(library: str, rows: Iterable[dict[str, str]], evidence: headers.Kinds) -> None:
    """Merge the facts of one library into its table."""
    path = MAPPINGS / f"{library}.yaml"
    table = tablefile.load(path) if path.exists() else TableFile(library)
    taken = names_of_others(path)
    for row in rows:
        if row["cuda"] in taken:
            continue
        found = table.find(row["cuda"])
        section, spec = found or (section_of(row, evidence), {})
        differences = merge(spec, facts_of(row))
        table.sections.setdefault(section, {})[row["cuda"]] = spec
        for difference in differences:
            print(f"{path.name}: {row['cuda']}: {difference}", file=sys.stderr)
    path.write_text(tablefile.dump(table))


def names_of_others(path: Path) -> set[str]:
    """Return the names in other tables: a name that two libraries share stays in the first one."""
    others = (
        tablefile.load(other) for other in MAPPINGS.glob("*.yaml") if other not in (path, MAPPINGS / "releases.yaml")
    )
    return {name for other in others for names in other.sections.values() for name in names}


def facts_of(row: dict[str, str]) -> Spec:
    """Return the facts of one line in the format of a table."""
    spec: Spec = {}
    life = life_text(Life(**{event: row[f"cuda_{event}"] or None for event in EVENTS}))
    if life:
        spec["cuda"] = life
    for side in ("hip", "roc"):
        if _NAME.match(row[side]):
            spec[side] = target_text(
                HipName(
                    row[side],
                    Life(**{event: row[f"{side}_{event}"] or None for event in EVENTS}),
                    bool(row[f"{side}_experimental"]),
                )
            )
    return spec


def merge(spec: Spec, facts: Spec) -> list[str]:
    """Fill in `spec` from `facts`; return their disagreements as sentences."""
    differences = []
    for key, new in facts.items():
        old = spec.get(key)
        if old is None and key == "hip" and "reason" in spec:
            differences.append(f"the table says why there is no counterpart, the facts say {new}")
        elif old is None:
            spec[key] = new
        elif isinstance(old, list):
            continue
        elif key == "cuda":
            spec[key] = life_text(_later(parse_life(old), parse_life(new)))
        else:
            had, has = parse_target(old), parse_target(new)
            if had.name != has.name:
                differences.append(f"the table says {had.name}, the facts say {has.name}")
                continue
            spec[key] = target_text(HipName(had.name, _later(had.life, has.life), had.experimental))
    return differences


def _later(table: Life, facts: Life) -> Life:
    """Return the table's life, with missing events taken from the facts."""
    return Life(**{event: getattr(table, event) or getattr(facts, event) for event in EVENTS})


def section_of(row: dict[str, str], evidence: headers.Kinds) -> str:
    """Return the kind of a name from a header, or else from the section of the API reference and the spelling."""
    name, heading = row["cuda"], row["section"].lower()
    known = evidence.get(name) or evidence.get(row["hip"])
    if "types" not in heading:
        return "functions"
    if known:
        return known
    if name.isupper() or re.match(r"[A-Z0-9_]+[a-z]?\Z", name):
        return "macros" if row["library"] == "cub" else "enumerators"
    return "types" if _TYPE.match(name) else "enumerators"


if __name__ == "__main__":
    main()
