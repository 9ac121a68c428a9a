"""Write docs/conformance.md from the data: names, signatures and values of CUDA compared with HIP's.

python -m scripts.docs_conformance
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hipport.audit.coverage import coverage
from hipport.audit.evidence import shipped
from hipport.audit.signatures import data
from hipport.audit.signatures.compare import Result, compare
from hipport.audit.signatures.fit import Fit
from hipport.audit.signatures.outcomes import Outcome, outcomes
from hipport.mappings.loader import NameChoice, load, load_choice
from scripts import overloads
from scripts.compare_signatures import unexplained
from scripts.values import record
from tests.audit.signatures.test_overloads import DIFFERENCES
from tests.values.differences import CPU, HIP
